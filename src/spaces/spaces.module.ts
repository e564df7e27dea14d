import { Module } from '@nestjs/common';
import { SpacesController } from './spaces.controller.js';
import { SpacesRepository } from './spaces.repository.js';
import { SpacesService } from './spaces.service.js';

@Module({ controllers: [SpacesController], providers: [SpacesService, SpacesRepository] })
export class SpacesModule {}

import { Module } from '@nestjs/common';
import { ChangesController } from './changes.controller.js';
import { ChangesRepository } from './changes.repository.js';
import { ChangesService } from './changes.service.js';

@Module({ controllers: [ChangesController], providers: [ChangesService, ChangesRepository] })
export class ChangesModule {}

import { Module } from '@nestjs/common';
import { WinsController } from './wins.controller.js';
import { WinsRepository } from './wins.repository.js';
import { WinsService } from './wins.service.js';

@Module({ controllers: [WinsController], providers: [WinsService, WinsRepository] })
export class WinsModule {}

import { Module } from '@nestjs/common';
import { AuthController } from './auth.controller.js';
import { AuthService } from './auth.service.js';
import { BearerGuard } from './bearer.guard.js';
import { BearerStrategy } from './bearer.strategy.js';
import { CallerCache } from './caller-cache.js';
import { TokensRepository } from './tokens.repository.js';
import { UsersRepository } from './users.repository.js';

@Module({
  controllers: [AuthController],
  providers: [AuthService, UsersRepository, TokensRepository, CallerCache, BearerStrategy, BearerGuard],
  exports: [AuthService, BearerGuard],
})
export class AuthModule {}

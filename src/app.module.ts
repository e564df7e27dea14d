import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import type { DataSource } from 'typeorm';
import { AuthModule } from './auth/auth.module.js';
import { BearerGuard } from './auth/bearer.guard.js';
import { ChangesModule } from './changes/changes.module.js';
import { CONFIG, type Config } from './config/config.js';
import { REFUSALS } from './database/errors.js';
import { Sql } from './database/sql.js';
import { ErrorFilter } from './http/error.filter.js';
import { RequestValidationPipe } from './http/validation.pipe.js';
import { HealthController } from './operations/health.controller.js';
import { Housekeeping } from './operations/housekeeping.js';
import { Readiness } from './operations/readiness.js';
import { ALL_REFUSALS } from './refusals.js';
import { SpacesModule } from './spaces/spaces.module.js';
import { TagsModule } from './tags/tags.module.js';
import { WinsModule } from './wins/wins.module.js';

/** The whole service: its modules, and the only global guard, pipe and filter. */
@Module({
  imports: [AuthModule, SpacesModule, TagsModule, WinsModule, ChangesModule],
  controllers: [HealthController],
  providers: [
    Readiness,
    Housekeeping,
    { provide: REFUSALS, useValue: ALL_REFUSALS },
    { provide: APP_GUARD, useExisting: BearerGuard },
    { provide: APP_PIPE, useClass: RequestValidationPipe },
    { provide: APP_FILTER, useClass: ErrorFilter },
  ],
})
export class AppModule {
  /** @param dataSource connected and migrated; closing it stays with who opened it */
  static with(config: Config, dataSource: DataSource): DynamicModule {
    return {
      module: AppModule,
      global: true,
      providers: [
        { provide: CONFIG, useValue: config },
        { provide: Sql, useValue: new Sql(dataSource) },
      ],
      exports: [CONFIG, Sql],
    };
  }
}

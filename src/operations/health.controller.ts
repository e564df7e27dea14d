import { Controller, Get } from '@nestjs/common';
import { ApiProperty, ApiTags } from '@nestjs/swagger';
import { DrainingError } from '../common/errors.js';
import { ReadOnlyServerError } from '../database/errors.js';
import { Sql } from '../database/sql.js';
import { Public } from '../http/public.decorator.js';
import { NOT_READY } from '../openapi/errors.js';
import { Operation } from '../openapi/operation.js';
import { Readiness } from './readiness.js';

export class Health {
  @ApiProperty({ type: 'string', enum: ['ok'], example: 'ok' })
  status: 'ok';
}

@ApiTags('Health')
@Controller()
export class HealthController {
  constructor(
    private readonly sql: Sql,
    private readonly readiness: Readiness,
  ) {}

  @Operation('isAlive', 'Liveness check', 'Responds as long as the process runs, even while the database is down.', {
    returns: Health,
    public: true,
  })
  @Get('healthz')
  @Public()
  isAlive(): Health {
    return { status: 'ok' };
  }

  @Operation(
    'isReady',
    'Readiness check',
    'Responds with 200 while the database responds and accepts writes, and the instance is not shutting down.',
    {
      returns: Health,
      public: true,
      errors: [NOT_READY],
    },
  )
  @Get('readyz')
  @Public()
  async isReady(): Promise<Health> {
    if (this.readiness.isDraining) throw new DrainingError();
    const [server] = await this.sql.query<{ isStandby: boolean }>('select pg_is_in_recovery() as "isStandby"');
    if (server?.isStandby) throw new ReadOnlyServerError();
    return { status: 'ok' };
  }
}

import { Controller, Get } from '@nestjs/common';
import { ApiProperty, ApiTags } from '@nestjs/swagger';
import { Public } from '../auth/public.decorator.js';
import { UnavailableError } from '../common/errors.js';
import { Sql } from '../database/sql.js';
import { Operation } from '../docs/operation.js';

export class Health {
  @ApiProperty({ type: 'string', example: 'ok' })
  status: 'ok';
}

@ApiTags('Health')
@Controller()
export class HealthController {
  constructor(private readonly sql: Sql) {}

  @Operation('isAlive', 'The process lives', 'Answers as long as the process does.', { returns: Health, public: true })
  @Get('healthz')
  @Public()
  isAlive(): Health {
    return { status: 'ok' };
  }

  @Operation('isReady', 'The service can work', 'Answers 200 when the database answers.', {
    returns: Health,
    public: true,
    errors: [503],
  })
  @Get('readyz')
  @Public()
  async isReady(): Promise<Health> {
    await this.sql.query('select 1').catch(() => {
      throw new UnavailableError();
    });
    return { status: 'ok' };
  }
}

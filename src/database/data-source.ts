import pg from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import type { Config } from '../config/config.js';
import { ApiToken } from '../auth/api-token.entity.js';
import { Plan } from '../auth/plan.entity.js';
import { User } from '../auth/user.entity.js';
import { Space } from '../spaces/space.entity.js';
import { Tag } from '../tags/tag.entity.js';
import { Win } from '../wins/win.entity.js';
import { WinTag } from '../wins/win-tag.entity.js';
import { preparingDriver } from './prepared.js';
import { Initial1764000000000 } from './migrations/1764000000000-initial.js';

/** How the service's sessions are told from others in `pg_stat_activity`. */
export const APPLICATION_NAME = 'wins-tracker';

/** Milliseconds a request waits for a free connection, or for a row that another writer holds, before it is a 503. */
const WAIT = 3_000;

/** The settings that concern the database. */
export type DatabaseConfig = Pick<Config, 'DATABASE_POOL_SIZE' | 'PREPARED_STATEMENTS' | 'STATEMENT_TIMEOUT'>;

/** The data source of the service, its command line and TypeORM's own. Nothing is connected yet. */
export function createDataSource(url: string, config: DatabaseConfig): DataSource {
  return new DataSource({
    type: 'postgres',
    url,
    applicationName: APPLICATION_NAME,
    entities: [Plan, User, ApiToken, Space, Tag, Win, WinTag],
    migrations: [Initial1764000000000],
    migrationsTableName: 'migrations',
    synchronize: false,
    installExtensions: false,
    driver: config.PREPARED_STATEMENTS === 'on' ? preparingDriver : pg, // else TypeORM looks for a copy of its own
    logging: false,
    parseInt8: true,
    poolSize: config.DATABASE_POOL_SIZE,
    connectTimeoutMS: WAIT,
    extra: {
      keepAlive: true,
      pipeline: config.PREPARED_STATEMENTS === 'on',
      lock_timeout: WAIT,
      statement_timeout: config.STATEMENT_TIMEOUT,
      idle_in_transaction_session_timeout: config.STATEMENT_TIMEOUT,
    },
  } satisfies DataSourceOptions);
}

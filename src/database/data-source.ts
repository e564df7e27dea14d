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

/** The time a statement may take, in milliseconds: long enough for deleting a space with a million wins. */
const STATEMENT_TIMEOUT = 120_000;

/** The time a request waits for a free connection, in milliseconds, before it is answered 503. */
const CONNECTION_TIMEOUT = 5_000;

/** The data source of the service, its command line and TypeORM's own. Nothing is connected yet. */
export function createDataSource(
  url: string,
  config: Pick<Config, 'DATABASE_POOL_SIZE' | 'PREPARED_STATEMENTS'>,
): DataSource {
  return new DataSource({
    type: 'postgres',
    url,
    applicationName: APPLICATION_NAME,
    entities: [Plan, User, ApiToken, Space, Tag, Win, WinTag],
    migrations: [Initial1764000000000],
    migrationsTableName: 'migrations',
    synchronize: false,
    installExtensions: false,
    ...(config.PREPARED_STATEMENTS === 'on' && { driver: preparingDriver }),
    logging: false,
    parseInt8: true,
    poolSize: config.DATABASE_POOL_SIZE,
    connectTimeoutMS: CONNECTION_TIMEOUT,
    extra: {
      keepAlive: true,
      statement_timeout: STATEMENT_TIMEOUT,
      idle_in_transaction_session_timeout: STATEMENT_TIMEOUT,
    },
  } satisfies DataSourceOptions);
}

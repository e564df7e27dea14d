import pg from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import type { Config } from '../config/config.js';
import { Initial1764000000000 } from './migrations/1764000000000-initial.js';
import { Limits1764500000000 } from './migrations/1764500000000-limits.js';
import { preparingDriver, ServiceClient } from './prepared.js';
import { sessionOpener } from './session.js';

/** How the service's sessions are told from others in `pg_stat_activity`. */
export const APPLICATION_NAME = 'wins-tracker';

/** Milliseconds a request waits for a free connection, or for a row that another writer holds, before it is a 503. */
const WAIT = 3_000;

/** The settings that concern the database. */
export type DatabaseConfig = Pick<Config, 'DATABASE_POOL_SIZE' | 'PREPARED_STATEMENTS' | 'STATEMENT_TIMEOUT'>;

/**
 * A data source that isn't connected yet.
 *
 * @param entities only TypeORM's own commands need them; the service runs SQL
 */
export function createDataSource(
  url: string,
  config: DatabaseConfig,
  entities: NonNullable<DataSourceOptions['entities']> = [],
): DataSource {
  const isPreparing = config.PREPARED_STATEMENTS === 'on';
  const statement_timeout = config.STATEMENT_TIMEOUT;
  return new DataSource({
    type: 'postgres',
    url,
    applicationName: APPLICATION_NAME,
    entities,
    migrations: [Initial1764000000000, Limits1764500000000],
    migrationsTableName: 'migrations',
    synchronize: false,
    installExtensions: false,
    driver: isPreparing ? preparingDriver : pg, // the one of the service: of another copy of it, no error would be known
    logging: false,
    logger: 'debug', // whatever `logging` is, the others print failed migrations, and say nothing that the error does not
    parseInt8: true,
    poolSize: config.DATABASE_POOL_SIZE,
    connectTimeoutMS: WAIT,
    extra: {
      keepAlive: true,
      pipeline: isPreparing,
      statement_timeout,
      ...(!isPreparing && { Client: ServiceClient }),
      onConnect: sessionOpener(
        { statement_timeout, lock_timeout: WAIT, idle_in_transaction_session_timeout: statement_timeout },
        isPreparing,
      ),
    },
  } satisfies DataSourceOptions);
}

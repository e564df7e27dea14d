import pg from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import type { Config } from '../config/config.js';
import { Initial1764000000000 } from './migrations/1764000000000-initial.js';
import { Limits1764500000000 } from './migrations/1764500000000-limits.js';
import { Revisions1765000000000 } from './migrations/1765000000000-revisions.js';
import { Statistics1766000000000 } from './migrations/1766000000000-statistics.js';
import { Moves1767000000000 } from './migrations/1767000000000-moves.js';
import { CheaperTriggers1768000000000 } from './migrations/1768000000000-cheaper-triggers.js';
import { SpreadTriggers1769000000000 } from './migrations/1769000000000-spread-triggers.js';
import { preparingDriver, ServiceClient } from './prepared.js';
import { sessionOpener } from './session.js';

/** Identifies the service's sessions in `pg_stat_activity`. */
export const APPLICATION_NAME = 'wins-tracker';

/** Milliseconds that a request waits for a free connection or a locked row before it fails with a 503. */
export const WAIT = 3_000;

/** The same for a replica, which is only to make reads faster. */
const WAIT_FOR_REPLICA = 500;

export type DatabaseConfig = Pick<Config, 'DATABASE_POOL_SIZE' | 'PREPARED_STATEMENTS' | 'STATEMENT_TIMEOUT'>;

export interface DataSourceUse {
  /** Only for TypeORM's own commands; the service runs SQL. */
  entities?: NonNullable<DataSourceOptions['entities']>;
  /** Whether it only reads, so that the server may be a standby. */
  isReplica?: boolean;
}

/** Creates a data source, not yet connected. */
export function createDataSource(
  url: string,
  config: DatabaseConfig,
  { entities = [], isReplica = false }: DataSourceUse = {},
): DataSource {
  const isPreparing = config.PREPARED_STATEMENTS === 'on';
  const statement_timeout = config.STATEMENT_TIMEOUT;
  return new DataSource({
    type: 'postgres',
    url,
    applicationName: APPLICATION_NAME,
    entities,
    migrations: [
      Initial1764000000000,
      Limits1764500000000,
      Revisions1765000000000,
      Statistics1766000000000,
      Moves1767000000000,
      CheaperTriggers1768000000000,
      SpreadTriggers1769000000000,
    ],
    migrationsTableName: 'migrations',
    synchronize: false,
    installExtensions: false,
    driver: isPreparing ? preparingDriver : pg, // without it TypeORM may load another copy, whose errors are of other classes
    logging: false,
    logger: 'debug', // the others print failed migrations even without `logging`, and the error says as much
    parseInt8: true,
    poolSize: config.DATABASE_POOL_SIZE,
    connectTimeoutMS: isReplica ? WAIT_FOR_REPLICA : WAIT,
    extra: {
      keepAlive: true,
      pipeline: isPreparing,
      statement_timeout,
      ...(!isPreparing && { Client: ServiceClient }),
      onConnect: sessionOpener(
        { statement_timeout, lock_timeout: WAIT, idle_in_transaction_session_timeout: statement_timeout },
        isPreparing,
        isReplica,
      ),
    },
  } satisfies DataSourceOptions);
}

import pg, { Pool } from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import type { Config } from '../config/config.js';
import { Initial1764000000000 } from './migrations/1764000000000-initial.js';
import { Limits1764500000000 } from './migrations/1764500000000-limits.js';
import { Revisions1765000000000 } from './migrations/1765000000000-revisions.js';
import { Statistics1766000000000 } from './migrations/1766000000000-statistics.js';
import { Moves1767000000000 } from './migrations/1767000000000-moves.js';
import { CheaperTriggers1768000000000 } from './migrations/1768000000000-cheaper-triggers.js';
import { SpreadTriggers1769000000000 } from './migrations/1769000000000-spread-triggers.js';
import { preparingDriver, PreparingPool, ServiceClient } from './prepared.js';
import { sessionOpener } from './session.js';

/** Identifies the service's sessions in `pg_stat_activity`. */
export const APPLICATION_NAME = 'wins-tracker';

/** Milliseconds that a read waits for a replica, which is only there to make it faster. */
const WAIT_FOR_REPLICA = 500;

/** Milliseconds that a request waits for a free connection or a locked row before it fails with a 503. */
export const WAIT = 3_000;

export type DatabaseConfig = Pick<Config, 'DATABASE_POOL_SIZE' | 'PREPARED_STATEMENTS' | 'STATEMENT_TIMEOUT'>;

/**
 * Creates a data source, not yet connected.
 *
 * @param entities only for TypeORM's own commands; the service runs SQL
 */
export function createDataSource(
  url: string,
  config: DatabaseConfig,
  entities: NonNullable<DataSourceOptions['entities']> = [],
): DataSource {
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
    driver: isPreparing(config) ? preparingDriver : pg, // without it TypeORM may load another copy, whose errors are of other classes
    logging: false,
    logger: 'debug', // the others print failed migrations even without `logging`, and the error says as much
    parseInt8: true,
    poolSize: config.DATABASE_POOL_SIZE,
    connectTimeoutMS: WAIT,
    extra: sessionsOf(config),
  } satisfies DataSourceOptions);
}

/** Creates the pool of a replica, not yet connected. */
export function createReplicaPool(url: string, config: DatabaseConfig): Pool {
  const options = {
    connectionString: url,
    application_name: APPLICATION_NAME,
    max: config.DATABASE_POOL_SIZE,
    connectionTimeoutMillis: WAIT_FOR_REPLICA,
    ...sessionsOf(config, { lock_timeout: WAIT_FOR_REPLICA, mayBeStandby: true }),
  };
  const pool = isPreparing(config) ? new PreparingPool(options) : new Pool(options);
  return pool.on('error', () => undefined); // an idle session was lost
}

const isPreparing = ({ PREPARED_STATEMENTS }: DatabaseConfig) => PREPARED_STATEMENTS === 'on';

/** The options of a pool that say what its sessions are like. */
function sessionsOf(config: DatabaseConfig, { lock_timeout = WAIT, mayBeStandby = false } = {}) {
  const statement_timeout = config.STATEMENT_TIMEOUT;
  return {
    keepAlive: true,
    pipeline: isPreparing(config),
    statement_timeout,
    ...(!isPreparing(config) && { Client: ServiceClient }),
    onConnect: sessionOpener(
      { statement_timeout, lock_timeout, idle_in_transaction_session_timeout: statement_timeout },
      isPreparing(config),
      mayBeStandby,
    ),
  };
}

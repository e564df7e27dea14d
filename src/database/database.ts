import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { MigrationExecutor, type DataSource, type QueryRunner } from 'typeorm';
import type { Config } from '../config/config.js';
import { certificateAdvice } from '../config/database-url.js';
import { unlessAborted } from '../config/lifetime.js';
import { StartError } from '../config/start-error.js';
import { findCluster } from './cluster.js';
import { createDataSource, createReplicaPool } from './data-source.js';
import { startEmbedded } from './embedded.js';
import { translateDatabaseError, UnfitSessionError } from './errors.js';
import { checkTables, migrate, type Tell } from './migrate.js';
import { Replica, setReplica } from './replica.js';
import { checkSchema } from './schema.js';

/** A connected, migrated database. */
export interface Database {
  dataSource: DataSource;
  /**
   * Closes all connections, and stops the embedded server unless another process uses it. May be called again.
   *
   * @param isForced don't wait for running statements
   */
  close(isForced?: boolean): Promise<void>;
}

export interface Opening {
  /** `on` runs pending migrations, `off` fails if there are any, `ignored` doesn't check. By default as configured. */
  migrations?: 'on' | 'off' | 'ignored';
  /** Milliseconds to wait for a database that can't be reached; 0 if omitted. */
  patience?: number;
  /** Cancels opening. */
  signal?: AbortSignal;
  /** Called with progress messages for the operator. */
  tell?: Tell;
}

/** Milliseconds that connections get to close: if the server hangs, they never would. */
const CLOSE_TIMEOUT = 1_000;

/** Milliseconds between two attempts to connect. */
const RETRY_AFTER = 500;

/** SQLSTATEs that waiting can't change: wrong password, no such database. */
const PERMANENT = /^(28|3D)/;

/**
 * Connects to `DATABASE_URL`, or to the embedded server if it is unset, and migrates or checks the schema. A new embedded
 * database is only created if migrations are run.
 *
 * @throws StartError if the database can't be reached, is too old, has pending migrations that may not be run, or its
 *   schema differs from what the migrations create
 */
export async function openDatabase(config: Config, opening: Opening = {}): Promise<Database> {
  const { migrations = config.MIGRATIONS, signal } = opening;
  const embedded =
    config.DATABASE_URL === undefined
      ? await startEmbedded(config.DATA_DIR, { signal, mayCreate: migrations === 'on' })
      : undefined;
  const dataSource = createDataSource(embedded?.url ?? config.DATABASE_URL!, config);
  let closing: Promise<void> | undefined;
  const { DATABASE_REPLICA_URL } = config;
  const replica = DATABASE_REPLICA_URL === undefined ? undefined : createReplicaPool(DATABASE_REPLICA_URL, config);
  if (replica !== undefined) setReplica(dataSource, new Replica(replica, opening.tell));
  const disconnect = async () => {
    const closed = [replica?.end(), dataSource.isInitialized ? dataSource.destroy() : undefined];
    await Promise.race([Promise.all(closed), sleep(CLOSE_TIMEOUT, undefined, { ref: false })]);
  };
  const close = async (isForced = false) => {
    if (!isForced) await (closing ??= disconnect());
    await embedded?.stop();
  };
  try {
    const prepared = retryUnreachable(() => prepare(dataSource, migrations, opening.tell), dataSource, opening);
    await unlessAborted(prepared, signal);
  } catch (error) {
    await close(signal?.aborted);
    throw error;
  }
  return { dataSource, close };
}

async function prepare(dataSource: DataSource, migrations: Opening['migrations'], tell?: Tell): Promise<void> {
  if (!dataSource.isInitialized) await dataSource.initialize();
  const queryRunner = dataSource.createQueryRunner();
  try {
    await checkServer(queryRunner);
    await findCluster(dataSource, queryRunner);
    if (migrations === 'on') await migrate(dataSource, queryRunner, tell);
    if (migrations === 'off') await checkMigrations(dataSource, queryRunner);
    if (migrations === 'ignored') return;
    await checkTables(queryRunner);
    await checkSchema(dataSource, queryRunner);
  } finally {
    await queryRunner.release();
  }
}

/** Retries until the database can be reached, or the patience is used up. */
async function retryUnreachable(
  work: () => Promise<void>,
  dataSource: DataSource,
  { patience = 0, signal, tell }: Opening,
): Promise<void> {
  const deadline = Date.now() + patience;
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof StartError || (dataSource.isInitialized && !isUnreachable(error))) throw error;
      const explained = connectError(dataSource, error);
      if (!isUnreachable(error) || Date.now() >= deadline) throw explained;
      if (attempt === 1) tell?.(`Waiting for the database, at most ${patience / 1000} s: ${explained.message}`);
    }
    await sleep(RETRY_AFTER, undefined, { signal });
  }
}

/** Whether waiting can help. It doesn't for a standby or wrong settings. */
function isUnreachable(error: unknown): boolean {
  if (error instanceof UnfitSessionError) return false;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return translateDatabaseError(error)?.code === 'unavailable' && !PERMANENT.test(code);
}

function connectError(dataSource: DataSource, error: unknown): StartError {
  const { host, port, database } = new Client(
    'url' in dataSource.options ? { connectionString: dataSource.options.url } : {},
  );
  const reason = error instanceof Error ? error.message || ('code' in error && error.code) : error;
  const advice = certificateAdvice(error) ?? 'Check DATABASE_URL and that PostgreSQL is running there.';
  const what = `Can't use the database "${database}" at ${host}:${port}: ${reason}`;
  return new StartError(error instanceof UnfitSessionError ? what : `${what}. ${advice}`, {
    cause: error,
  });
}

async function checkServer(queryRunner: QueryRunner): Promise<void> {
  const [{ version, encoding }] = await queryRunner.manager.query<[{ version: number; encoding: string }]>(
    `select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding`,
  );
  if (version < 150_000) {
    const major = Math.trunc(version / 10_000);
    throw new StartError(
      `PostgreSQL 15 or newer is required, but this server is ${major}. Set DATABASE_URL to a newer one.`,
    );
  }
  if (encoding !== 'UTF8') {
    throw new StartError(
      `The database encoding must be UTF8, but is ${encoding}. ` +
        `Create a database with: create database wins template template0 encoding 'UTF8'`,
    );
  }
}

async function checkMigrations(dataSource: DataSource, queryRunner: QueryRunner): Promise<void> {
  const pending = await new MigrationExecutor(dataSource, queryRunner).getPendingMigrations();
  if (pending.length > 0) {
    const names = pending.map(({ name }) => name).join(', ');
    throw new StartError(
      `The database lacks migrations (${names}), or its user may not read the table "migrations". ` +
        `Run "node dist/cli.js migration run" first, or start the service with MIGRATIONS=on.`,
    );
  }
}

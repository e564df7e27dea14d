import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { MigrationExecutor, type DataSource, type QueryRunner } from 'typeorm';
import type { Config } from '../config/config.js';
import { certificateAdvice } from '../config/database-url.js';
import { unlessAborted } from '../config/lifetime.js';
import { StartError } from '../config/start-error.js';
import { createDataSource } from './data-source.js';
import { startEmbedded } from './embedded.js';
import { translateDatabaseError, UnfitSessionError } from './errors.js';
import { checkTables, migrate, type Tell } from './migrate.js';
import { checkSchema } from './schema.js';

/** A connected, migrated database, and how to let go of it. */
export interface Database {
  dataSource: DataSource;
  /**
   * Closes all connections and, where this process is the last to use it, stops the embedded server. May be called again.
   *
   * @param isForced does not wait for statements that still run
   */
  close(isForced?: boolean): Promise<void>;
}

/** How to open a database. */
export interface Opening {
  /** `on` runs pending migrations, `off` is refused while there are any, `ignored` does not look; else as configured. */
  migrations?: 'on' | 'off' | 'ignored';
  /** Milliseconds to wait for a database that can't be reached; none if left out. */
  patience?: number;
  /** Ends the waiting, and whatever else is under way. */
  signal?: AbortSignal;
  /** Is given lines for the operator, where something takes long. */
  tell?: Tell;
}

/** Milliseconds that connections get to close; where the server hangs, they never would. */
const PARTING = 1_000;

/** Milliseconds between two attempts to reach a database. */
const RETRY_AFTER = 500;

/** SQLSTATEs of a database that was reached and is not to be had: a wrong password, no such database. */
const REFUSED = /^(28|3D)/;

/**
 * Connects to `DATABASE_URL`, or starts the embedded server where there is none, and sees to the schema. Only who runs
 * migrations makes an embedded database that is not there yet.
 *
 * @throws StartError if the database can't be reached, is too old, lacks migrations that are not to run, or has another
 *   schema than its migrations make
 */
export async function openDatabase(config: Config, opening: Opening = {}): Promise<Database> {
  const { migrations = config.MIGRATIONS, signal } = opening;
  const embedded =
    config.DATABASE_URL === undefined
      ? await startEmbedded(config.DATA_DIR, { signal, mayCreate: migrations === 'on' })
      : undefined;
  const dataSource = createDataSource(embedded?.url ?? config.DATABASE_URL!, config);
  let parting: Promise<void> | undefined;
  const disconnect = async () => {
    if (dataSource.isInitialized) await Promise.race([dataSource.destroy(), sleep(PARTING, undefined, { ref: false })]);
  };
  const close = async (isForced = false) => {
    if (!isForced) await (parting ??= disconnect());
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
    if (migrations === 'on') await migrate(dataSource, queryRunner, tell);
    if (migrations === 'off') await checkMigrations(dataSource, queryRunner);
    if (migrations === 'ignored') return;
    await checkTables(queryRunner);
    await checkSchema(dataSource, queryRunner);
  } finally {
    await queryRunner.release();
  }
}

/** Does it again for as long as the database can't be reached and there is patience left. */
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
      const told = connectError(dataSource, error);
      if (!isUnreachable(error) || Date.now() >= deadline) throw told;
      if (attempt === 1) tell?.(`Waiting for the database, at most ${patience / 1000} s: ${told.message}`);
    }
    await sleep(RETRY_AFTER, undefined, { signal });
  }
}

/** Whether waiting can help: not for a standby, nor for what is set wrong. */
function isUnreachable(error: unknown): boolean {
  if (error instanceof UnfitSessionError) return false;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return translateDatabaseError(error)?.code === 'unavailable' && !REFUSED.test(code);
}

function connectError(dataSource: DataSource, error: unknown): StartError {
  const { host, port, database } = new Client(
    'url' in dataSource.options ? { connectionString: dataSource.options.url } : {},
  );
  const reason = error instanceof Error ? error.message || ('code' in error && error.code) : error;
  const advice = certificateAdvice(error) ?? 'Check DATABASE_URL and that PostgreSQL runs there.';
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
    throw new StartError(`PostgreSQL 15 or newer is needed, the server is ${major}. Set DATABASE_URL to a newer one.`);
  }
  if (encoding !== 'UTF8') {
    throw new StartError(
      `The database must have the encoding UTF8, it has ${encoding}. ` +
        `Make one with: create database wins template template0 encoding 'UTF8'`,
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

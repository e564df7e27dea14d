import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { MigrationExecutor, QueryFailedError, type DataSource, type QueryRunner } from 'typeorm';
import type { Config } from '../config/config.js';
import { certificateAdvice } from '../config/database-url.js';
import { StartError } from '../config/start-error.js';
import { createDataSource } from './data-source.js';
import { startEmbedded } from './embedded.js';

/** A connected, migrated database, and how to let go of it. */
export interface Database {
  dataSource: DataSource;
  /** Closes all connections and, where this process is the last to use it, stops the embedded server. */
  close(): Promise<void>;
}

/** Any number will do, as long as every instance of every version uses the same. */
const MIGRATION_LOCK = 7_846_301_942;

/** The SQLSTATE for what a database user lacks the right to do. */
const INSUFFICIENT_PRIVILEGE = '42501';

/** Milliseconds that connections get to close; where the server hangs, they never would. */
const PARTING = 1_000;

/**
 * Connects to `DATABASE_URL`, or starts the embedded server where there is none, and brings the schema up to date.
 *
 * @throws StartError if the database can't be reached, is too old or lacks migrations that it was told not to run
 */
export async function openDatabase(config: Config): Promise<Database> {
  const embedded = config.DATABASE_URL === undefined ? await startEmbedded(config.DATA_DIR) : undefined;
  const dataSource = createDataSource(embedded?.url ?? config.DATABASE_URL!, config);
  const close = async () => {
    if (dataSource.isInitialized) await Promise.race([dataSource.destroy(), sleep(PARTING, undefined, { ref: false })]);
    await embedded?.stop();
  };
  try {
    await connect(dataSource);
    const queryRunner = dataSource.createQueryRunner();
    try {
      await checkServer(queryRunner);
      if (config.MIGRATIONS === 'on') await migrate(dataSource, queryRunner);
      else await checkMigrations(dataSource, queryRunner);
    } finally {
      await queryRunner.release();
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { dataSource, close };
}

/**
 * Runs the pending migrations, all or none. Instances that start together wait for one another.
 *
 * @returns the names of the migrations that ran
 * @throws StartError if the database's user may not
 */
export async function migrate(dataSource: DataSource, queryRunner: QueryRunner): Promise<string[]> {
  await queryRunner.query('set statement_timeout = 0; set lock_timeout = 0');
  await queryRunner.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
  try {
    const executor = new MigrationExecutor(dataSource, queryRunner);
    executor.transaction = 'all';
    return (await executor.executePendingMigrations()).map(({ name }) => name);
  } catch (error) {
    if (!(error instanceof QueryFailedError) || error.driverError.code !== INSUFFICIENT_PRIVILEGE) throw error;
    throw new StartError(
      `The database's user may not bring the schema up to date: ${error.message}. ` +
        `It needs the right CREATE on the database and on the schema.`,
      { cause: error },
    );
  } finally {
    await queryRunner.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]);
    await queryRunner.query('reset statement_timeout; reset lock_timeout');
  }
}

async function connect(dataSource: DataSource): Promise<void> {
  try {
    await dataSource.initialize();
  } catch (error) {
    const { host, port, database } = new Client(
      'url' in dataSource.options ? { connectionString: dataSource.options.url } : {},
    );
    const reason = error instanceof Error ? error.message || ('code' in error && error.code) : error;
    const advice = certificateAdvice(error) ?? 'Check DATABASE_URL and that PostgreSQL runs there.';
    throw new StartError(`Can't use the database "${database}" at ${host}:${port}: ${reason}. ${advice}`, {
      cause: error,
    });
  }
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
        `Run "node dist/cli.js migration run" first, or set MIGRATIONS=on.`,
    );
  }
}

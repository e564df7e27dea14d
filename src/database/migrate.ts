import { MigrationExecutor, QueryFailedError, type DataSource, type QueryRunner } from 'typeorm';
import { StartError } from '../config/start-error.js';
import { adviceOn } from './errors.js';
import { SCHEMA } from './session.js';

/** Any number will do, as long as every instance of every version uses the same. */
export const MIGRATION_LOCK = 7_846_301_942;

/** Milliseconds after which an operator is told that migrations are still at work, or wait for something. */
const TELL_AFTER = 10_000;

/** What to do about a refusal of PostgreSQL's while the schema is brought up to date, by its SQLSTATE. */
const ADVICE: Record<string, string> = {
  '0A000': 'Install the contrib extensions btree_gin and pg_trgm on the server (package postgresql-contrib).',
  '25006': 'Set DATABASE_URL to a server that takes writes.',
  '42501': 'It needs the right CREATE on the database and on the schema, and must own its tables.',
  '42704':
    'PostgreSQL must be built with ICU, as the usual packages are, and its user must have the right USAGE on the schema of its extensions.',
  '58P01': 'Install the contrib extensions btree_gin and pg_trgm on the server (package postgresql-contrib).',
};

/** Takes a line for the operator. */
export type Tell = (line: string) => void;

/**
 * Runs the pending migrations, all or none. Instances that start together wait for one another. All is said to the
 * transaction, nothing to the session, which a pooler may give to others.
 *
 * @param tell is given a line for the operator, where it takes long
 * @returns the names of the migrations that ran
 * @throws StartError if the database refuses
 */
export async function migrate(
  dataSource: DataSource,
  queryRunner: QueryRunner,
  tell: Tell = console.error,
): Promise<string[]> {
  const waiting = setInterval(() => tell('Still at work on migrations, or waiting for a lock of others.'), TELL_AFTER);
  try {
    await queryRunner.startTransaction('READ COMMITTED');
    await queryRunner.query('set local statement_timeout = 0; set local lock_timeout = 0');
    await queryRunner.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    await chooseSchema(queryRunner);
    const executor = new MigrationExecutor(dataSource, queryRunner);
    executor.transaction = 'all';
    const ran = await executor.executePendingMigrations();
    await queryRunner.commitTransaction();
    return ran.map(({ name }) => name);
  } catch (error) {
    if (queryRunner.isTransactionActive) await queryRunner.rollbackTransaction().catch(() => undefined);
    if (!(error instanceof QueryFailedError)) throw error;
    const { driverError } = error;
    const advice =
      adviceOn(driverError) ?? ADVICE[String(driverError.code)] ?? 'Nothing was changed: mend that, and start again.';
    throw new StartError(`Can't bring the schema up to date: ${error.message}. ${advice}`, { cause: error });
  } finally {
    clearInterval(waiting);
  }
}

/** Makes tables where the others are, and finds the extensions in whatever schema they were installed. */
async function chooseSchema(queryRunner: QueryRunner): Promise<void> {
  const [{ schema, extensions, path }] = await queryRunner.manager.query<
    [{ schema: string | null; extensions: string[]; path: string }]
  >(`
    select ${SCHEMA} as schema, current_setting('search_path') as path,
      array(select distinct extnamespace::regnamespace::text from pg_extension
            where extname in ('btree_gin', 'pg_trgm')) as extensions`);
  if (schema === null) throw new StartError(`${noSchema(path)} To create them, name a schema that exists.`);
  const all = [...new Set([schema, ...extensions])].join(', ');
  await queryRunner.query(`select set_config('search_path', $1, true)`, [all]);
}

const noSchema = (path: string) =>
  `The search path (${path || 'it is empty'}) leads to no tables of the service. ` +
  `Run: alter role … set search_path = public, or whatever the schema of the tables is.`;

/** @throws StartError unless a session finds the tables */
export async function checkTables(queryRunner: QueryRunner): Promise<void> {
  const [{ isFound, path }] = await queryRunner.manager.query<[{ isFound: boolean; path: string }]>(
    `select to_regclass('win_tags') is not null as "isFound", current_setting('search_path') as path`,
  );
  if (!isFound) throw new StartError(noSchema(path));
}

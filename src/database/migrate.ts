import { MigrationExecutor, QueryFailedError, type DataSource, type QueryRunner } from 'typeorm';
import { StartError } from '../config/start-error.js';
import { ALLOW_TRIGGERS, clusterForms, schemaPrefix, isSpread } from './cluster.js';
import { adviceOn } from './errors.js';
import { SCHEMA } from './session.js';

/** An arbitrary number, but the same in every version. */
export const MIGRATION_LOCK = 7_846_301_942;

/** Milliseconds between two progress messages. */
const PROGRESS_INTERVAL = 10_000;

/** What to do about an error of a migration, by SQLSTATE. */
const ADVICE: Record<string, string> = {
  '0A000': 'Install the contrib extensions btree_gin and pg_trgm on the server (package postgresql-contrib).',
  '25006': 'Set DATABASE_URL to a server that accepts writes.',
  '42501': 'The database user needs the CREATE privilege on the database and the schema, and must own the tables.',
  '42704':
    'PostgreSQL must be built with ICU, as the usual packages are, and its user needs the USAGE privilege on the schema of the extensions.',
  '58P01': 'Install the contrib extensions btree_gin and pg_trgm on the server (package postgresql-contrib).',
};

/** Shows a message to the operator. */
export type Tell = (line: string) => void;

/**
 * Runs the pending migrations, all or none. Instances that start at the same time wait for each other. Settings and locks
 * are those of the transaction, never of the session, which a pooler may hand to others.
 *
 * @returns the names of the migrations that ran
 * @throws StartError if one fails
 */
export async function migrate(
  dataSource: DataSource,
  queryRunner: QueryRunner,
  tell: Tell = console.error,
): Promise<string[]> {
  const progress = setInterval(() => tell('Still running migrations, or waiting for a lock.'), PROGRESS_INTERVAL);
  try {
    await queryRunner.startTransaction('READ COMMITTED');
    await queryRunner.query('set local statement_timeout = 0; set local lock_timeout = 0');
    await queryRunner.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    await chooseSchema(queryRunner);
    const executor = new MigrationExecutor(dataSource, queryRunner);
    executor.transaction = 'all';
    if (isSpread(dataSource)) await queryRunner.query(ALLOW_TRIGGERS);
    const ran = await executor.executePendingMigrations();
    if (isSpread(dataSource) && ran.length > 0) await queryRunner.query(clusterForms(await schemaPrefix(queryRunner)));
    await queryRunner.commitTransaction();
    return ran.map(({ name }) => name);
  } catch (error) {
    if (queryRunner.isTransactionActive) await queryRunner.rollbackTransaction().catch(() => undefined);
    if (!(error instanceof QueryFailedError)) throw error;
    const { driverError } = error;
    const advice =
      adviceOn(driverError) ?? ADVICE[String(driverError.code)] ?? 'Nothing was changed. Fix this and start again.';
    throw new StartError(`Can't bring the schema up to date: ${error.message}. ${advice}`, { cause: error });
  } finally {
    clearInterval(progress);
  }
}

/** New tables go where the existing ones are. The extensions may be in any schema. */
async function chooseSchema(queryRunner: QueryRunner): Promise<void> {
  const [{ schema, extensions, path }] = await queryRunner.manager.query<
    [{ schema: string | null; extensions: string[]; path: string }]
  >(`
    select ${SCHEMA} as schema, current_setting('search_path') as path,
      array(select distinct extnamespace::regnamespace::text from pg_extension
            where extname in ('btree_gin', 'pg_trgm')) as extensions`);
  if (schema === null) throw new StartError(`${noSchema(path)} To create them, use a schema that exists.`);
  const all = [...new Set([schema, ...extensions])].join(', ');
  await queryRunner.query(`select set_config('search_path', $1, true)`, [all]);
}

const noSchema = (path: string) =>
  `The service's tables are not on the search path (${path || 'it is empty'}). ` +
  `Run: alter role … set search_path = public, or whichever schema has the tables.`;

/** @throws StartError unless the tables are on the search path */
export async function checkTables(queryRunner: QueryRunner): Promise<void> {
  const [{ isFound, path }] = await queryRunner.manager.query<[{ isFound: boolean; path: string }]>(
    `select to_regclass('win_tags') is not null as "isFound", current_setting('search_path') as path`,
  );
  if (!isFound) throw new StartError(noSchema(path));
}

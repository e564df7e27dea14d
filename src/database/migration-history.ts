import { MigrationExecutor, type DataSource, type QueryRunner } from 'typeorm';
import { StartError } from '../config/start-error.js';
import { MIGRATION_LOCK } from './migrate.js';

/** What reverting the last migration would drop. */
export interface Preview {
  /** The name of the migration. */
  name: string;
  /** Tables with their number of rows, and columns of tables that remain. */
  losses: string[];
}

export interface KnownMigration {
  /** `unknown` is one of a newer version. */
  state: 'done' | 'pending' | 'unknown';
  name: string;
}

/** Every migration of the database and of this program, oldest first. */
export async function listMigrations(dataSource: DataSource, queryRunner?: QueryRunner): Promise<KnownMigration[]> {
  const executor = new MigrationExecutor(dataSource, queryRunner);
  const known = new Set(dataSource.migrations.map(({ name, constructor }) => name ?? constructor.name));
  const done = await executor.getExecutedMigrations();
  const pending = await executor.getPendingMigrations();
  return [
    ...done.map(({ name, timestamp }) => ({ state: known.has(name) ? 'done' : 'unknown', name, timestamp }) as const),
    ...pending.map(({ name, timestamp }) => ({ state: 'pending', name, timestamp }) as const),
  ]
    .toSorted((a, b) => a.timestamp - b.timestamp)
    .map(({ state, name }) => ({ state, name }));
}

/**
 * Finds out what reverting the last migration would drop, by reverting it in a transaction that is rolled back. This
 * briefly locks what it drops.
 *
 * @throws StartError if there is none, or it belongs to a newer version
 */
export async function previewRevert(dataSource: DataSource): Promise<Preview> {
  return inTransaction(dataSource, 'rollback', async (queryRunner) => {
    const before = await columnsByTable(queryRunner);
    await queryRunner.query('savepoint before_revert');
    const name = await undoLast(dataSource, queryRunner);
    const after = await columnsByTable(queryRunner);
    await queryRunner.query('rollback to before_revert');

    const losses: string[] = [];
    for (const [table, columns] of before) {
      const left = after.get(table);
      if (left === undefined) losses.push(`the table ${table} (${await countRows(queryRunner, table)})`);
      else losses.push(...columns.filter((one) => !left.includes(one)).map((one) => `the column ${table}.${one}`));
    }
    return { name, losses };
  });
}

/** Reverts the last migration, all or nothing. @throws StartError unless it is still the one of this name */
export async function revert(dataSource: DataSource, name: string): Promise<void> {
  await inTransaction(dataSource, 'commit', async (queryRunner) => {
    const reverted = await undoLast(dataSource, queryRunner);
    if (reverted !== name) throw new StartError(`Nothing was changed: the last migration is now ${reverted}.`);
  });
}

/** Runs statements while no other process migrates. They may take any time, but waiting for a lock times out. */
async function inTransaction<Result>(
  dataSource: DataSource,
  end: 'commit' | 'rollback',
  work: (queryRunner: QueryRunner) => Promise<Result>,
): Promise<Result> {
  const queryRunner = dataSource.createQueryRunner();
  try {
    await queryRunner.startTransaction();
    await queryRunner.query('set local statement_timeout = 0');
    await queryRunner.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    const result = await work(queryRunner);
    if (end === 'commit') await queryRunner.commitTransaction();
    return result;
  } finally {
    if (queryRunner.isTransactionActive) await queryRunner.rollbackTransaction().catch(() => undefined);
    await queryRunner.release();
  }
}

/** @returns the name of the migration it has undone */
async function undoLast(dataSource: DataSource, queryRunner: QueryRunner): Promise<string> {
  const last = (await listMigrations(dataSource, queryRunner)).filter(({ state }) => state !== 'pending').at(-1);
  if (last === undefined) throw new StartError('There is no migration to revert.');
  if (last.state === 'unknown') {
    throw new StartError(`The last migration is ${last.name}, of a newer version: only that version can revert it.`);
  }
  await new MigrationExecutor(dataSource, queryRunner).undoLastMigration();
  return last.name;
}

/** The columns of each table in the service's schema. */
async function columnsByTable(queryRunner: QueryRunner): Promise<Map<string, string[]>> {
  const rows = await queryRunner.manager.query<{ name: string; columns: string[] }[]>(`
    select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace
    group by c.relname order by c.relname`);
  return new Map(rows.map(({ name, columns }) => [name, columns]));
}

async function countRows(queryRunner: QueryRunner, table: string): Promise<string> {
  const text = `select count(*) as count from "${table}"`;
  const [{ count }] = await queryRunner.manager.query<[{ count: number }]>(text);
  return count === 1 ? '1 row' : `${count} rows`;
}

import { randomUUID } from 'node:crypto';
import { CLUSTER, createSpread, databaseAt, dropSpread } from './cluster.js';
import { queryOnce } from './query-once.js';

/** A database on the run's server, or on its cluster, that no other test meets. */
export interface FreshDatabase {
  url: string;
  /** Runs one statement on a connection of its own. */
  query<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
  /** Ends every session with it; one that is gone already stays so. */
  drop(): Promise<void>;
}

/** For what belongs to a whole database, such as its time zone. @param settings its defaults for every session */
export async function createDatabase(settings: Record<string, string> = {}): Promise<FreshDatabase> {
  const server = process.env.TEST_DATABASE_URL!;
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  if (CLUSTER === undefined) await queryOnce(server, `create database ${name}`);
  else await createSpread(CLUSTER, name);
  for (const [setting, value] of Object.entries(settings)) {
    await queryOnce(server, `alter database ${name} set ${setting} = '${value}'`);
  }
  const url = databaseAt(server, name);
  return {
    url,
    query: (text, values) => queryOnce(url, text, values),
    async drop() {
      await dropSpread(CLUSTER ?? [server], name);
    },
  };
}

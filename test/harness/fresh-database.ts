import { randomUUID } from 'node:crypto';
import { Client } from 'pg';

/** A database on the run's server that no other test meets. */
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
  await queryOnce(server, `create database ${name}`);
  for (const [setting, value] of Object.entries(settings)) {
    await queryOnce(server, `alter database ${name} set ${setting} = '${value}'`);
  }
  const url = Object.assign(new URL(server), { pathname: name }).href;
  return {
    url,
    query: (text, values) => queryOnce(url, text, values),
    async drop() {
      await queryOnce(server, `drop database if exists ${name} with (force)`);
    },
  };
}

async function queryOnce<Row extends object>(url: string, text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { Client } from 'pg';
import { Container } from './container.js';
import { startNginx, type Nginx } from './nginx.js';
import { startPgBouncer } from './pgbouncer.js';
import { freePort } from './ports.js';
import { MAIN, Process } from './processes.js';
import { startRedis } from './redis.js';

/** What stands around the service while an API test runs against it as a process of its own. */
export interface Surroundings {
  /** Settings of the service, as environment variables; they go before those of a test. */
  settings?: NodeJS.ProcessEnv;
  /** What clients call, where something stands before the service. */
  front?: (url: string) => Promise<string>;
  /** How the service is started, where that is not `node dist/main.js`. */
  start?: (env: NodeJS.ProcessEnv) => Promise<Process>;
  /** Ends what was started. */
  close?: () => Promise<void>;
}

/** Sets of surroundings by the value of `TEST_SURROUNDINGS`; without it the service runs in the process of the tests. */
const SURROUNDINGS: Record<string, (databaseUrl: string) => Promise<Surroundings>> = {
  built: async () => ({}),
  unprepared: async () => ({ settings: { PREPARED_STATEMENTS: 'off' } }),
  redis: withRedis,
  'pgbouncer-session': (databaseUrl) => withPgBouncer(databaseUrl, 'session'),
  'pgbouncer-transaction': (databaseUrl) => withPgBouncer(databaseUrl, 'transaction', { PREPARED_STATEMENTS: 'off' }),
  nginx: withNginx,
  image: withImage,
};

/**
 * The surroundings that `TEST_SURROUNDINGS` names, ready to be used.
 *
 * @param databaseUrl of the database that the service is to use
 * @returns `undefined` where it names none
 */
export async function openSurroundings(databaseUrl: string): Promise<Surroundings | undefined> {
  const { TEST_SURROUNDINGS: name } = process.env;
  if (name === undefined) return undefined;
  const open = SURROUNDINGS[name];
  if (open === undefined) throw new Error(`TEST_SURROUNDINGS must be one of ${Object.keys(SURROUNDINGS).join(', ')}`);
  return open(databaseUrl);
}

/** Starts the built service. It has none of the environment of the tests but `PATH`, and reads no file `.env`. */
export async function startBuilt(env: NodeJS.ProcessEnv): Promise<Process> {
  return new Process(process.execPath, [MAIN], env, tmpdir());
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

async function withRedis(): Promise<Surroundings> {
  const port = await freePort();
  const redis = await startRedis(port);
  return { settings: { REDIS_URL: `redis://127.0.0.1:${port}` }, close: () => end(redis) };
}

async function withPgBouncer(
  databaseUrl: string,
  mode: 'session' | 'transaction',
  settings: NodeJS.ProcessEnv = {},
): Promise<Surroundings> {
  // Where sessions are shared, the service can't set its time-outs; docs/operations.md says how an operator does.
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`
    alter role current_user set statement_timeout = '10s';
    alter role current_user set lock_timeout = '3s';
    alter role current_user set idle_in_transaction_session_timeout = '10s'`);
  await client.end();
  const pooler = await startPgBouncer({ databaseUrl, mode });
  return { settings: { ...settings, DATABASE_URL: pooler.url }, close: () => pooler.stop() };
}

async function withNginx(): Promise<Surroundings> {
  let nginx: Nginx | undefined;
  return {
    settings: { TRUST_PROXY: '127.0.0.1' },
    front: async (url) => (nginx = await startNginx(url)).url,
    close: async () => nginx?.stop(),
  };
}

/** The image as `npm run test:image` built it. */
async function withImage(): Promise<Surroundings> {
  return { start: (env) => Container.start(['node', 'dist/main.js'], env) };
}

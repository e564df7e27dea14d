import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { loadConfig } from '../src/config/config.js';
import { openDatabase } from '../src/database/database.js';
import { startEmbedded } from '../src/database/embedded.js';
import type { Defer } from './cleanup.js';

/** A PostgreSQL of the benchmark's own, in a folder that is deleted afterwards. @returns where it is */
export async function startDatabase(defer: Defer): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'wins-bench-'));
  defer(() => rm(folder, { recursive: true, force: true }));
  const { url, stop } = await startEmbedded(folder);
  defer(stop);
  return url;
}

/** Brings a database to the service's schema, as the service does it, and opens a session on it. */
export async function openMigrated(url: string, defer: Defer): Promise<Client> {
  const database = await openDatabase(loadConfig({ DATABASE_URL: url, DATABASE_POOL_SIZE: '1' }));
  await database.close();
  const client = new Client({ connectionString: url });
  await client.connect();
  defer(() => client.end());
  return client;
}

/** Waits until the contenders did what was still asked of them: it would take time from the next one. */
export async function quiet(client: Client): Promise<void> {
  const text = `
    select count(*)::int as busy from pg_stat_activity
    where backend_type = 'client backend' and state <> 'idle' and pid <> pg_backend_pid()`;
  for (let idle = 0; idle < 3;) {
    await sleep(10);
    const { rows } = await client.query<{ busy: number }>(text);
    idle = rows[0]!.busy === 0 ? idle + 1 : 0;
  }
}

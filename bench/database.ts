import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

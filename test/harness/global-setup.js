import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../build/config/config.js';
import { openDatabase } from '../../build/database/database.js';

/**
 * One PostgreSQL for the whole run, or the one that TEST_DATABASE_URL names. Every test makes users of its own, so
 * nothing is ever emptied and the order does not matter.
 */
export default async function setUp() {
  const folder = await mkdtemp(join(tmpdir(), 'wins-test-'));
  const { TEST_DATABASE_URL: url } = process.env;
  const database = await openDatabase({
    ...loadConfig({ DATABASE_URL: url, DATA_DIR: folder }),
    DATABASE_POOL_SIZE: 1,
  });
  process.env.TEST_DATABASE_URL = database.dataSource.options.url;
  globalThis.tearDown = async () => {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  };
}

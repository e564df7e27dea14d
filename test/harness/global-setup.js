import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tsImport } from 'tsx/esm/api';

// Jest transforms the tests, but not what sets them up; from the sources, `npm test` needs no build.
const { loadConfig } = await tsImport('../../src/config/config.ts', import.meta.url);
const { openDatabase } = await tsImport('../../src/database/database.ts', import.meta.url);
const { CLUSTER, checkTasks, createSpread, dropSpread } = await tsImport('./cluster.ts', import.meta.url);

/**
 * One PostgreSQL for the whole run, or the one that TEST_DATABASE_URL names, or the cluster that TEST_CITUS_NODES does.
 * Every test creates its own users, so nothing is ever emptied and the order does not matter.
 */
export default async function setUp() {
  if (CLUSTER !== undefined) {
    const name = 'test_spread';
    process.env.TEST_DATABASE_URL = await createSpread(CLUSTER, name);
    globalThis.tearDown = async () => {
      await dropSpread(CLUSTER, name);
      await checkTasks();
    };
    return;
  }
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

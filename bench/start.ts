import { parseArgs } from 'node:util';
import type { Client } from 'pg';
import { withCleanup } from './cleanup.js';
import { SERVICE_NAMES, SERVICES, start, statusOf, type Service } from './contenders.js';
import { openMigrated, startDatabase } from './database.js';
import { median, ratio, show } from './numbers.js';
import { circumstances, report, table } from './report.js';
import { seedPerson } from './seed.js';

/** Measures the time from the start of a process to its first answers (README.md). */

const { values } = parseArgs({
  options: { rounds: { type: 'string' }, quick: { type: 'boolean', default: false } },
});
const rounds = Number(values.rounds ?? (values.quick ? 3 : 10));

/** Milliseconds from the start of the process to the first 200 of `/healthz` and of a list. */
interface Times {
  alive: number[];
  list: number[];
}

await withCleanup(async (defer) => {
  const url = await startDatabase(defer);
  const client = await openMigrated(url, defer);
  const { token } = await seedPerson(client, 'measured', { tags: 100, spaces: 3, wins: 1000, tagsPerWin: 3 });
  await client.query('vacuum analyze');

  const times: Record<Service, Times> = {
    ours: { alive: [], list: [] },
    'fastify-pg': { alive: [], list: [] },
    'nest-typeorm': { alive: [], list: [] },
  };
  const measure = async (name: Service, keep: boolean) => {
    const begin = performance.now();
    const contender = await start(SERVICES[name], { DATABASE_URL: url });
    const alive = performance.now() - begin;
    const status = await statusOf(`${contender.url}/api/v1/tags`, { authorization: `Bearer ${token}` });
    const list = performance.now() - begin;
    await contender.stop();
    if (status !== 200) throw new Error(`${name} answered its first list ${status}`);
    if (!keep) return;
    times[name].alive.push(alive);
    times[name].list.push(list);
  };
  for (const name of SERVICE_NAMES) await measure(name, false); // fills the file system's cache
  for (let round = 0; round < rounds; round++) {
    for (const name of SERVICE_NAMES) await measure(name, true);
  }
  await report('start', await describe(client, times), !values.quick);
});

async function describe(client: Client, times: Record<Service, Times>): Promise<string> {
  const row = (title: string, field: keyof Times) => {
    const [ours, fastify, nest] = SERVICE_NAMES.map((name) => median(times[name][field]));
    return [title, show(ours!), show(fastify!), show(nest!), ratio(ours!, fastify!), ratio(ours!, nest!)];
  };
  return `
## Start

${await circumstances(client)}
- Medians of ${rounds} interleaved starts on a migrated database, in milliseconds from the start of the process.

${table(
  ['First 200 of', ...SERVICE_NAMES, 'ours : fastify-pg', 'ours : nest-typeorm'],
  [row('`/healthz`', 'alive'), row('`/api/v1/tags`', 'list')],
)}
`.trim();
}

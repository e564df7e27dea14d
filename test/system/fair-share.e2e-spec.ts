import { setTimeout as sleep } from 'node:timers/promises';
import { startApp, type TestApp } from '../harness/app.js';
import type { Person } from '../harness/factories.js';

const TAGS = 300_000;
const LARGE_WINS = 5_000;

/** How many times as long as without a heavy neighbour a read may take, by the median. */
const MAX_RATIO = 3;
const READS = 150;

import.meta.jest.setTimeout(300_000);

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** Reads as somebody with a few rows does, one after the other. @returns milliseconds of each, and all statuses */
async function readAs(person: Person): Promise<{ times: number[]; statuses: Set<number> }> {
  const times: number[] = [];
  const statuses = new Set<number>();
  const paths = ['/api/v1/tags', '/api/v1/spaces', '/api/v1/wins', '/api/v1/me'];
  for (let n = 0; n < READS; n++) {
    const start = performance.now();
    statuses.add((await app.as(person).get(paths[n % paths.length]!)).status);
    times.push(performance.now() - start);
    await sleep(2);
  }
  return { times, statuses };
}

async function someone(): Promise<Person> {
  const person = await app.make.person();
  const space = (await app.as(person).post<{ id: number }>('/api/v1/spaces', { space: { name: 'Home' } })).body;
  await app.make.wins(person, space.id, { count: 50 });
  return person;
}

/** @param ask what a connection of the heavy user does, over and over; is given its number and how often it was done */
async function compare(connections: number, ask: (connection: number, n: number) => Promise<unknown>): Promise<void> {
  const other = await someone();
  await readAs(other); // what is prepared once is not measured
  const control = await readAs(other);
  const end = new AbortController();
  const load = Array.from({ length: connections }, async (_, connection) => {
    for (let n = 0; !end.signal.aborted; n++) await ask(connection, n);
  });
  await sleep(1_000);
  const beside = await readAs(other);
  end.abort();
  await Promise.all(load);
  const after = await readAs(other);
  const calm = Math.max(median(control.times), median(after.times));
  expect([...beside.statuses]).toEqual([200]);
  expect(median(beside.times) / calm).toBeLessThan(MAX_RATIO);
}

describe('Another user keeps her time beside one', () => {
  it('who lists 300,000 tags', async () => {
    const heavy = await app.make.person();
    await app.dataSource.transaction(async (manager) => {
      await manager.query('set local statement_timeout = 0');
      await manager.query('alter table tags disable trigger user'); // none of the limits is what is tested here
      await manager.query(`insert into tags (user_id, name) select $1, 'Tag ' || n from generate_series(1, $2) n`, [
        heavy.id,
        TAGS,
      ]);
      await manager.query('alter table tags enable trigger user');
    });
    await app.dataSource.query('analyze tags');
    const pages = TAGS / 100;
    await compare(8, (connection, n) => {
      const page = 1 + ((connection * 401 + n * 37) % pages);
      return app.as(heavy).get(`/api/v1/tags?per_page=100&page=${n % 2 ? page : 1 + (n % 10)}`);
    });
  });

  it('who searches 5,000 large wins', async () => {
    const heavy = await someone();
    const [space] = (await app.as(heavy).get<{ id: number }[]>('/api/v1/spaces')).body;
    await app.dataSource.transaction(async (manager) => {
      await manager.query('set local statement_timeout = 0');
      await manager.query(
        `insert into wins (user_id, space_id, body, occurred_on)
         select $1, $2, repeat(repeat('a', 197) || 'b ', 50), '2026-01-31' from generate_series(1, $3) n`,
        [heavy.id, space!.id, LARGE_WINS],
      );
    });
    await compare(12, () => app.as(heavy).get(`/api/v1/wins?q=${'a'.repeat(199)}b`));
  });
});

import { writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Client } from 'pg';
import { withCleanup, type Defer } from './cleanup.js';
import { SERVICES, start, type Contender } from './contenders.js';
import { openMigrated, startDatabase } from './database.js';
import { median, percentile, ratio, show } from './numbers.js';
import { plot, type Series } from './plot.js';
import { circumstances, report, table } from './report.js';
import { seedPerson, seedUsers, withoutSearchIndex, type Amounts } from './seed.js';

/** Measures what a list costs as there is more of everything (README.md). */

const CROWD = { tags: 10, spaces: 2, wins: 5, tagsPerWin: 2 };
const PERSON = { tags: 100, spaces: 3, wins: 1000, tagsPerWin: 3 };

/** One measured list: a user of some size and a path. */
interface Point {
  axis: string;
  size: number;
  list: string;
  url: string;
  token: string;
  path: string;
  times: number[];
}

const { values } = parseArgs({
  options: { rounds: { type: 'string' }, quick: { type: 'boolean', default: false } },
});
const rounds = Number(values.rounds ?? (values.quick ? 300 : 3000));
const warmUp = Math.ceil(rounds / 10);
const winSizes = values.quick ? [10, 100, 1000, 10_000] : [10, 1000, 100_000, 1_000_000];
const userSizes = values.quick ? [100, 1000] : [1000, 100_000];
const tagSizes = values.quick ? [100, 300, 1000] : [100, 1000, 10_000];

await withCleanup(async (defer) => {
  const url = await startDatabase(defer);
  const few = await openMigrated(url, defer);
  await few.query('create database many');
  const many = await openMigrated(Object.assign(new URL(url), { pathname: '/many' }).href, defer);
  const services = [
    await serve(url, defer),
    await serve(Object.assign(new URL(url), { pathname: '/many' }).href, defer),
  ];

  const points: Point[] = [];
  const add = async (axis: string, size: number, database: 0 | 1, amounts: Amounts, lists: [string, string][]) => {
    console.log(`Seeding: ${axis} ${size}`);
    const { token } = await seedPerson([few, many][database]!, `${axis}-${size}-`.replaceAll(' ', '-'), amounts);
    const at = services[database]!.url;
    for (const [list, path] of lists) points.push({ axis, size, list, url: at, token, path, times: [] });
  };
  const lists: [string, string][] = [
    ['tags', '/api/v1/tags'],
    ['spaces', '/api/v1/spaces'],
  ];
  await withoutSearchIndex(few, async () => {
    await seedUsers(few, { prefix: 'crowd', count: userSizes[0]!, plan: 'free' }, CROWD);
    for (const wins of winSizes) await add('wins of the user', wins, 0, { ...PERSON, wins }, lists);
    for (const tags of tagSizes) {
      await add('tags of the user', tags, 0, { ...PERSON, tags }, [
        ['tags, first page', '/api/v1/tags'],
        ['tags, last page', `/api/v1/tags?page=${Math.ceil(tags / 25)}`],
        ['tags, last page by cursor', '/api/v1/tags?after='],
      ]);
      const byCursor = points.at(-1)!;
      byCursor.path += await lastCursor(byCursor);
    }
    await add('users', userSizes[0]!, 0, PERSON, lists);
  });
  await withoutSearchIndex(many, async () => {
    await seedUsers(many, { prefix: 'crowd', count: userSizes[1]!, plan: 'free' }, CROWD);
    await add('users', userSizes[1]!, 1, PERSON, lists);
  });
  for (const client of [few, many]) {
    await client.query('vacuum analyze');
    await client.query('checkpoint');
  }

  console.log('Measuring');
  const axes = [...new Set(points.map(({ axis }) => axis))];
  for (const axis of axes) await measure(points.filter((point) => point.axis === axis));
  const sizes = values.quick ? ' (quick: smaller sizes)' : '';
  await report('growth', await describe(few, points, sizes), !values.quick);
  if (!values.quick)
    await writeFile(join('bench', 'growth.svg'), plot('Median milliseconds of a list', series(points)));
});

/** @returns where the last page begins, after going from cursor to cursor from the first page on */
async function lastCursor({ url, path, token }: Point): Promise<string> {
  for (let last = '', next: string | null = ''; ; last = next) {
    const answer: Response = await fetch(url + path + next, { headers: { authorization: `Bearer ${token}` } });
    await answer.body?.cancel();
    next = answer.headers.get('x-next-cursor');
    if (next === null) return last;
  }
}

async function serve(url: string, defer: Defer): Promise<Contender> {
  const service = await start(SERVICES.ours, { DATABASE_URL: url });
  defer(service.stop);
  return service;
}

/**
 * One request after the other, to each point in turn, so that noise hits all alike. The sizes of a list follow each
 * other: where they are on two databases, each request is the first after one to the other service.
 */
async function measure(points: Point[]): Promise<void> {
  const order = points.toSorted((a, b) => a.list.localeCompare(b.list) || a.size - b.size);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let round = 0; round < warmUp + rounds; round++) {
    for (const point of round % 2 === 0 ? order : order.toReversed()) {
      const time = await timeOf(point, agent);
      if (round >= warmUp) point.times.push(time);
    }
  }
  for (const { times } of points) times.sort((a, b) => a - b);
  agent.destroy();
}

function timeOf({ url, path, token }: Point, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const begin = performance.now();
    get(url + path, { agent, headers: { authorization: `Bearer ${token}` } }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`${path} was answered ${answer.statusCode}`));
      answer.resume().on('end', () => resolve(performance.now() - begin));
    }).on('error', reject);
  });
}

function series(points: Point[]): Series[] {
  const names = [...new Set(points.map(({ axis, list }) => `${list}, by ${axis}`))];
  return names.map((name) => ({
    name,
    points: points
      .filter(({ axis, list }) => `${list}, by ${axis}` === name)
      .map(({ size, times }) => ({ x: size, y: median(times) })),
  }));
}

async function describe(client: Client, points: Point[], note: string): Promise<string> {
  const smallest = ({ axis, list }: Point) => points.find((point) => point.axis === axis && point.list === list)!;
  return `
## Growth${note}

${await circumstances(client)}
- ${rounds} requests to each, one after the other and in turn; milliseconds as the client sees them. The last column is
  the median divided by that of the smallest.

${table(
  ['List', 'By', 'Size', 'Median', 'p99', 'Growth'],
  points.map((point) => [
    point.list,
    point.axis,
    point.size.toLocaleString('en'),
    show(median(point.times)),
    show(percentile(point.times, 0.99)),
    ratio(median(point.times), median(smallest(point).times)),
  ]),
)}

![Median milliseconds of a list by the size of what is there](growth.svg)
`.trim();
}

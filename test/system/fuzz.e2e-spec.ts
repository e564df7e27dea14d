import { randomInt } from 'node:crypto';
import * as fc from 'fast-check';
import { loadConfig } from '../../src/config/config.js';
import { openDatabase, type Database } from '../../src/database/database.js';
import { document } from '../harness/document.js';
import { freePort } from '../harness/ports.js';
import { Workshop, type Service } from '../harness/processes.js';
import { until } from '../harness/until.js';
import { request } from './fuzz/requests.js';
import { pipeline, wire } from './fuzz/wire.js';
import { World } from './fuzz/world.js';

/** A quick run, unless the environment says how many requests are wanted. */
const QUICK = 5000;
const COUNT = Number(process.env.FUZZ_REQUESTS ?? QUICK);

/** One seed makes the same requests again. A quick run always makes the same; a longer one looks for new ones. */
const SEED = Number(process.env.FUZZ_SEED ?? (COUNT <= QUICK ? 1 : randomInt(2 ** 31)));

/** So many connections send at a time. */
const LANES = 8;

/** Milliseconds that a request may take on average, on a machine that is busy with other things. */
const PACE = 100;

const POOL_SIZE = 10;

/** The service's listener, and what this file keeps open for its own questions. */
const OTHER_CONNECTIONS = 10;

/** Answers that no single request can be made to get, or that only some operations were sent. */
const RARE = ['409', '410', '412', '413', '415', '429', '500', '503'];

const workshop = new Workshop();
let database: Database;
let server: Service;
let metricsUrl: string;
let world: World;
let before: object;
let failure: unknown;

beforeAll(
  async () => {
    const { url } = await workshop.database();
    database = await openDatabase({ ...loadConfig({ DATABASE_URL: url }), DATABASE_POOL_SIZE: 1 });
    const metricsPort = String(await freePort());
    metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`;
    server = await workshop.serve({
      NODE_ENV: 'production',
      DATABASE_URL: url,
      DATABASE_POOL_SIZE: String(POOL_SIZE),
      RATE_LIMIT_PER_MINUTE: '0',
      METRICS_PORT: metricsPort,
      LOG_LEVEL: 'warn',
    });
    world = new World(server, database.dataSource);
    await world.populate();
    before = await world.rowsOfBystander();
    failure = await sendAll().catch((error: unknown) => error);
  },
  60_000 + COUNT * PACE,
);

afterAll(async () => {
  await database?.close();
  await workshop.clean();
});

/** What is sent over one connection. */
const sent = fc.oneof(
  { weight: 20, arbitrary: fc.record({ requests: fc.tuple(request) }) },
  { weight: 1, arbitrary: fc.record({ requests: pipeline }) },
  { weight: 2, arbitrary: fc.record({ wire }) },
);

/** Sends everything. @throws the first failure, with the least request that fails in the same way */
async function sendAll(): Promise<void> {
  process.stdout.write(`FUZZ_REQUESTS=${COUNT} FUZZ_SEED=${SEED}\n`);
  let failed: number | undefined;
  const send = async (lane: number) => {
    const property = fc.asyncProperty(sent, async (one) => {
      if (failed !== undefined && failed !== lane) return;
      try {
        await ('wire' in one ? world.sendWire(one.wire) : world.send(one.requests));
      } catch (error) {
        failed ??= lane;
        if (failed === lane) throw error; // what fails elsewhere meanwhile would be reported first, and not shrunk
      }
    });
    await fc.assert(property, { seed: SEED + lane, numRuns: Math.ceil(COUNT / LANES) });
  };
  await Promise.all(Array.from({ length: LANES }, (_, lane) => send(lane)));
}

/** A figure of the service about itself. */
async function metric(name: string): Promise<number> {
  const text = await (await fetch(metricsUrl)).text();
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `));
  return Number(line?.split(' ').at(-1));
}

const read = async <Row>(sql: string) => database.dataSource.query<Row[]>(sql);

describe(`after ${COUNT} requests of every kind, the service`, () => {
  it('has answered each as the document says and as its sender may be answered', () => {
    if (failure !== undefined) throw failure;
  });

  // Which operation meets which row depends on what the other connections did first, so answers are looked for over all.
  it('was asked for every operation, and gave every answer that a request can bring about', () => {
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
    const statuses = new Set(operations.flatMap(({ responses }) => Object.keys(responses)));
    const seen = new Set([...world.seen.values()].flatMap((answers) => [...answers].map(String)));
    const missing = [
      ...operations.map(({ operationId }) => operationId).filter((id) => !world.seen.has(id)),
      ...[...statuses].filter((status) => !RARE.includes(status) && !seen.has(status)),
    ];
    expect(COUNT < QUICK ? [] : missing).toEqual([]);
  });

  it('lives, is ready, and has nothing to report', async () => {
    expect(server.hasEnded).toBe(false);
    expect(await server.call('GET', '/readyz')).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(server.stdout + server.stderr).toBe('');
  });

  it('has all connections of its pool back, none of them in a transaction', async () => {
    await until(async () => (await metric('database_connections{state="busy"}')) === 0);
    expect(await metric('database_connections{state="waiting"}')).toBe(0);
    expect(await metric('database_connections{state="idle"}')).toBeLessThanOrEqual(POOL_SIZE);
    const sessions = `select count(*)::int as n from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`;
    await until(async () => (await read<{ n: number }>(sessions))[0]!.n === 0);
  });

  it('holds no connection of a client that has gone', async () => {
    const most = POOL_SIZE + OTHER_CONNECTIONS;
    await until(async () => (await metric('nodejs_active_resources{type="TCPSocketWrap"}')) <= most);
    expect(await metric('nodejs_active_resources{type="TCPSocketWrap"}')).toBeGreaterThan(0);
  });

  it('has not touched the rows of a user who sent nothing', async () => {
    expect(await world.rowsOfBystander()).toEqual(before);
    expect(Object.values(before).every((rows) => rows.length > 0)).toBe(true);
  });

  it('has counted exactly and kept to the limits of the plans', async () => {
    const wrong = await read(`
      select 'space' as what, id from spaces s
      where wins_count <> (select count(*) from wins w where w.user_id = s.user_id and w.space_id = s.id)
      union all
      select 'tag', id from tags t
      where wins_count <> (select count(*) from win_tags l where l.user_id = t.user_id and l.tag_id = t.id)
      union all
      select 'plan', u.id from users u join plans p on p.name = u.plan
      where p.max_spaces < (select count(*) from spaces s where s.user_id = u.id)`);
    expect(wrong).toEqual([]);
  });
});

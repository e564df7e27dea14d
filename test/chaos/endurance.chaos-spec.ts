import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Person } from '../harness/factories.js';
import { Balancer } from '../harness/balancer.js';
import { Database } from '../harness/database.js';
import { PRODUCTION, Service } from '../harness/processes.js';
import { until } from '../harness/until.js';
import { Load } from '../harness/load.js';
import { freePort } from '../harness/ports.js';
import { PostgresServer } from '../harness/postgres-server.js';
import { startRedis } from '../harness/redis.js';
import { reportPart } from '../harness/reliability-report.js';

/** Needs Debian's `postgresql-15` and `redis-server`. How long it lasts: 30 minutes, or `ENDURANCE_MINUTES`. */
const MINUTES = Number(process.env.ENDURANCE_MINUTES ?? 30);
const DURATION = MINUTES * 60_000;

/** Between two faults, and how long Redis hangs, in milliseconds. */
const PAUSE = 15_000;
const HANG = 10_000;

/** How much more may be on the heap at the end than once everything had happened, in bytes. */
const MAX_GROWTH = 5 * 2 ** 20;

import.meta.jest.setTimeout(DURATION + 600_000);

/** The one address of the database, which leads to one server or the other, as a failover has it. */
class Address {
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  target = 0;
  port = 0;

  constructor() {
    this.#server = createServer((near) => {
      const far = connect(this.target, '127.0.0.1');
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(one);
        one.pipe(other);
        one
          .on('error', () => undefined)
          .on('close', () => {
            this.#sockets.delete(one);
            other.destroy();
          });
      }
    });
  }

  async listen(): Promise<void> {
    this.port = await freePort();
    this.#server.listen(this.port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((done) => this.#server.close(done));
  }
}

/** Readers and writers that go away at any moment of their requests. */
class Quitters {
  aborted = 0;
  #isStopping = false;
  #running: Promise<void>[] = [];

  constructor(
    private readonly url: string,
    private readonly person: Person,
  ) {}

  start(count: number): void {
    this.#isStopping = false;
    this.#running = Array.from({ length: count }, () => this.#run());
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#running);
  }

  async #run(): Promise<void> {
    const paths = [
      '/api/v1/tags',
      '/api/v1/wins?per_page=100',
      '/api/v1/wins?q=win',
      '/api/v1/me',
      '/docs/swagger-ui-bundle.js',
    ];
    const headers = { authorization: `Bearer ${this.person.token}`, 'content-type': 'application/json' };
    for (let n = 0; !this.#isStopping; n++) {
      const leaving = new AbortController();
      setTimeout(() => leaving.abort(), Math.random() * 20);
      const isWrite = n % 3 === 0;
      const body = JSON.stringify({ tag: { name: `quit ${Math.random()}`.slice(0, 30) } });
      const options = { headers, signal: leaving.signal, ...(isWrite && { method: 'POST', body }) };
      const path = isWrite ? '/api/v1/tags' : paths[n % paths.length]!;
      await fetch(this.url + path, options)
        .then((answer) => answer.arrayBuffer())
        .catch(() => this.aborted++);
      if (n % 50 === 0) await this.#tidy(headers);
      await sleep(5);
    }
  }

  /** Keeps the user below the limit of tags. */
  async #tidy(headers: Record<string, string>): Promise<void> {
    const list = await fetch(`${this.url}/api/v1/tags?per_page=100`, { headers }).catch(() => undefined);
    if (list?.status !== 200) return;
    for (const { id } of (await list.json()) as { id: number }[])
      await fetch(`${this.url}/api/v1/tags/${id}`, { method: 'DELETE', headers }).catch(() => undefined);
  }
}

let folder: string;
let servers: PostgresServer[];
let primary: PostgresServer;
let address: Address;
let database: Database;
let redis: ChildProcess;
let steady: Service;
let other: Service;
let balancer: Balancer;
const log: string[] = [];

const settings = () => ({
  DATABASE_URL: database.url,
  REDIS_URL: `redis://127.0.0.1:${redisPort}`,
  RATE_LIMIT_PER_MINUTE: '1000000',
  LOG_LEVEL: 'error',
});
let redisPort: number;

const heaps = async () =>
  (await readFile(join(folder, 'heap'), 'utf8').catch(() => '')).trim().split('\n').filter(Boolean).map(Number);

/** The bytes on the heap of the instance that is never killed, once all garbage was collected. */
async function heap(): Promise<number> {
  const before = (await heaps()).length;
  steady.kill('SIGUSR2');
  await until(async () => (await heaps()).length > before);
  return (await heaps()).at(-1)!;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wins-endurance-'));
  // Nothing is acknowledged that the standby does not have, so that a failover loses nothing.
  primary = await PostgresServer.start({ synchronous_standby_names: '*' });
  servers = [primary, await PostgresServer.standbyOf(primary)];
  address = new Address();
  await address.listen();
  address.target = primary.port;
  database = new Database(Object.assign(new URL(primary.url), { port: String(address.port) }).href);
  redisPort = await freePort();
  redis = await startRedis(redisPort);
  const probe = resolve('test/harness/heap-probe.mjs');
  steady = await Service.start(database.url, {
    ...settings(),
    NODE_OPTIONS: `--import=${probe}`,
    HEAP_FILE: join(folder, 'heap'),
  });
  other = await Service.start(database.url, settings());
  balancer = new Balancer([steady.url, other.url]);
  await balancer.start();
}, 120_000);

afterAll(async () => {
  await balancer?.stop();
  await steady?.stop('SIGKILL');
  await other?.stop('SIGKILL');
  redis?.kill('SIGKILL');
  await address?.close();
  for (const server of servers ?? []) await server.remove();
  await rm(folder, { recursive: true, force: true });
});

/** What goes wrong, in turn. Each resolves when it is over. */
const FAULTS: Record<string, () => Promise<void>> = {
  async 'an instance is killed'() {
    other.kill('SIGKILL');
    await other.ended;
    log.push(other.output);
    other = new Service(other.port, { ...PRODUCTION, ...settings() });
    await other.ready();
  },
  async 'PostgreSQL crashes'() {
    await primary.shutDown('immediate');
    await primary.launch(primary === servers[0] ? { synchronous_standby_names: '*' } : {});
  },
  async 'Redis hangs'() {
    redis.kill('SIGSTOP');
    await sleep(HANG);
    redis.kill('SIGCONT');
  },
  async 'all sessions are ended'() {
    await database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'wins-tracker%'`,
    );
  },
};

async function failOver(): Promise<void> {
  const [old, standby] = servers as [PostgresServer, PostgresServer];
  await old.shutDown('immediate');
  await standby.promote();
  primary = standby;
  address.target = standby.port;
}

it(`${MINUTES} minutes of mixed load, aborts, kills, a failover and a hung Redis`, async () => {
  const load = await Load.prepare(balancer.url, database);
  const quitters = new Quitters(balancer.url, await database.person());
  const counts: Record<string, number> = {};
  const happen = async (name: string, fault: () => Promise<void>) => {
    counts[name] = (counts[name] ?? 0) + 1;
    await fault();
    await sleep(PAUSE);
  };
  load.start();
  quitters.start(6);
  const start = Date.now();
  let warm = 0;
  for (let round = 0; Date.now() - start < DURATION || round < 2; round++) {
    if (round === 1) await happen('a failover to the standby', failOver);
    for (const [name, fault] of Object.entries(FAULTS)) await happen(name, fault);
    if (round === 1) warm = await heap();
  }
  await load.stop();
  await quitters.stop();

  expect(load.wrong).toEqual([]);
  expect(await load.faults(database)).toEqual([]);
  await sleep(1_000);
  const grown = (await heap()) - warm;
  const open = `select state, count(*)::int as count from pg_stat_activity
    where application_name = 'wins-tracker' and state is distinct from 'idle' and pid <> pg_backend_pid() group by 1`;
  await until(async () => (await database.query(open)).length === 0);
  for (const instance of [steady, other]) {
    instance.kill('SIGTERM');
    expect(await instance.ended).toMatchObject({ code: 0, signal: null });
    log.push(instance.output);
  }
  const left = `select from pg_stat_activity where application_name like 'wins-tracker%'`;
  await until(async () => (await database.query(left)).length === 0);
  expect(log.join('').match(/"msg":"(?:request failed|uncaught)[^\n]*/g) ?? []).toEqual([]);
  expect(grown).toBeLessThan(MAX_GROWTH);

  await reportPart(
    'endurance',
    `## Endurance

${MINUTES} minutes of load from six writers, and from six clients that aborted ${quitters.aborted.toLocaleString('en')} requests. Two instances ran behind a
load balancer, with Redis and a PostgreSQL whose standby confirms every commit.

| Fault | Times |
|---|---|
${Object.entries(counts)
  .map(([name, count]) => `| ${name} | ${count} |`)
  .join('\n')}

| Result | |
|---|---|
| Requests from the writers | ${load.total.toLocaleString('en')} |
| 500, or another response that must not happen | 0 |
| 503, or no response | ${(load.total - load.good).toLocaleString('en')} |
| Acknowledged writes missing | 0 |
| Wrong counts | 0 |
| Heap after garbage collection, between the second round of faults and the end | ${(warm / 2 ** 20).toFixed(1)} MB, ${grown < 0 ? '' : '+'}${(grown / 2 ** 20).toFixed(1)} MB |
| PostgreSQL sessions left after SIGTERM | 0 |
`,
  );
});

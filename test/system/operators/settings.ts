import { createServer, type Socket } from 'node:net';
import type { settings } from '../../../src/config/config.js';
import { Client } from '../../harness/client.js';
import type { FreshDatabase } from '../../harness/fresh-database.js';
import { freePort, isListening } from '../../harness/ports.js';
import { until } from '../../harness/until.js';

/** What each setting does, asked of the service as it ships. */

export interface Running {
  url: string;
  /** What it wrote so far, log and all. */
  readonly output: string;
  stop(): Promise<{ code: number | null }>;
}

/** Where the service is started, as a process or in a container. */
export interface Site {
  database: FreshDatabase;
  token: string;
  /** Starts it with these settings besides `DATABASE_URL` and `PORT`, and waits until it is ready. */
  serve(env?: Record<string, string>): Promise<Running>;
  /** Starts it where it is expected to end at once. @returns what it wrote on standard error */
  fail(env: Record<string, string>): Promise<string>;
}

const TAGS = '/api/v1/tags';

const get = ({ url }: Running, { token }: Site, path = TAGS, headers = {}) =>
  new Client(url, token).get(path, { headers });

const space = (name: string) => ({ space: { name } });

/** Sessions of the service on the database. */
const sessions = async ({ database }: Site) =>
  (
    await database.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity
       where datname = current_database() and application_name = 'wins-tracker'`,
    )
  )[0]!.n;

/** One case for each setting that the image has too: where one is missing, this does not compile. */
export const CASES: Record<Exclude<keyof typeof settings, 'DATA_DIR' | 'NODE_ENV'>, (site: Site) => Promise<void>> = {
  HOST: async (site) => {
    const service = await site.serve({ HOST: '127.0.0.1' });
    expect((await get(service, site)).status).toBe(200);
    await service.stop();
    expect(await site.fail({ HOST: '192.0.2.1' })).toMatch(/This machine has no address 192\.0\.2\.1/);
  },
  PORT: async (site) => {
    const service = await site.serve();
    await until(() => service.output.includes(`:${new URL(service.url).port}`));
  },
  PUBLIC_URL: async (site) => {
    const service = await site.serve({ PUBLIC_URL: 'https://wins.example/api/' });
    const made = await new Client(service.url, site.token).post(TAGS, { tag: { name: 'Public' } });
    expect(made.headers.get('location')).toMatch(/^https:\/\/wins\.example\/api\/api\/v1\/tags\/\d+$/);
  },
  UPGRADE_URL: async (site) => {
    const client = new Client((await site.serve({ UPGRADE_URL: 'https://pay.example/?plan=pro' })).url, site.token);
    for (const name of ['One', 'Two', 'Three']) await client.post('/api/v1/spaces', space(name));
    const refused = await client.post('/api/v1/spaces', space('Four'));
    expect(refused).toMatchObject({ status: 402, body: { upgrade_url: 'https://pay.example/?plan=pro' } });
  },
  DATABASE_URL: async (site) => {
    const url = Object.assign(new URL(site.database.url), { pathname: '/nothing' });
    const text = await site.fail({ DATABASE_URL: url.href, MIGRATIONS: 'off' });
    expect(text).toMatch(new RegExp(`Can't use the database "nothing" at ${url.hostname}:${url.port}`));
  },
  DATABASE_REPLICA_URL: async (site) => {
    const port = await freePort();
    const service = await site.serve({ DATABASE_REPLICA_URL: site.database.url, METRICS_PORT: String(port) });
    expect((await get(service, site, '/api/v1/wins')).status).toBe(200);
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(metrics).toContain('replica_reads_total{result="used"} 1');
  },
  DATABASE_POOL_SIZE: async (site) => {
    const service = await site.serve({ DATABASE_POOL_SIZE: '3' });
    await Promise.all(Array.from({ length: 30 }, (_, n) => get(service, site, `${TAGS}/${n + 1}`)));
    expect(await sessions(site)).toBeLessThanOrEqual(5); // two may be those that short reads share
  },
  PREPARED_STATEMENTS: async (site) => {
    const client = new Client((await site.serve({ PREPARED_STATEMENTS: 'off' })).url, site.token);
    expect((await client.post(TAGS, { tag: { name: 'Twice' } })).status).toBe(201);
    expect((await client.post(TAGS, { tag: { name: 'Twice' } })).status).toBe(422);
  },
  MIGRATIONS: async (site) => {
    await site.database.query('delete from migrations');
    expect(await site.fail({ MIGRATIONS: 'off' })).toMatch(/lacks migrations .*MIGRATIONS=on/);
  },
  STATEMENT_TIMEOUT: async (site) => {
    const service = await site.serve({ STATEMENT_TIMEOUT: '1234' });
    const lock = site.database.query(`do $$ begin lock table tags; perform pg_sleep(4); end $$`);
    await until(
      async () => (await site.database.query(`select from pg_locks where mode = 'AccessExclusiveLock'`)).length > 0,
    );
    expect((await get(service, site)).status).toBe(503);
    await until(() => service.output.includes('due to statement timeout')); // not that of the lock, which is longer
    await lock;
  },
  RATE_LIMIT_PER_MINUTE: async (site) => {
    const service = await site.serve({ RATE_LIMIT_PER_MINUTE: '2' });
    const statuses = [];
    for (let n = 0; n < 3; n++) statuses.push((await get(service, site)).status);
    expect(statuses).toEqual([200, 200, 429]);
  },
  REDIS_URL: async (site) => {
    const said: string[] = [];
    const sockets: Socket[] = [];
    const redis = createServer((socket) => {
      sockets.push(socket.on('data', (text) => said.push(String(text))).on('error', () => undefined));
    });
    const port = await freePort();
    await new Promise<void>((done) => redis.listen(port, '127.0.0.1', done));
    const service = await site.serve({ REDIS_URL: `redis://:secret@127.0.0.1:${port}` });
    await until(() => said.join('').includes('secret'));
    expect((await get(service, site)).status).toBe(200); // though that one never answers
    expect((await service.stop()).code).toBe(0);
    for (const socket of sockets) socket.destroy();
    await new Promise((done) => redis.close(done));
  },
  TRUST_PROXY: async (site) => {
    const service = await site.serve({ TRUST_PROXY: '127.0.0.0/8,::1', RATE_LIMIT_PER_MINUTE: '1' });
    const statuses = [];
    for (const address of ['203.0.113.1', '203.0.113.1', '203.0.113.2'])
      statuses.push((await new Client(service.url).get(TAGS, { headers: { 'x-forwarded-for': address } })).status);
    expect(statuses).toEqual([401, 429, 401]);
  },
  SHUTDOWN_DELAY: async (site) => {
    const service = await site.serve({ SHUTDOWN_DELAY: '3000' });
    const ended = service.stop();
    await until(async () => (await fetch(`${service.url}/readyz`)).status === 503);
    expect((await get(service, site)).status).toBe(200);
    expect((await ended).code).toBe(0);
  },
  METRICS_PORT: async (site) => {
    const port = await freePort();
    await site.serve({ METRICS_PORT: String(port) });
    expect(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()).toMatch(
      /^wins_tracker_build_info\{version="\d/m,
    );
  },
  CORS_ORIGINS: async (site) => {
    const service = await site.serve({ CORS_ORIGINS: 'https://app.example' });
    const answers = await Promise.all(
      ['https://app.example', 'https://other.example'].map((origin) => get(service, site, TAGS, { origin })),
    );
    expect(answers.map(({ headers }) => headers.get('access-control-allow-origin'))).toEqual([
      'https://app.example',
      null,
    ]);
  },
  LOG_LEVEL: async (site) => {
    const service = await site.serve({ LOG_LEVEL: 'warn' });
    await get(service, site);
    expect((await service.stop()).code).toBe(0);
    expect(service.output).toBe('');
    expect(await isListening(Number(new URL(service.url).port))).toBe(false);
  },
};

import { connect, type Socket } from 'node:net';
import type { Person } from '../harness/factories.js';
import { Workshop, type Service } from '../harness/processes.js';
import { answersIn } from '../harness/raw.js';
import { until } from '../harness/until.js';

/** How connections, requests and the process itself end. */

const workshop = new Workshop();
let url: string;
let ann: Person;
let close: () => Promise<void>;
let query: (text: string) => Promise<unknown[]>;

beforeAll(async () => {
  const { url: own, database, make } = await workshop.migrated();
  url = own;
  ann = await make.person({ plan: 'pro' });
  query = (text) => database.dataSource.query(text);
  close = () => database.close();
  await query(`
    create function never_end() returns trigger language plpgsql as $$ begin
      loop perform pg_sleep(1); end loop;
    end $$;
    create trigger never_end before insert on tags for each row when (new.name = 'Never')
      execute function never_end()`);
});
afterAll(async () => {
  await close();
  await workshop.clean();
});

const serve = (settings: NodeJS.ProcessEnv = {}) =>
  workshop.serve({ NODE_ENV: 'production', DATABASE_URL: url, RATE_LIMIT_PER_MINUTE: '0', ...settings });

const sessions = () =>
  query(`select from pg_stat_activity where datname = current_database() and application_name like 'wins-tracker%'
    and pid <> pg_backend_pid()`);

describe('SIGTERM', () => {
  /** The documented grace period, in milliseconds. */
  const GRACE = 10_000;

  it('cuts off, after the grace period and no sooner, a request that does not end, with code 1', async () => {
    const server = await serve({ STATEMENT_TIMEOUT: '600000' });
    const request = server
      .call('POST', '/api/v1/tags', { token: ann.token, json: { tag: { name: 'Never' } } })
      .catch(() => 'cut off');
    await until(async () => {
      const waiting = await query(
        `select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
      );
      return waiting.length > 0;
    });
    const told = performance.now();
    const { code } = await server.stop();
    expect(performance.now() - told).toBeGreaterThan(GRACE - 500);
    expect(code).toBe(1);
    expect(await request).toBe('cut off');
    await query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event = 'PgSleep'`);
  });

  it('ends with code 0 where nothing is in flight, and takes its sessions along', async () => {
    const server = await serve();
    await server.call('GET', '/api/v1/tags', { token: ann.token });
    expect((await sessions()).length).toBeGreaterThan(0);
    expect(await server.stop()).toMatchObject({ code: 0, signal: null, stderr: '' });
    const before = await sessions();
    expect(before.length).toBeLessThanOrEqual(2); // those of this test
  });
});

describe('a connection on which requests were answered', () => {
  let server: Service;
  beforeAll(async () => {
    server = await serve();
  });

  async function open(): Promise<{ socket: Socket; received: Buffer[]; closed: Promise<void> }> {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    const received: Buffer[] = [];
    socket.on('data', (chunk) => received.push(chunk));
    socket.on('error', () => undefined);
    return { socket, received, closed: new Promise((done) => socket.once('close', () => done())) };
  }

  const GET = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';

  it.each([0, 1, 3])('answers what is no HTTP, after %i requests, with the one 400, and is closed', async (count) => {
    const { socket, received, closed } = await open();
    for (let n = 1; n <= count; n++) {
      socket.write(GET);
      await until(() => answersIn(Buffer.concat(received)).length === n);
    }
    socket.write('garbage\r\n\r\n');
    await closed;
    const answers = answersIn(Buffer.concat(received));
    expect(answers.map(({ status }) => status)).toEqual([...Array.from({ length: count }, () => 200), 400]);
    const last = answers.at(-1)!;
    expect(last.body).toEqual({
      error: 'The request is malformed',
      code: 'bad_request',
      request_id: expect.any(String),
    });
    expect(last.headers.get('connection')).toBe('close');
    expect(last.headers.get('x-request-id')).toBe((last.body as { request_id: string }).request_id);
  });

  it('is told with the last answer that the service stops', async () => {
    const stopping = await serve({ SHUTDOWN_DELAY: '1000' });
    expect((await stopping.call('GET', '/healthz')).headers.get('connection')).toBe('keep-alive');
    const ended = stopping.stop();
    await until(async () => (await stopping.call('GET', '/readyz')).status === 503);
    const { status, headers } = await stopping.call('GET', '/healthz');
    expect([status, headers.get('connection')]).toEqual([200, 'close']);
    expect((await ended).code).toBe(0);
  });
});

import { connect } from 'node:net';
import type { Person } from '../harness/factories.js';
import type { FreshDatabase } from '../harness/fresh-database.js';
import { freePort } from '../harness/ports.js';
import { Workshop, type Service } from '../harness/processes.js';
import { until } from '../harness/until.js';

/** What operators see of a request: its line of the log and its part of the metrics. */

/** Milliseconds that a slow request takes in PostgreSQL. */
const SLOW = 300;

const workshop = new Workshop();
let database: FreshDatabase;
let server: Service;
let metricsUrl: string;
let ann: Person;

beforeAll(async () => {
  const migrated = await workshop.migrated();
  database = { url: migrated.url, query: (text) => migrated.database.dataSource.query(text), drop: async () => {} };
  ann = await migrated.make.person({ plan: 'pro' });
  await database.query(`
    create function misbehave() returns trigger language plpgsql as $$ begin
      if new.name = 'Slow' then perform pg_sleep(${SLOW / 1000}); end if;
      if new.name = 'Broken' then
        raise exception 'it broke' using errcode = 'P0001', detail = 'secret detail', hint = 'secret hint',
          schema = 'secret schema', column = 'secret column', datatype = 'secret type';
      end if;
      if new.name = 'Away' then
        raise exception 'it is away' using errcode = '53100', detail = 'secret detail';
      end if;
      return new;
    end $$;
    create trigger misbehave before insert on tags for each row execute function misbehave()`);
  await migrated.database.close();
  const metricsPort = await freePort();
  metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`;
  server = await workshop.serve({
    NODE_ENV: 'production',
    DATABASE_URL: migrated.url,
    RATE_LIMIT_PER_MINUTE: '0',
    METRICS_PORT: String(metricsPort),
  });
});
afterAll(() => workshop.clean());

type Line = Record<string, unknown> & { reqId: string };

/** Waits for the lines of an answer's request. */
async function linesOf({ headers }: { headers: Headers }): Promise<Line[]> {
  const id = headers.get('x-request-id')!;
  const isLogged = () => parsed().some(({ reqId, msg }) => reqId === id && msg === 'request');
  await until(isLogged);
  return parsed().filter(({ reqId }) => reqId === id);
}

const parsed = () =>
  server.stdout
    .slice(0, server.stdout.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);

const createTag = (name: string) => server.call('POST', '/api/v1/tags', { token: ann.token, json: { tag: { name } } });

async function timed<T>(work: () => Promise<T>): Promise<{ answer: T; from: number; to: number; took: number }> {
  const [from, start] = [Date.now(), performance.now()];
  const answer = await work();
  return { answer, from, to: Date.now(), took: performance.now() - start };
}

describe('the line of a request', () => {
  it('tells in milliseconds when it was and how long it took', async () => {
    const { answer, from, took } = await timed(() => createTag('Slow'));
    const [line] = await linesOf(answer);
    expect(line!.durationMs).toBeGreaterThanOrEqual(SLOW);
    expect(line!.durationMs).toBeLessThanOrEqual(took + 1);
    expect(Number(line!.durationMs) * 10).toBeCloseTo(Math.round(Number(line!.durationMs) * 10), 6);
    expect(line!.time).toBeGreaterThanOrEqual(from + SLOW);
    expect(line!.time).toBeLessThanOrEqual(Date.now());
  });

  it.each([
    ['GET', '/api/v1/me?page=1', 200, '/api/v1/me'],
    ['GET', '/api/v1/nope', 404, undefined],
    ['HEAD', '/api/v1/tags', 200, '/api/v1/tags'],
    ['DELETE', '/api/v1/tags/0', 404, undefined],
    ['GET', '/healthz', 200, '/healthz'],
  ])('tells method, path without query, status and user: %s %s', async (method, path, status, logged) => {
    const isPublic = !path.startsWith('/api/');
    const answer = await server.call(method, path, { token: isPublic ? undefined : ann.token });
    const lines = await linesOf(answer);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ level: 30, msg: 'request', method, status, ...(logged && { path: logged }) });
    expect(lines[0]!.userId).toBe(isPublic ? undefined : ann.id);
    expect(JSON.stringify(lines[0])).not.toContain('page=1');
  });
});

describe('the line of an error', () => {
  it.each([
    ['Broken', 500, 'request failed', 50, 'P0001', 'it broke'],
    ['Away', 503, 'database unavailable', 40, '53100', 'it is away'],
  ])(
    'says what it was and where, and nothing that PostgreSQL adds of the row: %s',
    async (name, status, msg, level, code, message) => {
      const answer = await createTag(name);
      expect(answer.status).toBe(status);
      const [line, request] = await linesOf(answer);
      expect(line).toMatchObject({ level, msg, err: { message, code, stack: expect.stringContaining(message) } });
      expect(Object.keys(line!.err as object).toSorted()).toEqual(['code', 'message', 'stack', 'type']);
      expect(request).toMatchObject({ msg: 'request', status });
      expect(server.stdout).not.toContain('secret');
      expect(JSON.stringify(answer.body)).not.toMatch(/broke|away|secret/);
    },
  );
});

describe('the first line', () => {
  it('says where the service listens', () => {
    expect(parsed().map(({ msg }) => msg)).toContain(`listening on ${server.url}`);
  });
});

describe('LOG_LEVEL', () => {
  it('warn leaves out the lines of requests, and keeps those of errors', async () => {
    const quiet = await workshop.serve({
      NODE_ENV: 'production',
      DATABASE_URL: database.url,
      RATE_LIMIT_PER_MINUTE: '0',
      LOG_LEVEL: 'warn',
    });
    await quiet.call('GET', '/api/v1/me', { token: ann.token });
    await quiet.call('POST', '/api/v1/tags', { token: ann.token, json: { tag: { name: 'Away' } } });
    await until(() => quiet.stdout.includes('database unavailable'));
    expect(quiet.stdout).not.toContain('"msg":"request"');
    expect(quiet.stdout).not.toContain('listening');
    const { code } = await quiet.stop();
    expect(code).toBe(0);
  });
});

const metricsText = async () => (await fetch(metricsUrl)).text();

async function tagId(name: string): Promise<number> {
  const { body } = await server.call('GET', '/api/v1/tags?per_page=100', { token: ann.token });
  return (body as { id: number; name: string }[]).find((tag) => tag.name === name)?.id ?? 0;
}

/** The value of a series. @param labels parts that it has to have */
async function value(name: string, ...labels: string[]): Promise<number> {
  const lines = (await metricsText()).split('\n').filter((line) => line.startsWith(`${name}{`));
  const line = lines.find((one) => labels.every((label) => one.includes(label)));
  return Number(line?.split(' ').at(-1) ?? 0);
}

describe('the metrics', () => {
  const LABELS = ['method="POST"', 'route="/api/v1/tags"', 'status="201"'];

  it('measure requests in seconds', async () => {
    const name = 'http_request_duration_seconds';
    await createTag('Before');
    const count = await value(`${name}_count`, ...LABELS);
    const sum = await value(`${name}_sum`, ...LABELS);
    const quick = await value(`${name}_bucket`, ...LABELS, 'le="0.25"');
    const slow = await value(`${name}_bucket`, ...LABELS, 'le="30"');
    await server.call('DELETE', `/api/v1/tags/${await tagId('Slow')}`, { token: ann.token });
    const { answer, took } = await timed(() => createTag('Slow'));
    expect(answer.status).toBe(201);
    await until(async () => (await value(`${name}_count`, ...LABELS)) === count + 1);
    const seconds = (await value(`${name}_sum`, ...LABELS)) - sum;
    expect(seconds).toBeGreaterThanOrEqual(SLOW / 1000);
    expect(seconds).toBeLessThanOrEqual(took / 1000 + 0.001);
    expect(await value(`${name}_bucket`, ...LABELS, 'le="0.25"')).toBe(quick);
    expect(await value(`${name}_bucket`, ...LABELS, 'le="30"')).toBe(slow + 1);
  });

  it('have buckets from a millisecond to half a minute', async () => {
    const bounds = [...(await metricsText()).matchAll(/http_request_duration_seconds_bucket\{le="([^"]+)"/g)].map(
      ([, le]) => le,
    );
    expect(new Set(bounds)).toEqual(
      new Set([
        '0.001',
        '0.0025',
        '0.005',
        '0.01',
        '0.025',
        '0.05',
        '0.1',
        '0.25',
        '0.5',
        '1',
        '2.5',
        '5',
        '10',
        '30',
        '+Inf',
      ]),
    );
  });

  it('count connections that are busy, idle, and waited for', async () => {
    await server.call('DELETE', `/api/v1/tags/${await tagId('Slow')}`, { token: ann.token });
    const slow = createTag('Slow');
    await until(async () => (await value('database_connections', 'state="busy"')) >= 1);
    expect((await slow).status).toBe(201);
    await until(async () => (await value('database_connections', 'state="waiting"')) === 0);
    await until(async () => (await value('database_connections', 'state="idle"')) >= 1);
  });

  it('are in the format of Prometheus, on any address but no other path', async () => {
    const { status, headers } = await fetch(metricsUrl);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    expect((await fetch(new URL('/', metricsUrl))).status).toBe(404);
    expect((await fetch(`${server.url}/metrics`)).status).toBe(404);
  });

  it('know a request by its route, not by its path', async () => {
    await server.call('GET', '/api/v1/tags/123456', { token: ann.token });
    await server.call('GET', '/api/v1/nowhere-in-particular', { token: ann.token });
    await until(
      async () => (await value('http_request_duration_seconds_count', 'route="/api/v1/tags/:id",status="404"')) > 0,
    );
    expect(await metricsText()).not.toMatch(/123456|nowhere-in-particular/);
  });
});

describe('a connection', () => {
  it('stays open for the next request, for longer than load balancers keep one', async () => {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    let received = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
    for (let n = 1; n <= 2; n++) {
      socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
      await until(() => received.split('{"status":"ok"}').length === n + 1);
    }
    expect(received.toLowerCase()).toContain('keep-alive: timeout=65');
    socket.destroy();
  });
});

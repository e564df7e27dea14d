import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Person } from '../harness/factories.js';
import { freePort } from '../harness/ports.js';
import { Postgres } from '../harness/database.js';
import { PRODUCTION, Service } from '../harness/processes.js';
import { until } from '../harness/until.js';

/** The service's own time-outs, in milliseconds, that no test shortens. */
const REQUEST_TIMEOUT = 30_000;
const CHECK_EVERY = 5_000;
const GRACE = 10_000;

/** What a busy machine may add. */
const SLACK = 3_000;

let postgres: Postgres;
let ann: Person;

beforeAll(async () => {
  postgres = await Postgres.start();
});
afterAll(() => postgres?.remove());

async function open(port: number): Promise<Socket & { received: string }> {
  const socket = Object.assign(connect(port, '127.0.0.1'), { received: '' });
  socket.setEncoding('utf8').on('data', (text: string) => (socket.received += text));
  socket.on('error', () => undefined);
  await new Promise((done) => socket.once('connect', done));
  return socket;
}

describe('a process of the service', () => {
  let service: Service;

  beforeEach(async () => {
    service = await Service.start(postgres.url, { LOG_LEVEL: 'info' });
    ann = await postgres.person();
  });
  afterEach(() => service.stop('SIGKILL'));

  it('cuts off clients that send a byte a second after 30 to 35 s, with 408', async () => {
    const head = `POST /api/v1/tags HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ann.token}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n`;
    const clients = [0, head.length].map(async (sentAtOnce) => {
      const socket = await open(service.port);
      const start = performance.now();
      const request = head + ' '.repeat(99);
      socket.write(request.slice(0, sentAtOnce));
      for (let n = sentAtOnce; !socket.closed; n++) {
        socket.write(request[n]!);
        await sleep(1_000);
      }
      const took = performance.now() - start;
      expect(socket.received).toMatch(/^HTTP\/1\.1 408 .*"code":"request_timeout"/s);
      expect(took).toBeGreaterThan(REQUEST_TIMEOUT - 1_000);
      expect(took).toBeLessThan(REQUEST_TIMEOUT + CHECK_EVERY + SLACK);
    });
    await Promise.all(clients);
  });

  it('ends soon, with code 0, where a client never reads', async () => {
    const socket = await open(service.port);
    socket.pause();
    socket.write(`GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(1_000));
    await until(() => service.log.some(({ msg }) => msg === 'request'));
    const start = performance.now();
    service.kill('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 0, signal: null });
    expect(performance.now() - start).toBeLessThan(SLACK);
    socket.destroy();
  });

  it('ends after the grace period, with code 1 and a line in the log, where a request takes too long', async () => {
    await postgres.query(`
      create function dawdle() returns trigger language plpgsql as 'begin perform pg_sleep(9); return new; end';
      create trigger a before insert on tags for each row when (new.name = 'Slow') execute function dawdle();
      create trigger b after insert on tags for each row when (new.name = 'Slow') execute function dawdle()`);
    const slow = await Service.start(postgres.url, { STATEMENT_TIMEOUT: '60000' });
    const request = { token: ann.token, json: { tag: { name: 'Slow' } } };
    const write = slow.call('POST', '/api/v1/tags', request).catch(() => 'cut off');
    await until(async () => {
      const text = `select from pg_stat_activity where wait_event = 'PgSleep'`;
      return (await postgres.query(text)).length > 0;
    });
    const start = performance.now();
    slow.kill('SIGTERM');
    expect(await slow.ended).toMatchObject({ code: 1, signal: null });
    expect(performance.now() - start).toBeLessThan(GRACE + SLACK);
    expect(await write).toBe('cut off');
    expect(slow.log.map(({ msg }) => msg)).toContain('requests in flight were cut off');
  });
});

describe('a start', () => {
  const moments = 20;

  it(`may be ended by SIGTERM at any of ${moments} moments, without an error and without harm to the next start`, async () => {
    const begin = performance.now();
    const whole = await Service.start(postgres.url);
    const duration = performance.now() - begin;
    await whole.stop('SIGKILL');
    for (let n = 0; n < moments; n++) {
      const service = new Service(await freePort(), { ...PRODUCTION, DATABASE_URL: postgres.url });
      await sleep((duration * n) / moments);
      service.kill('SIGTERM');
      const { code, signal } = await service.ended;
      // Before it listens for signals, a process ends by them.
      expect([0, 'SIGTERM']).toContain(code ?? signal);
      expect(service.output).toBe('');
    }
    await (await Service.start(postgres.url)).stop('SIGKILL');
  });
});

import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { startApp, type TestApp } from '../harness/app.js';
import { errors } from '../harness/errors.js';
import type { Person } from '../harness/factories.js';
import { exchange, rawRequest } from '../harness/raw.js';
import { until } from '../harness/until.js';

/** The time-outs of the service in milliseconds. */
const TIMEOUTS = { headersTimeout: 30_000, requestTimeout: 30_000, keepAliveTimeout: 65_000, timeout: 150_000 };

/** What is waited for here instead. */
const SHORT = 500;

/** Within this, Node has looked for what is overdue: it does so every 5 s. */
const OVERDUE = SHORT + 5_000 + 2_000;

/** How many requests of others are looked at. */
const OTHERS = 10;

let app: TestApp;
let server: Server;
let ann: Person;
let bob: Person;
const sockets: Socket[] = [];

beforeAll(async () => {
  app = await startApp({ RATE_LIMIT_PER_MINUTE: '0' });
  server = app.app.getHttpServer();
  ann = await app.make.person({ plan: 'pro' });
  bob = await app.make.person();
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(() => app.close());

async function open(): Promise<Socket & { received: string }> {
  const socket = Object.assign(connect(Number(new URL(app.url).port), '127.0.0.1'), { received: '' });
  sockets.push(socket);
  socket.setEncoding('utf8').on('data', (text: string) => (socket.received += text));
  socket.on('error', () => undefined);
  await new Promise((done) => socket.once('connect', done));
  return socket;
}

/** Fails where someone else, over connections of their own, has to wait. */
async function expectOthersServed(): Promise<void> {
  for (let n = 0; n < OTHERS; n++) {
    const start = performance.now();
    const request = rawRequest('GET', '/api/v1/tags', { authorization: `Bearer ${bob.token}` });
    expect(await exchange(app.url, request)).toMatchObject({ status: 200 });
    expect(performance.now() - start).toBeLessThan(3_000);
  }
}

const connections = () =>
  new Promise<number>((done, fail) => server.getConnections((error, count) => (error ? fail(error) : done(count))));

const get = (path: string) =>
  rawRequest('GET', path, { authorization: `Bearer ${ann.token}`, connection: 'keep-alive' });

it('gives a request 30 s to arrive, the next one 65 s, and a client that neither sends nor reads 150 s', () => {
  expect(server).toMatchObject(TIMEOUTS);
});

describe('with shorter time-outs', () => {
  beforeAll(() => {
    Object.assign(server, { headersTimeout: SHORT, requestTimeout: SHORT, keepAliveTimeout: 4 * SHORT });
  });
  afterEach(() => {
    server.timeout = TIMEOUTS.timeout;
  });

  it('answers 408 to clients that send head or body byte by byte, and cuts them off', async () => {
    const request = rawRequest(
      'POST',
      '/api/v1/tags',
      { authorization: `Bearer ${ann.token}`, 'content-type': 'application/json', 'content-length': '10000' },
      JSON.stringify({ tag: { name: ' '.repeat(9_000) } }),
    );
    const bodyAt = request.indexOf('\r\n\r\n') + 4;
    const start = performance.now();
    const clients = [0, bodyAt].map(async (sentAtOnce) => {
      const socket = await open();
      socket.write(request.slice(0, sentAtOnce));
      for (let n = sentAtOnce; !socket.closed; n++) {
        socket.write(request[n]!);
        await sleep(SHORT / 10);
        if (performance.now() - start > 2 * OVERDUE) throw new Error('It was not cut off');
      }
      return { received: socket.received, took: performance.now() - start };
    });
    await expectOthersServed();
    for (const { received, took } of await Promise.all(clients)) {
      expect(took).toBeLessThan(OVERDUE);
      const [head = '', text = ''] = received.split('\r\n\r\n');
      expect(head).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
      expect(head).toMatch(/\r\nconnection: close(\r\n|$)/i);
      expect({ status: 408, body: JSON.parse(text) as unknown }).toEqual(errors.timedOut);
    }
  });

  it('stops working for a client that never reads, serves others meanwhile, and lets it go', async () => {
    const many = 5_000;
    let served = 0;
    const count = () => served++;
    server.on('request', count);
    server.timeout = 4 * SHORT;
    const socket = await open();
    socket.pause();
    socket.write(get('/openapi.json').repeat(many));
    await until(() => served > 10);
    await expectOthersServed();
    expect(served - OTHERS).toBeLessThan(many / 5);
    await until(async () => (await connections()) === 0);
    server.off('request', count);
  });

  it('serves others beside 2,000 idle connections, and lets those go', async () => {
    const idle = await Promise.all(Array.from({ length: 2_000 }, () => open()));
    const kept = idle.slice(0, 1_000);
    for (const socket of kept) socket.write(get('/healthz'));
    await until(() => kept.every(({ received }) => received !== ''));
    await expectOthersServed();
    await until(async () => (await connections()) === 0);
    await expectOthersServed();
  });
});

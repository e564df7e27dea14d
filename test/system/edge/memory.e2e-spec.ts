import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Person } from '../../harness/factories.js';
import { Workshop } from '../../harness/processes.js';
import { answersIn, converse, rawRequest } from '../../harness/raw.js';
import { until } from '../../harness/until.js';
import { serveMetered, type Metered } from './meter.js';

/** Clients that send many requests on a connection and read none of the responses. */

const MIB = 1024 * 1024;

const workshop = new Workshop();
let service: Metered;
let ann: Person;

beforeAll(async () => {
  const { url, database, make } = await workshop.migrated();
  ann = await make.person();
  const { token } = ann;
  service = await serveMetered(workshop, url);
  const space = await service.server.call('POST', '/api/v1/spaces', { token, json: { space: { name: 'Work' } } });
  await database.dataSource.query(
    `insert into wins (user_id, space_id, body, occurred_on)
     select $1, $2, repeat('é', 10000), '2026-01-01' from generate_series(1, 100)`,
    [ann.id, space.body.id],
  );
  await database.close();
});
afterAll(() => workshop.clean());

/** Opens a connection, sends all at once and reads nothing. */
function flood(request: string, times: number): Socket {
  const socket = connect(Number(new URL(service.server.url).port), '127.0.0.1');
  socket.on('error', () => undefined); // the service may give it up
  socket.pause();
  socket.write(request.repeat(times));
  return socket;
}

/** @returns the largest growth of the resident memory, in MiB, until it has stopped growing */
async function growth(request: string, connections: number, times: number): Promise<number> {
  const before = await service.memory();
  const sockets = Array.from({ length: connections }, () => flood(request, times));
  let peak = before;
  for (let calm = 0; calm < 10; calm++) {
    await sleep(200);
    const now = await service.memory();
    if (now > peak + 4 * MIB) calm = 0;
    peak = Math.max(peak, now);
    if (peak - before > 600 * MIB) break;
  }
  for (const socket of sockets) socket.destroy();
  await until(async () => (await fetch(`${service.server.url}/healthz`)).ok);
  return Math.round((peak - before) / MIB);
}

const keepAlive = (path: string, headers = {}) => rawRequest('GET', path, { connection: 'keep-alive', ...headers });
const bearer = () => ({ authorization: `Bearer ${ann.token}` });

it('keeps its memory when nobody reads the largest file that was asked for hundreds of times', async () => {
  await fetch(`${service.server.url}/docs/swagger-ui-bundle.js`).then((answer) => answer.arrayBuffer());
  expect(await growth(keepAlive('/docs/swagger-ui-bundle.js'), 4, 600)).toBeLessThan(120);
});

it('keeps its memory when nobody reads large lists, on however many connections', async () => {
  const { server } = service;
  await server.call('GET', '/api/v1/wins?per_page=100', { token: ann.token });
  expect(await growth(keepAlive('/api/v1/wins?per_page=100', bearer()), 60, 5)).toBeLessThan(250);
});

it('answers all that a client sends ahead, in its order, up to a bound', async () => {
  const ids = Array.from({ length: 200 }, (_, n) => `n${n}`);
  const requests = ids.map((id) => keepAlive('/api/v1/me', { ...bearer(), 'x-request-id': id }));
  const last = rawRequest('GET', '/healthz', { 'x-request-id': 'last' });
  const answers = answersIn(await converse(service.server.url, [...requests, last]));
  expect(answers.map(({ headers }) => headers.get('x-request-id'))).toEqual([...ids, 'last']);
});

it('answers the first of more than it lets wait, says that it closes the connection and does', async () => {
  const answers = answersIn(await converse(service.server.url, [keepAlive('/healthz').repeat(900)]));
  expect(answers.length).toBeGreaterThanOrEqual(256);
  expect(answers.length).toBeLessThan(900);
  expect(answers.at(-1)!.headers.get('connection')).toBe('close');
  expect(
    answers.slice(0, -1).every(({ status, headers }) => status === 200 && headers.get('connection') !== 'close'),
  ).toBe(true);
});

import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../harness/ports.js';
import { Workshop, type Service } from '../../harness/processes.js';
import { answersIn, converse, rawRequest } from '../../harness/raw.js';

/** The port of the metrics under the attacks that the service's own port withstands. */

const MIB = 1024 * 1024;

const workshop = new Workshop();
let server: Service;
let port: number;
let url: string;

beforeAll(async () => {
  const migrated = await workshop.migrated();
  await migrated.database.close();
  port = await freePort();
  url = `http://127.0.0.1:${port}`;
  server = await workshop.serve({
    NODE_ENV: 'production',
    DATABASE_URL: migrated.url,
    METRICS_PORT: String(port),
  });
});
afterAll(() => workshop.clean());

const metric = async (series: string): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(text.split('\n').find((line) => line.startsWith(`${series} `))?.split(' ')[1]); // prettier-ignore
};

it('keeps its memory when clients ask a thousand times and read nothing', async () => {
  const before = await metric('process_resident_memory_bytes');
  const sockets: Socket[] = [];
  for (let n = 0; n < 4; n++) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    socket.pause();
    socket.write(rawRequest('GET', '/metrics', { connection: 'keep-alive' }).repeat(250));
    sockets.push(socket);
  }
  let peak = before;
  for (let calm = 0; calm < 5; calm++) {
    await sleep(200);
    const now = await metric('process_resident_memory_bytes');
    if (now > peak + 4 * MIB) calm = 0;
    peak = Math.max(peak, now);
    if (peak - before > 300 * MIB) break;
  }
  for (const socket of sockets) socket.destroy();
  expect((peak - before) / MIB).toBeLessThan(120);
});

it('answers what is asked ahead, in its turn', async () => {
  const ahead = rawRequest('GET', '/metrics', { connection: 'keep-alive' }).repeat(5);
  const [head, ...chunks] = (await converse(url, [ahead, rawRequest('GET', '/nope')], 10_000)).toString().split('HTTP/1.1 '); // prettier-ignore
  expect([head, ...chunks.map((answer) => answer.slice(0, 3))]).toEqual(['', '200', '200', '200', '200', '200', '404']);
});

it.each([
  ['a large body', rawRequest('POST', '/metrics', { 'content-length': '5000000' }) + 'x'.repeat(5_000_000), 405],
  ['an expectation', rawRequest('PUT', '/metrics', { expect: 'the unexpected' }), 405],
  ['no HTTP', 'garbage\r\n\r\n', 400],
  ['a tunnel', 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n', 400],
  ['a large head', rawRequest('GET', '/metrics', { 'x-large': 'x'.repeat(20_000) }), 431],
])('answers %s', async (_, request, status) => {
  const answers = answersIn(await converse(url, [request], 2_000));
  expect(answers.map((answer) => answer.status)).toEqual([status]);
});

it('has nothing of what was sent in the log', async () => {
  await converse(url, [rawRequest('GET', '/wins_secret', { 'x-request-id': 'wins_secret' })]);
  await converse(url, ['wins_secret\u001b[31m\r\n\r\n']);
  await server.stop();
  expect(server.stdout).toContain('rejected an invalid request');
  expect(server.stdout + server.stderr).not.toMatch(/wins_secret|\\u001b\[31m/);
  for (const line of server.stdout.trimEnd().split('\n')) expect(JSON.parse(line)).toHaveProperty('level');
});

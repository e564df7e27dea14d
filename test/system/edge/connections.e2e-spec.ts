import { once } from 'node:events';
import { connect } from 'node:net';
import type { Person } from '../../harness/factories.js';
import { Workshop } from '../../harness/processes.js';
import { answersIn, converse, exchange, rawRequest } from '../../harness/raw.js';
import { until } from '../../harness/until.js';
import { serveMeteredTo, type Metered } from './meter.js';

/** How connections end, and what is no request to begin with. */

const TAGS = '/api/v1/tags';
const LARGE = Buffer.alloc(5 * 1024 * 1024, 'x');
const ALMOST = Buffer.alloc(1024 * 1024 - 1, 'x');
const TRIES = 10;

const workshop = new Workshop();
let service: Metered;
let url: string;
let ann: Person;

beforeAll(async () => {
  ({ service, person: ann } = await serveMeteredTo(workshop));
  ({ url } = service.server);
});
afterAll(() => workshop.clean());

const bearer = () => ({ authorization: `Bearer ${ann.token}` });
const json = { 'content-type': 'application/json' };
const nobody = { authorization: 'Bearer wins_nobody' };

/** Sends a body as slowly as the service takes it, and reads only when all is sent, as a simple client does. */
async function sendThenRead(head: string, body: Buffer): Promise<number> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const received: Buffer[] = [];
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.write(head);
    socket.write(body, (error) => (error ? reject(error) : resolve()));
  });
  socket.on('data', (chunk) => received.push(chunk)).end();
  await once(socket, 'close');
  return answersIn(Buffer.concat(received))[0]!.status;
}

describe('a refusal before the body was read', () => {
  it.each([
    ['413', 413, () => ({ ...bearer(), ...json }), LARGE],
    ['401', 401, () => ({ ...nobody, ...json }), LARGE],
    ['401 of a body that would have been taken', 401, () => ({ ...nobody, ...json }), ALMOST],
    ['415', 415, () => ({ ...bearer(), 'content-type': 'text/plain' }), LARGE],
  ])('reaches a client that sends everything first: %s', async (_, status, headers, body) => {
    for (let n = 0; n < TRIES; n++) {
      const head = rawRequest('POST', TAGS, { ...headers(), 'content-length': String(body.length) });
      expect(await sendThenRead(head, body)).toBe(status);
    }
  });

  it.each([
    ['413', 413, () => ({ ...bearer(), ...json })],
    ['401', 401, () => ({ ...nobody, ...json })],
  ])('reaches a client that sends chunks: %s', async (_, status, headers) => {
    const chunked = Buffer.concat([
      Buffer.from(`${LARGE.length.toString(16)}\r\n`),
      LARGE,
      Buffer.from('\r\n0\r\n\r\n'),
    ]);
    for (let n = 0; n < TRIES; n++) {
      const head = rawRequest('POST', TAGS, { ...headers(), 'transfer-encoding': 'chunked' });
      expect(await sendThenRead(head, chunked)).toBe(status);
    }
  });

  it('reaches fetch, which keeps its connections', async () => {
    for (let n = 0; n < TRIES; n++) {
      const answer = await fetch(url + TAGS, { method: 'POST', headers: { ...nobody, ...json }, body: ALMOST });
      expect([answer.status, (await answer.text()).length > 0]).toEqual([401, true]);
    }
  });

  it('does not hold a client that never stops sending', async () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
    socket.write(rawRequest('POST', TAGS, { ...nobody, ...json, 'content-length': String(2 ** 40) }));
    socket.resume();
    const send = () => !socket.destroyed && socket.write(ALMOST, () => setImmediate(send));
    send();
    await until(() => socket.destroyed, 20_000);
  });

  it('does not hold a client that goes on sending a little', async () => {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => undefined).resume();
    socket.write(rawRequest('POST', TAGS, { ...nobody, ...json, 'content-length': String(2 ** 40) }));
    const drip = setInterval(() => socket.write('x'), 100);
    await until(() => socket.destroyed, 20_000).finally(() => clearInterval(drip));
  });

  it('keeps the connection where little is left to be read', async () => {
    const body = '{"tag":{}}';
    const head = { ...nobody, ...json, connection: 'keep-alive', 'content-length': String(body.length) };
    const answers = answersIn(
      await converse(url, [rawRequest('POST', TAGS, head, body), rawRequest('GET', '/healthz')]),
    );
    expect(answers.map(({ status }) => status)).toEqual([401, 200]);
  });
});

/** A request of two lines and what follows them, with nothing added. */
const exactly = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`;
const get = ['GET /healthz HTTP/1.1', 'Connection: close'];
const post = (...lines: string[]) =>
  exactly(`POST ${TAGS} HTTP/1.1`, 'Host: x', 'Connection: close', 'Content-Type: application/json', ...lines);

describe('what a proxy could read in another way', () => {
  it.each([
    ['two hosts', exactly(...get, 'Host: a', 'Host: b'), 400],
    ['one host twice', exactly(...get, 'Host: a', 'hOST: a'), 400],
    ['two hosts in one', exactly(...get, 'Host: a, b'), 400],
    ['a host that is none', exactly(...get, 'Host: a/b'), 400],
    ['a host with a name in it', exactly(...get, 'Host: a@b'), 400],
    ['another coding before chunked', post('Transfer-Encoding: gzip, chunked') + '0\r\n\r\n', 501],
    ['chunked twice', post('Transfer-Encoding: chunked, chunked') + '0\r\n\r\n', 400],
    ['two codings in two lines', post('Transfer-Encoding: chunked', 'Transfer-Encoding: chunked') + '0\r\n\r\n', 400],
    ['a coding that is not chunked', post('Transfer-Encoding: identity') + '{}', 501],
    ['a coding in HTTP/1.0', post('Transfer-Encoding: chunked').replace('HTTP/1.1', 'HTTP/1.0') + '0\r\n\r\n', 400],
    ['a length beside chunks', post('Content-Length: 2', 'Transfer-Encoding: chunked') + '0\r\n\r\n', 400],
    ['two lengths', post('Content-Length: 2', 'Content-Length: 3') + '{}', 400],
    ['one length twice', post('Content-Length: 2', 'Content-Length: 2') + '{}', 400],
    ['a length with a sign', post('Content-Length: +2') + '{}', 400],
    ['a length that is a list', post('Content-Length: 2, 2') + '{}', 400],
    ['a line that is folded', post('X-Folded: a', ' b', 'Content-Length: 2') + '{}', 400],
    ['a space before a colon', post('Content-Length : 2') + '{}', 400],
    ['a line that ends with a bare LF', `GET /healthz HTTP/1.1\r\nHost: x\nConnection: close\r\n\r\n`, 400],
    ['a bare CR in a value', exactly(...get, 'Host: x', 'X-A: a\rb'), 400],
  ])('is refused: %s', async (_, request, status) => {
    const answers = answersIn(await converse(url, [request], 1_000));
    expect(answers.map((answer) => [answer.status, typeof (answer.body as { code?: unknown })?.code])).toEqual([
      [status, 'string'],
    ]);
    expect(answers[0]!.headers.get('x-request-id')).toBeTruthy();
  });

  it.each(['x', 'example.com:3000', '[::1]:80', '', 'a_b.local', '127.0.0.1:'])(
    'is none with the host "%s"',
    async (host) => {
      expect(await exchange(url, exactly(...get, `Host: ${host}`))).toMatchObject({ status: 200 });
    },
  );
});

/** What comes back before any body is sent, until the service is silent. */
async function beforeBody(headers: Record<string, string>): Promise<string> {
  const head = rawRequest('POST', TAGS, { ...json, 'content-length': '20', expect: '100-continue', ...headers });
  return (await converse(url, [head], 500)).toString();
}

describe('Expect: 100-continue', () => {
  it('is answered 401 at once without a token', async () => {
    expect(await beforeBody(nobody)).toMatch(/^HTTP\/1\.1 401 /);
  });

  it.each([
    ['a body of another type', 415, { 'content-type': 'text/plain' }],
    ['a body that is too large', 413, { 'content-length': '2000000' }],
  ])('is answered at once for %s', async (_, status, headers) => {
    expect(await beforeBody({ ...bearer(), ...headers })).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });

  it('is told to go on where the body will be read', async () => {
    expect(await beforeBody(bearer())).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\n/);
    const body = '{"tag":{"name":"c"}}';
    const head = { ...bearer(), ...json, 'content-length': String(body.length), expect: '100-continue' };
    const answer = await exchange(url, rawRequest('POST', TAGS, head), body);
    expect(answer.status).toBe(201);
  });
});

it('logs and counts what is refused before it is a request', async () => {
  const count = (status: number) => service.metric(`http_refused_total{status="${status}"}`);
  const before = [await count(400), await count(431)];
  const lines = () =>
    service.server.stdout
      .split('\n')
      .filter((line) => line.includes('rejected an invalid request'))
      .map((line) => JSON.parse(line) as { level: number; status: number; address: string });
  await exchange(url, 'garbage\r\n\r\n');
  await exchange(url, rawRequest('GET', '/', { 'x-large': 'x'.repeat(20_000) }));
  expect([await count(400), await count(431)]).toEqual(before.map((n) => n + 1));
  await until(() => lines().some(({ status }) => status === 431));
  for (const { level, address, ...line } of lines()) {
    expect([level, address]).toEqual([30, '127.0.0.1']);
    expect([400, 431]).toContain(line.status);
  }
  expect(service.server.stdout).not.toContain('garbage');
  expect(await count(408)).toBe(0);
});

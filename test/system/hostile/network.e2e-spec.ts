import { connect } from 'node:net';
import { serveMetered, type Metered } from '../edge/meter.js';
import type { Person } from '../../harness/factories.js';
import { Workshop } from '../../harness/processes.js';
import { answersIn, converse, exchange, rawRequest } from '../../harness/raw.js';
import { until } from '../../harness/until.js';

/** Requests on the wire that no client of good will sends. */

const TAGS = '/api/v1/tags';

const workshop = new Workshop();
let service: Metered;
let url: string;
let ann: Person;

beforeAll(async () => {
  const migrated = await workshop.migrated();
  ann = await migrated.make.person();
  await migrated.database.close();
  service = await serveMetered(workshop, migrated.url, { TRUST_PROXY: '127.0.0.1' });
  ({ url } = service.server);
});
afterAll(() => workshop.clean());

const bearer = () => ({ authorization: `Bearer ${ann.token}` });
const json = { 'content-type': 'application/json' };
const close = 'Connection: close\r\n\r\n';
const next = rawRequest('GET', '/healthz');
const chunked = (...chunks: string[]) => chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('');
const me = (tokens: string) => `GET /api/v1/me HTTP/1.1\r\nHost: x\r\n${tokens}${close}`;
const old = (line: string) => `GET /healthz HTTP/1.0\r\n${line}\r\n`;
const lengthOf = (text: string) => ({ 'content-length': String(text.length) });
const headOfPost = (headers = {}) =>
  rawRequest('POST', TAGS, { ...bearer(), ...json, 'transfer-encoding': 'chunked', ...headers });

/** @returns the statuses of all that came back, each of which must have the shape and the headers of every answer */
async function statusesOf(...parts: (string | Uint8Array)[]): Promise<number[]> {
  return answersIn(await converse(url, parts, 1_000)).map(({ status, headers, body }) => {
    expect(headers.get('x-request-id')).toBeTruthy();
    expect(headers.get('cache-control')).toBe('private, no-cache');
    if (status >= 400 && body !== undefined) {
      expect(body).toEqual(expect.objectContaining({ request_id: headers.get('x-request-id') }));
    }
    return status;
  });
}

/** Seconds of processor time for a body of chunks. */
async function costOf(body: Buffer, status: number): Promise<number> {
  const before = await service.cpu();
  const answer = await exchange(url, headOfPost(), body);
  if (answer.status !== status) throw new Error(`${answer.status} instead of ${status}`);
  return (await service.cpu()) - before;
}

describe('a length', () => {
  it.each(['1e3', '0x10', '-5', '5 5', '5;', '', '99999999999999999999', '4.0', '\u00b2'])(
    'of "%s" is no length',
    async (length) => {
      const head = rawRequest('POST', TAGS, { ...bearer(), ...json, 'content-length': length });
      expect(await statusesOf(Buffer.from(head + 'x'.repeat(20), 'latin1'))).toEqual([400]);
    },
  );
});

describe('chunks', () => {
  it.each([
    ['a size that is none', 'zz\r\nabc\r\n', 400],
    ['a size below zero', '-1\r\nabc\r\n', 400],
    ['a size beyond all numbers', 'fffffffffffffffff\r\nabc\r\n', 400],
    ['a line that ends with a bare LF', '2\n{}\n0\n\n', 400],
    ['an extension of 20 KB', `2;${'a=b;'.repeat(5_000)}\r\n{}\r\n0\r\n\r\n`, 413],
    ['extensions of 1 KB each', `1;${'a'.repeat(1_000)}\r\n \r\n`.repeat(50), 413],
    ['a length in the trailer', '2\r\n{}\r\n0\r\nContent-Length: 2\r\n\r\n', 400],
    ['a trailer of 20 KB', `2\r\n{}\r\n0\r\nX-A: ${'b'.repeat(20_000)}\r\n\r\n`, 431],
  ])('with %s are refused', async (_, body, status) => {
    const answers = answersIn(await converse(url, [headOfPost(), body], 1_000));
    // what Node's parser calls an overflow of extensions is told as what is malformed
    expect(answers.map((answer) => answer.status)).toEqual([status === 413 ? 400 : status]);
  });

  it('may have a trailer, which is not heeded', async () => {
    const body = `${chunked('{"tag":', '{"name":"t"}}')}0\r\nAuthorization: Bearer x\r\nX-Request-Id: trailing\r\n\r\n`;
    const answer = await exchange(url, headOfPost(), body);
    expect([answer.status, answer.headers.get('x-request-id')]).toEqual([201, expect.not.stringMatching('trailing')]);
  });

  it('may be small, and many', async () => {
    const body = JSON.stringify({ tag: { name: 'Small' }, padding: 'x'.repeat(5_000) });
    expect((await exchange(url, headOfPost(), `${chunked(...body)}0\r\n\r\n`)).status).toBe(201);
  });

  it('count however small they are, so that they cost no more than a body that is allowed', async () => {
    const whole = Buffer.from(`${chunked(' '.repeat(1_000_000))}0\r\n\r\n`);
    const tiny = Buffer.from(`${chunked(' ').repeat(1_000_000)}0\r\n\r\n`);
    await costOf(whole, 400);
    expect(await costOf(tiny, 413)).toBeLessThan(1 + 8 * (await costOf(whole, 400)));
  });
});

describe('headers', () => {
  const get = 'GET /healthz HTTP/1.1\r\nHost: x\r\n';

  it.each([
    ['a hundred of one name', `${get}${'X-A: b\r\n'.repeat(100)}${close}`, 200],
    ['a name of 8 KB', `${get}${'x'.repeat(8_192)}: b\r\n${close}`, 200],
    ['a name of 17 KB', `${get}${'x'.repeat(17_000)}: b\r\n${close}`, 431],
    ['as many as there may be', `${get}${'a:\r\n'.repeat(498)}${close}`, 200],
    ['one more', `${get}${'a:\r\n'.repeat(499)}${close}`, 431],
    ['another coding behind a thousand', `${get}${'a:\r\n'.repeat(1_100)}Transfer-Encoding: gzip, chunked\r\n${close}0\r\n\r\n`, 431], // prettier-ignore
    ['another host behind a thousand', `${get}${'a:\r\n'.repeat(1_100)}Host: y\r\n${close}`, 431],
    ['the only host behind a thousand', `GET /healthz HTTP/1.1\r\n${'a:\r\n'.repeat(1_100)}Host: y\r\n${close}`, 431],
  ])('%s', async (_, request, status) => {
    expect(await statusesOf(request)).toEqual([status]);
  });

  it('of a hundred tokens: the first counts', async () => {
    const others = 'Authorization: Bearer x\r\n'.repeat(99);
    const mine = `Authorization: Bearer ${ann.token}\r\n`;
    expect(await statusesOf(me(mine + others))).toEqual([200]);
    expect(await statusesOf(me(others + mine))).toEqual([401]);
  });

  it.each(['1.2.3.4, '.repeat(1_000), '::1,'.repeat(3_000), ','.repeat(15_000), '[::1]:80', '"', '%00'])(
    'of proxies that are none or too many change nothing: %s',
    async (chain) => {
      const request = (token: string) =>
        rawRequest('GET', '/api/v1/me', { authorization: `Bearer ${token}`, 'x-forwarded-for': chain });
      expect(await statusesOf(request(ann.token))).toEqual([200]);
      expect(await statusesOf(request('wins_nobody'))).toEqual([401]);
    },
  );
});

describe('a connection', () => {
  it('ends with the request that says so, whatever is sent behind it', async () => {
    for (const behind of [next, 'garbage', headOfPost()]) {
      expect(await statusesOf(rawRequest('GET', '/healthz') + behind)).toEqual([200]);
    }
  });

  it('that the client has closed on its side is answered all that was asked', async () => {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
    const received: Buffer[] = [];
    socket.on('data', (chunk) => received.push(chunk));
    socket.end(rawRequest('GET', TAGS, { ...bearer(), connection: 'keep-alive' }).repeat(20));
    await until(() => socket.readableEnded);
    socket.destroy();
    expect(answersIn(Buffer.concat(received)).map(({ status }) => status)).toEqual(Array(20).fill(200));
  });

  it.each([
    ['in a head', 'GET /healthz HTT'],
    ['in a body', rawRequest('POST', TAGS, { ...json, 'content-length': '50' }, '{"tag":')],
  ])('that the client closes %s is told that this was no request', async (_, part) => {
    const answers = answersIn(await converse(url, [part], 300));
    expect(answers).toHaveLength(1);
    expect([400, 401]).toContain(answers[0]!.status);
  });

  it('of HTTP/1.0 is kept where that is asked for, and else closed', async () => {
    expect(await statusesOf(old('Connection: keep-alive\r\n').repeat(3))).toEqual([200, 200, 200]);
    expect(await statusesOf(old('').repeat(3))).toEqual([200]);
  });

  it.each(['websocket', 'h2c', 'TLS/1.0', 'x'])('that is asked to become %s stays what it is', async (protocol) => {
    const wish = { connection: 'Upgrade, HTTP2-Settings', upgrade: protocol, 'http2-settings': 'AAMAAABkAARAAAAAAAIA' };
    const [answer, ...others] = answersIn(await converse(url, [rawRequest('GET', '/healthz', wish), next], 5_000));
    expect([answer!.status, answer!.headers.get('upgrade')]).toEqual([200, null]);
    // Node drops what is sent at once behind such a request: whoever is not answered has to be told.
    expect(others.length === 1 || answer!.headers.get('connection') === 'close').toBe(true);
    const body = `{"tag":{"name":"${protocol}"}}`;
    const post = { ...bearer(), ...json, ...wish, 'content-length': String(body.length) };
    expect(await statusesOf(rawRequest('POST', TAGS, post, body))).toEqual([201]);
  });
});

describe('a body where none belongs', () => {
  const large = 'x'.repeat(1024 * 1024);

  it.each([
    ['GET', '/healthz', 200],
    ['GET', TAGS, 200],
    ['HEAD', TAGS, 200],
    ['DELETE', `${TAGS}/999999`, 415],
  ])('%s %s', async (method, path, status) => {
    for (const text of ['{"a":1}', large]) {
      const kind = { ...bearer(), 'content-type': 'text/plain' };
      expect(await statusesOf(rawRequest(method, path, { ...kind, ...lengthOf(text) }, text))).toEqual([status]);
    }
  });

  it('is not taken for the next request', async () => {
    const smuggled = rawRequest('DELETE', '/api/v1/me');
    for (const method of ['GET', 'HEAD']) {
      const head = { ...bearer(), connection: 'keep-alive', ...lengthOf(smuggled) };
      expect(await statusesOf(rawRequest(method, '/api/v1/me', head, smuggled), next)).toEqual([200, 200]);
    }
  });
});

describe('a target', () => {
  it.each([
    ['*', 404],
    ['*?x=1', 404],
    ['/*', 404],
    ['//other.example/healthz', 404],
    ['ftp://other.example/healthz', 404],
    ['http://', 302],
    ['http://u:p@other.example/healthz', 200],
    ['/docs/../openapi.json', 404],
    ['/docs/%2e%2e/openapi.json', 404],
    ['/docs/..%2f..%2fpackage.json', 404],
    ['/docs/..\\..\\package.json', 404],
    ['/docs//swagger-ui.css', 404],
    ['/docs;a=b', 404],
    ['/docs/swagger-ui.css%00.js', 404],
    ['/docs/%c0%ae%c0%ae/package.json', 404],
    ['/docs/constructor', 404],
    [`/docs/${'../'.repeat(4_000)}`, 404],
    ['/docs/\u00ff', 400],
    ['/docs/\u0000', 400],
    ['/docs x', 400],
  ])('%s is answered %d', async (target, status) => {
    for (const method of ['GET', 'HEAD', 'OPTIONS']) {
      const answered = await statusesOf(Buffer.from(rawRequest(method, target), 'latin1'));
      expect([method, answered]).toEqual([method, [method === 'OPTIONS' && status < 400 ? 404 : status]]);
    }
  });

  it('that names another host gets links to no host', async () => {
    const target = 'http://other.example/api/v1/tags?per_page=1';
    const { status, headers } = await exchange(url, rawRequest('GET', target, { ...bearer(), host: 'third.example' }));
    expect([status, headers.get('link')]).toEqual([200, expect.not.stringMatching('example')]);
  });
});

it('answers 408 to who never comes to an end, however steadily a byte comes', async () => {
  const starts: [first: string, more: string][] = [
    ['GET /healthz HTTP/1.1\r\nHost: x\r\n', 'X-A: b\r\n'],
    [rawRequest('POST', TAGS, { ...bearer(), ...json, 'content-length': '100000' }), ' '],
    [headOfPost(), '1\r\n \r\n'],
    [`${headOfPost()}5;`, 'a'],
    [`${headOfPost()}2\r\n{}\r\n0\r\n`, 'X-A: b\r\n'],
    ['\r\n', '\r\n'],
  ];
  const answers = starts.map(async ([first, more]) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    let received = '';
    socket.on('error', () => undefined).on('data', (chunk) => (received += chunk));
    socket.write(first);
    const timer = setInterval(() => socket.writable && socket.write(more), 500);
    await until(() => socket.destroyed, 90_000).finally(() => clearInterval(timer));
    return received.slice(0, 12);
  });
  expect(await Promise.all(answers)).toEqual(Array(starts.length).fill('HTTP/1.1 408'));
}, 100_000);

import { startApp, type TestApp } from '../harness/app.js';
import type { Answer } from '../harness/client.js';
import { errors } from '../harness/errors.js';
import type { Person } from '../harness/factories.js';
import { countsOf, linksOf, walk } from '../harness/pages.js';
import { freePort } from '../harness/ports.js';
import { answersIn, converse, exchange, rawRequest } from '../harness/raw.js';
import { countRows } from '../harness/rows.js';
import { until } from '../harness/until.js';

/** What the service tells Prometheus. */
const metrics = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const TOO_LARGE = JSON.stringify({ tag: { name: 'x'.repeat(2 * 1024 * 1024) } });

/** The resources that work alike, each with a valid body and the answer to an id that none has. */
const RESOURCES = [
  { path: '/api/v1/tags', valid: { tag: { name: 'Valid' } }, notFound: errors.noTag },
  { path: '/api/v1/spaces', valid: { space: { name: 'Valid' } }, notFound: errors.noSpace },
];

let app: TestApp;
let metricsPort: number;
let ann: Person;

beforeAll(async () => {
  metricsPort = await freePort();
  app = await startApp({ METRICS_PORT: String(metricsPort) });
});
afterAll(() => app.close());
beforeEach(async () => {
  ann = await app.make.person({ plan: 'pro' });
});

const tagCount = (person = ann) => countRows(app.dataSource, 'tags', person);

const create = async (path: string, body: unknown) => (await app.as(ann).post<{ id: number }>(path, body)).body.id;

const bearer = ({ token }: Person) => ({ authorization: `Bearer ${token}` });

const postTag = (raw: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  app.as(ann).post<{ name: string }>('/api/v1/tags', undefined, { raw, headers });

const rawGet = (target: string) => exchange(app.url, rawRequest('GET', target, bearer(ann)));

/** What goes wrong before a handler is reached, as requests of anyone. */
const BAD_REQUESTS: [string, string, string, { json?: unknown; raw?: string; headers?: Record<string, string> }][] = [
  ['malformed JSON', 'POST', '/api/v1/tags', { raw: '{"tag":' }],
  ['a media type that is not JSON', 'POST', '/api/v1/tags', { raw: 'x', headers: { 'content-type': 'text/plain' } }],
  ['an invalid body', 'POST', '/api/v1/tags', { json: {} }],
  ['an unknown id', 'DELETE', '/api/v1/tags/9007199254740991', {}],
  ['an unknown route', 'POST', '/api/v1/nope', { json: {} }],
  ['a method that no route has', 'PUT', '/api/v1/tags/1', { json: {} }],
];

describe('the order of checks', () => {
  it.each([
    ...BAD_REQUESTS,
    ['a query that is not valid', 'GET', '/api/v1/tags?page=x', {}],
    ['an unknown route', 'GET', '/api/v1/nope', {}],
    ['a broken escape', 'GET', '/api/v1/tags/%zz', {}],
  ] as typeof BAD_REQUESTS)('asks for a token before it minds %s (%s %s)', async (_, method, path, options) => {
    const answer = await app.as().request(method, path, options);
    expect(answer).toEqual(errors.unauthenticated);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  it.each(BAD_REQUESTS)('asks for the scope before it minds %s (%s %s)', async (_, method, path, options) => {
    const token = await app.make.token(ann.id, { scope: 'read' });
    const answer = await app.as({ ...ann, token }).request(method, path, options);
    expect(answer).toEqual(errors.readOnly);
    expect(answer.headers.get('www-authenticate')).toContain('error="insufficient_scope"');
  });

  it('asks for token and scope before it reads a body that is too large', async () => {
    const headers = { 'content-type': 'application/json', 'content-length': String(TOO_LARGE.length) };
    const post = (authorization = {}) =>
      exchange(app.url, rawRequest('POST', '/api/v1/tags', { ...headers, ...authorization }), TOO_LARGE);
    const token = await app.make.token(ann.id, { scope: 'read' });
    expect(await post()).toEqual(errors.unauthenticated);
    expect(await post(bearer({ ...ann, token }))).toEqual(errors.readOnly);
    expect(await post(bearer(ann))).toEqual(errors.bodyTooLarge);
  });

  it.each(RESOURCES)('reads the body before it looks for the row ($path)', async ({ path, valid, notFound }) => {
    const patch = (raw: string, headers = {}) =>
      app.as(ann).patch(`${path}/9007199254740991`, undefined, { raw, headers });
    expect(await patch('{')).toEqual(errors.notJson);
    expect(await patch('x', { 'content-type': 'text/plain' })).toEqual(errors.notJsonType);
    expect(await patch('{}')).toMatchObject({ status: 422 });
    expect(await patch(JSON.stringify(valid))).toEqual(notFound);
  });
});

describe('tokens', () => {
  it('counts in the header only, never in the query or the body', async () => {
    const query = await app.as().get(`/api/v1/tags?access_token=${ann.token}`);
    expect(query).toEqual(errors.unauthenticated);
    const body = await app.as().post('/api/v1/tags', { access_token: ann.token, tag: { name: 'x' } });
    expect(body).toEqual(errors.unauthenticated);
    expect(await tagCount()).toBe(0);
  });

  it('takes `access_token` elsewhere for an unknown field', async () => {
    expect(await app.as(ann).get('/api/v1/tags?access_token=zzz')).toMatchObject({ status: 200 });
    const body = { access_token: 'zzz', tag: { name: 'x', access_token: 'zzz' } };
    expect(await app.as(ann).post('/api/v1/tags', body)).toMatchObject({ status: 201 });
  });
});

describe('routes that do not exist', () => {
  it.each([
    ['GET', '/nope'],
    ['GET', '/api'],
    ['GET', '/api/v1'],
    ['GET', '/api/v1/nope'],
    ['GET', '/API/V1/TAGS'],
    ['GET', '/api/v2/tags'],
    ['GET', '/api/v1/tags/1/wins'],
    ['GET', '//api/v1/tags'],
    ['PUT', '/api/v1/tags/1'],
    ['POST', '/api/v1/tags/1'],
    ['PATCH', '/api/v1/tags'],
    ['DELETE', '/api/v1/spaces'],
    ['OPTIONS', '/api/v1/tags'],
    ['PROPFIND', '/api/v1/tags'],
  ])('%s %s is 404 in JSON, whatever the client would rather have', async (method, path) => {
    const answer = await app.as(ann).request(method, path, { headers: { accept: 'text/html' } });
    expect(answer).toEqual(errors.noRoute);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  it.each([
    ['broken JSON', 'POST', { raw: '{' }],
    ['another media type', 'POST', { raw: 'x', headers: { 'content-type': 'text/plain' } }],
    ['a media type that is none', 'PUT', { raw: 'x', headers: { 'content-type': '/' } }],
    ['deep nesting', 'PATCH', { raw: '['.repeat(100_000) }],
    ['no body where one is a must', 'QUERY', {}],
  ])('are 404 with %s too (%s)', async (_, method, options) => {
    expect(await app.as(ann).request(method, '/api/v1/nope', options)).toEqual(errors.noRoute);
    expect(await app.as().request(method, '/nope', options)).toEqual(errors.noRoute);
  });

  it('are 404 without a token too, outside the API', async () => {
    expect(await app.as().get('/nope')).toEqual(errors.noRoute);
  });
});

describe('paths', () => {
  it.each(RESOURCES)('$path/ is the list, and makes things like it', async ({ path, valid }) => {
    const made = await app.as(ann).post<{ id: number }>(`${path}/`, valid);
    expect(made.status).toBe(201);
    expect(made.headers.get('location')).toBe(`${path}/${made.body.id}`);
    expect((await app.as(ann).get(`${path}/`)).body).toEqual([made.body]);
    expect((await app.as(ann).get(`${path}/${made.body.id}/`)).body).toEqual(made.body);
  });

  it.each(RESOURCES)('$path/:id takes no other spelling of an id', async ({ path, valid, notFound }) => {
    const id = await create(path, valid);
    const spellings = [
      `0x${id.toString(16)}`,
      `${id}e0`,
      `${id}.0`,
      `${id}abc`,
      `%20${id}`,
      `${id}%20`,
      `+${id}`,
      `%2B${id}`,
      `-${id}`,
      `0${id}`,
      `${id}n`,
      `${id},${id}`,
      `${id}%00`,
      `${id}%0A`,
      `${id}%2F`,
      `${id};v=1`,
      '0',
      '-0',
      '-1',
      'NaN',
      'null',
      'undefined',
      'true',
      'Infinity',
      'list',
      '*',
      '%00',
      '%20',
      '%F0%9F%98%80',
      '%D9%A1',
      '2147483648',
      '9007199254740991',
      '9007199254740993',
      '9223372036854775808',
      '99999999999999999999',
      '9'.repeat(10_000),
      '%zz',
      '%',
      '%E0%A4%A',
    ];
    for (const spelling of spellings) {
      const where = `${path}/${spelling}`;
      expect([where, await app.as(ann).get(where)]).toEqual([where, notFound]);
      expect([where, await app.as(ann).patch(where, valid)]).toEqual([where, notFound]);
      expect([where, await app.as(ann).delete(where)]).toEqual([where, notFound]);
    }
    expect(await app.as(ann).get(`${path}/${id}`)).toMatchObject({ status: 200 });
  });

  it('with a broken escape lead nowhere, as they come over the wire', async () => {
    expect(await rawGet('/api/v1/tags/%zz')).toEqual(errors.noTag);
    expect(await rawGet('/api/v1/%zz/1')).toEqual(errors.noRoute);
    expect(await rawGet('/%zz')).toEqual(errors.noRoute);
    expect(await rawGet('/api/v1/tags?x=%zz')).toMatchObject({ status: 200 });
  });

  it('may be whole URLs, whose host does not matter', async () => {
    for (const origin of ['http://elsewhere.example', 'HTTPS://Elsewhere.example:8443']) {
      const answer = await rawGet(`${origin}/api/v1/tags`);
      expect(answer).toMatchObject({ status: 200, body: [] });
      expect(linksOf(answer).first).toBe('/api/v1/tags?page=1&per_page=25');
    }
    const unknown = await exchange(app.url, rawRequest('GET', 'http://elsewhere.example/api/v1/nope'));
    expect(unknown).toEqual(errors.unauthenticated);
  });
});

/** The headers that say something of the answer, not of the connection it came over. */
const lastingHeaders = ({ headers }: Answer) =>
  [...headers].filter(
    ([name]) => !['date', 'connection', 'keep-alive', 'x-ratelimit-remaining', 'x-ratelimit-reset'].includes(name),
  );

describe('HEAD', () => {
  it.each(['/api/v1/tags', '/api/v1/tags/:id', '/api/v1/tags/0', '/api/v1/nope', '/healthz'])(
    'of %s answers like GET, without a body',
    async (path) => {
      const where = path.replace(':id', String(await create('/api/v1/tags', { tag: { name: 'Launch' } })));
      const headers = { 'x-request-id': 'the-same' };
      const [get, head] = [await app.as(ann).get(where, { headers }), await app.as(ann).head(where, { headers })];
      expect(head.text).toBe('');
      expect(head.status).toBe(get.status);
      expect(lastingHeaders(head)).toEqual(lastingHeaders(get));
    },
  );

  it('asks for a token', async () => {
    expect(await app.as().head('/api/v1/tags')).toMatchObject({ status: 401, text: '' });
  });

  it('is reading, so that a token of scope `read` may', async () => {
    const token = await app.make.token(ann.id, { scope: 'read' });
    expect(await app.as({ ...ann, token }).head('/api/v1/tags')).toMatchObject({ status: 200 });
  });
});

describe('the headers of every answer', () => {
  it.each([
    [200, 'GET', '/api/v1/tags', {}],
    [201, 'POST', '/api/v1/tags', { json: { tag: { name: 'x' } } }],
    [204, 'DELETE', '/api/v1/tags/:id', {}],
    [400, 'POST', '/api/v1/tags', { raw: '{' }],
    [404, 'GET', '/api/v1/tags/0', {}],
    [404, 'GET', '/nope', {}],
    [415, 'POST', '/api/v1/tags', { raw: 'x', headers: { 'content-type': 'text/plain' } }],
    [422, 'POST', '/api/v1/tags', { json: {} }],
    [200, 'GET', '/healthz', {}],
  ])('are there on %i (%s %s)', async (status, method, path, options) => {
    const where = path.replace(':id', String(await create('/api/v1/tags', { tag: { name: 'Launch' } })));
    const answer = await app.as(ann).request(method, where, options);
    expect(answer.status).toBe(status);
    expectCommonHeaders(answer);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-security-policy': "default-src 'none';frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'strict-transport-security': expect.stringContaining('max-age='),
    });
    for (const name of ['x-powered-by', 'server', 'set-cookie']) expect(answer.headers.has(name)).toBe(false);
  });

  it('are there on 401', async () => {
    const answer = await app.as().get('/api/v1/tags');
    expect(answer).toEqual(errors.unauthenticated);
    expectCommonHeaders(answer);
  });
});

function expectCommonHeaders({ headers }: Answer): void {
  expect(headers.get('x-request-id')).toMatch(UUID);
  expect(headers.get('cache-control')).toBe('private, no-cache');
  expect(headers.get('vary')).toBe('Authorization, Origin');
}

const idOf = async (id: string) =>
  (await app.as(ann).get('/api/v1/tags', { headers: { 'x-request-id': id } })).headers.get('x-request-id');

describe('X-Request-Id', () => {
  it.each(['a', '0b9c1f0e-8d1c-4c65-a6a1-6d1f0f7f7e0c', 'Root=1-67891233-abcdef', 'x'.repeat(128)])(
    'keeps %s',
    async (id) => {
      expect(await idOf(id)).toBe(id);
    },
  );

  it.each(['', 'a b', 'a,b', '<script>', '"a"', '{}', 'caf\u00e9', 'x'.repeat(129)])('replaces "%s"', async (id) => {
    expect(await idOf(id)).toMatch(UUID);
  });

  it('replaces two of them', async () => {
    const request = rawRequest('GET', '/healthz', { 'x-request-id': 'a', 'X-Request-Id': 'b' });
    expect((await exchange(app.url, request)).headers.get('x-request-id')).toMatch(UUID);
  });

  it('is another one for each request, and the one in the body of an error', async () => {
    const get = () => app.as(ann).get<{ request_id: string }>('/api/v1/tags/0');
    const [first, second] = [await get(), await get()];
    expect(first.body.request_id).toBe(first.headers.get('x-request-id'));
    expect(second.body.request_id).not.toBe(first.body.request_id);
    const { body } = await app.as(ann).get('/nope', { headers: { 'x-request-id': 'mine' } });
    expect(body).toMatchObject({ request_id: 'mine' });
  });
});

describe('media types', () => {
  const valid = JSON.stringify({ tag: { name: 'Launch' } });

  it.each([
    'application/json',
    'APPLICATION/JSON;charset=UTF-8',
    'application/json; charset=utf-8',
    'application/json; charset="utf-8"',
    'application/json; profile=x',
  ])('takes %s', async (type) => {
    expect(await postTag(valid, { 'content-type': type })).toMatchObject({ status: 201 });
  });

  it.each([
    'foo',
    'text/plain',
    'text/json',
    'text/html',
    'application/xml',
    'application/jsonp',
    'application/vnd.api+json',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'multipart/form-data; boundary=x',
    'application/octet-stream',
    'application/json, text/plain',
    '*/*',
  ])('refuses %s', async (type) => {
    expect(await postTag(valid, { 'content-type': type })).toEqual(errors.notJsonType);
    expect(await tagCount()).toBe(0);
  });

  it.each(['latin1', 'utf-16', 'ISO-8859-1', '"us-ascii"'])('refuses JSON in %s', async (charset) => {
    const type = `application/json; charset=${charset}`;
    expect(await postTag(valid, { 'content-type': type })).toEqual(errors.notUtf8);
  });

  it('refuses a form, whatever it is called', async () => {
    const form = 'tag[name]=Launch';
    expect(await postTag(form, { 'content-type': 'application/x-www-form-urlencoded' })).toEqual(errors.notJsonType);
    expect(await postTag(form)).toEqual(errors.notJson);
  });

  it('refuses a body of no type', async () => {
    const headers = { ...bearer(ann), 'content-length': String(valid.length) };
    const answer = await exchange(app.url, rawRequest('POST', '/api/v1/tags', headers, valid));
    expect(answer).toEqual(errors.notJsonType);
  });

  it('minds no type where there is no body', async () => {
    const id = await create('/api/v1/tags', { tag: { name: 'Launch' } });
    const headers = { 'content-type': 'application/json' };
    expect(await app.as(ann).get('/api/v1/tags', { headers })).toMatchObject({ status: 200 });
    expect(await app.as(ann).delete(`/api/v1/tags/${id}`, { headers })).toMatchObject({ status: 204, text: '' });
  });
});

describe('bodies', () => {
  it.each([
    '{"tag":{"name":',
    '{"tag":{"name":"a"}} x',
    '{"tag":{"name":"a"}}{"tag":{"name":"b"}}',
    "{'tag':{'name':'a'}}",
    '{"tag":{"name":"a",}}',
    '{"tag":{"name":"a\tb"}}',
    '{"tag":{"name":"\\ud83"}}',
    '{"tag":{"name":NaN}}',
    '{tag:{name:"a"}}',
    '// {}',
    'undefined',
    'nope',
    ' ',
    '\u0000',
    '\ufeff{"tag":{"name":"a"}}',
  ])('refuses what is not JSON: %j', async (raw) => {
    const answer = await postTag(raw);
    expect(answer).toEqual(errors.notJson);
    expect(await tagCount()).toBe(0);
  });

  it.each([
    ['a lone byte', [0xff]],
    ['a sequence cut short', [0xe2, 0x82]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['half of a surrogate pair', [0xed, 0xa0, 0x80]],
  ])('refuses bytes that are not UTF-8: %s', async (_, bytes) => {
    const [before, after] = ['{"tag":{"name":"a', '"}}'].map((text) => Buffer.from(text));
    expect(await postTag(new Uint8Array([...before!, ...bytes, ...after!]))).toEqual(errors.notJson);
    expect(await tagCount()).toBe(0);
  });

  it('refuses UTF-16', async () => {
    expect(await postTag(new Uint8Array(Buffer.from('{"tag":{"name":"a"}}', 'utf16le')))).toEqual(errors.notJson);
  });

  it('takes an empty one for none', async () => {
    expect(await postTag('')).toEqual(errors.invalid('tag wrapper_missing'));
  });

  it.each([
    ['arrays', '['],
    ['objects', '{"a":'],
  ])('refuses %s that are nested too deeply, without running out of stack', async (_, open) => {
    expect(await postTag(`{"tag":${open.repeat(20)}`)).toEqual(errors.nestedTooDeeply);
    expect(await postTag(open.repeat(150_000))).toEqual(errors.nestedTooDeeply);
  });

  it('takes brackets in a text for text', async () => {
    const name = '[{"\\'.repeat(6);
    expect(await app.as(ann).post('/api/v1/tags', { tag: { name } })).toMatchObject({ status: 201, body: { name } });
  });

  it('takes the last of two keys of one name, as JSON.parse does', async () => {
    const answer = await postTag('{"tag":{"name":"first","name":"second"},"tag":{"name":"third"}}');
    expect(answer).toMatchObject({ status: 201, body: { name: 'third' } });
    expect(await tagCount()).toBe(1);
  });

  it.each([
    '{"tag":{"name":"p","__proto__":{"admin":true}}}',
    '{"tag":{"name":"p"},"__proto__":{"admin":true}}',
    '{"tag":{"name":"p","\\u005f_proto__":{"admin":true}}}',
    '{"tag":{"name":"p","constructor":{"prototype":{"admin":true}}}}',
    '{"tag":{"name":"p","x":{"constructor":"y"}},"x":[{"constructor":null}],"constructor":1}',
    '{"tag":{"name":"p","toString":1,"hasOwnProperty":null,"then":{},"valueOf":[],"length":-1}}',
  ])('ignores the keys that could reach a prototype: %s', async (raw) => {
    expect(await postTag(raw)).toMatchObject({ status: 201, body: { name: 'p' } });
    expect('admin' in {}).toBe(false);
    expect(await app.as(ann).get('/api/v1/tags')).toMatchObject({ status: 200, body: [{ name: 'p' }] });
  });

  it('finds no wrapper in a prototype', async () => {
    expect(await postTag('{"__proto__":{"tag":{"name":"p"}}}')).toEqual(errors.invalid('tag wrapper_missing'));
    expect(await postTag('{"tag":{"__proto__":{"name":"p"}}}')).toEqual(errors.invalid('tag.name required'));
  });

  it.each([
    ['with its length', 'content-length', String(TOO_LARGE.length), TOO_LARGE],
    ['in chunks', 'transfer-encoding', 'chunked', `${TOO_LARGE.length.toString(16)}\r\n${TOO_LARGE}\r\n0\r\n\r\n`],
  ])('refuses one of 2 MiB, sent %s, and goes on', async (_, header, value, body) => {
    const headers = { ...bearer(ann), 'content-type': 'application/json', [header]: value };
    const answer = await exchange(app.url, rawRequest('POST', '/api/v1/tags', headers), body);
    expect(answer).toEqual(errors.bodyTooLarge);
    expect(await app.as(ann).get('/api/v1/tags')).toMatchObject({ status: 200, body: [] });
  });

  it('reads one of almost 1 MiB', async () => {
    const name = 'x'.repeat(1024 * 1024 - 100);
    expect(await app.as(ann).post('/api/v1/tags', { tag: { name } })).toEqual(errors.invalid('tag.name too_long'));
  });
});

describe('what is hardly HTTP', () => {
  it.each([
    ['garbage', 'garbage\r\n\r\n'],
    ['a method nobody knows', rawRequest('FOO', '/api/v1/tags')],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a method of HTTP/2 without a version', 'PRI /api/v1/tags\r\n\r\n'],
    ['a method of RTSP without a version', 'DESCRIBE /api/v1/tags\r\n\r\n'],
    ['a method of RTSP with its version', 'DESCRIBE /api/v1/tags RTSP/1.0\r\n\r\n'],
    ['a tunnel to somewhere', rawRequest('CONNECT', 'elsewhere.example:443')],
    [
      'a length beside chunks',
      rawRequest('POST', '/', { 'content-length': '5', 'transfer-encoding': 'chunked' }, '{}'),
    ],
    ['two lengths', rawRequest('POST', '/', { 'content-length': '5', 'Content-Length': '6' }, '{}')],
    ['a control character in a header', rawRequest('GET', '/', { authorization: 'Bearer a\u0000b' })],
    ['no path', rawRequest('GET', '')],
    ['no host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n'],
  ])('is refused in the one shape: %s', async (_, request) => {
    const answer = await exchange(app.url, request);
    expect(answer).toEqual(errors.malformed);
    expectCommonHeaders(answer);
    expect(answer.headers.get('x-request-id')).toBe((answer.body as { request_id: string }).request_id);
  });

  it('is refused for its headers when they are too large', async () => {
    const answer = await exchange(app.url, rawRequest('GET', '/healthz', { 'x-large': 'x'.repeat(20_000) }));
    expect(answer).toEqual(errors.headersTooLarge);
    expectCommonHeaders(answer);
  });

  it.each([
    ['garbage', 'garbage\r\n\r\n'],
    ['headers that are too large', rawRequest('GET', '/healthz', { 'x-large': 'x'.repeat(20_000) })],
    ['broken chunks', rawRequest('POST', '/api/v1/tags', { 'transfer-encoding': 'chunked' }, 'x\r\n')],
  ])('closes the connection once the requests before it have their responses: %s', async (_, unreadable) => {
    const headers = { ...bearer(ann), connection: 'keep-alive' };
    const whole = ['/api/v1/me', '/docs/swagger-ui-bundle.js', '/api/v1/tags'].map((path) =>
      rawRequest('GET', path, headers),
    );
    const answers = answersIn(await converse(app.url, [[...whole, unreadable].join('')]));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(answers[2]).toMatchObject({ body: [] });
    expect(answers.map((answer) => answer.headers.get('connection'))).toEqual(['keep-alive', 'keep-alive', 'close']);
  });

  it('is no reason to refuse an expectation that nobody knows', async () => {
    const answer = await exchange(app.url, rawRequest('GET', '/healthz', { expect: 'the unexpected' }));
    expect(answer).toMatchObject({ status: 200, body: { status: 'ok' } });
  });
});

describe('writes that fail', () => {
  it('leave every connection to the database free, however many they are', async () => {
    const free = await app.make.person();
    const post = (path: string, body: object) => app.as(free).post(path, body);
    for (const name of ['One', 'Two', 'Three']) await post('/api/v1/spaces', { space: { name } });
    const { body: launch } = await app.as(free).post<{ id: number }>('/api/v1/tags', { tag: { name: 'Launch' } });
    const abandoned = JSON.stringify({ space: { name: 'Four' } });
    const refused = Array.from({ length: 50 }, async () => {
      expect(await post('/api/v1/spaces', { space: { name: 'Four' } })).toEqual(errors.spaceLimit);
      expect(await post('/api/v1/tags', { tag: { name: 'launch' } })).toEqual(errors.taken(launch.id));
      expect(await post('/api/v1/wins', { win: { body: 'x', space_id: 9007199254740991 } })).toMatchObject({
        status: 422,
      });
      const leaving = new AbortController();
      const headers = { ...bearer(free), 'content-type': 'application/json' };
      const { signal } = leaving;
      const left = fetch(`${app.url}/api/v1/spaces`, { method: 'POST', headers, body: abandoned, signal });
      setImmediate(() => leaving.abort());
      await left.catch(() => undefined);
    });
    await Promise.all(refused);
    expect(await app.as(free).get('/api/v1/spaces')).toMatchObject({ status: 200, body: { length: 3 } });
    await until(async () => (await metrics()).includes('database_connections{state="busy"} 0'));
    expect(await metrics()).toContain('database_connections{state="waiting"} 0');
  });
});

describe.each([
  { path: '/api/v1/tags', insert: `insert into tags (user_id, name) select $1, 'Tag ' || n` },
  { path: '/api/v1/spaces', insert: `insert into spaces (user_id, name, position) select $1, 'Space', n % 3` },
])('the pages of $path', ({ path, insert }) => {
  /** In one transaction, so that all have one time. */
  const fill = (count: number) => app.dataSource.query(`${insert} from generate_series(1, $2::int) n`, [ann.id, count]);
  const list = (query = '') => app.as(ann).get<{ id: number }[]>(path + query);

  const at = (page: number) => `${path}?per_page=7&page=${page}`;

  it('have 25 items unless told otherwise', async () => {
    await fill(30);
    const answer = await list();
    expect(answer.body).toHaveLength(25);
    expect(countsOf(answer)).toEqual([30, 1, 25]);
  });

  it('show each item once, in the same order on every walk', async () => {
    await fill(60);
    const whole = (await list('?per_page=100')).body;
    expect(new Set(whole.map(({ id }) => id)).size).toBe(60);
    for (let round = 0; round < 3; round++) {
      expect(await walk(app.as(ann), `${path}?per_page=7`)).toEqual(whole);
    }
  });

  it('name their neighbours', async () => {
    await fill(60);
    const ends = { first: at(1), last: at(9) };
    expect(linksOf(await app.as(ann).get(at(1)))).toEqual({ ...ends, next: at(2) });
    expect(linksOf(await app.as(ann).get(at(5)))).toEqual({ ...ends, prev: at(4), next: at(6) });
    expect(linksOf(await app.as(ann).get(at(9)))).toEqual({ ...ends, prev: at(8) });
    expect(linksOf(await app.as(ann).get(at(50)))).toEqual({ ...ends, prev: at(9) });
  });

  it('keep nothing in their links that the list does not know', async () => {
    const { first } = linksOf(await list('?x=a%26b&per_page=5'));
    expect(Object.fromEntries(new URLSearchParams(first!.split('?')[1]))).toEqual({ page: '1', per_page: '5' });
  });

  it.each(['page=', 'per_page=', 'page=&per_page='])('take the empty %s for none', async (query) => {
    await fill(3);
    expect(countsOf(await list(`?${query}`))).toEqual([3, 1, 25]);
  });

  it('are empty past the end', async () => {
    await fill(3);
    const answer = await list('?page=2');
    expect(answer.body).toEqual([]);
    expect(countsOf(answer)).toEqual([3, 2, 25]);
  });

  it('end where a page is just full', async () => {
    await fill(10);
    const answer = await list('?per_page=5&page=2');
    expect(answer.body).toHaveLength(5);
    expect(linksOf(answer).next).toBeUndefined();
  });

  it.each([
    ['?page=0', 1, 25, 3],
    ['?page=-5', 1, 25, 3],
    ['?page=-99999999999999999999', 1, 25, 3],
    ['?page=007', 7, 25, 0],
    ['?per_page=0', 1, 1, 1],
    ['?per_page=-1', 1, 1, 1],
    ['?per_page=1000', 1, 100, 3],
    ['?per_page=2147483647', 1, 100, 3],
    ['?per_page=99999999999999999999', 1, 100, 3],
    ['?page=2147483647&per_page=100', 2_147_483_647, 100, 0],
    ['?page=9223372036854775807', 2_147_483_647, 25, 0],
    [`?page=${'9'.repeat(400)}`, 2_147_483_647, 25, 0],
  ])('clamp %s', async (query, page, perPage, length) => {
    await fill(3);
    const answer = await list(query);
    expect(answer.status).toBe(200);
    expect(countsOf(answer)).toEqual([3, page, perPage]);
    expect(answer.body).toHaveLength(length);
  });

  it('have at most 100 items', async () => {
    await fill(101);
    expect((await list('?per_page=101')).body).toHaveLength(100);
  });

  it.each([
    'abc',
    '1.5',
    '1.0',
    '1e2',
    '0x1',
    '+1',
    '%201',
    '1%20',
    '%00',
    'null',
    'NaN',
    'Infinity',
    '--1',
    '1,2',
    '%D9%A1',
    '%zz',
    '1&page=2',
    '1&page=1',
  ])('refuse page=%s and the like of per_page', async (value) => {
    expect(await list(`?page=${value}`)).toEqual(errors.invalid('page not_an_integer'));
    expect(await list(`?per_page=${value.replace('page', 'per_page')}`)).toEqual(
      errors.invalid('per_page not_an_integer'),
    );
  });

  it('tell both faults at once', async () => {
    expect(await list('?page=x&per_page=y')).toEqual(errors.invalid('page not_an_integer', 'per_page not_an_integer'));
  });

  it.each(['?page[]=2', '?page[a]=2', '?limit=1', '?offset=2', '?constructor=1', '?__proto__=1', '?x&x', '??', '?&='])(
    'ignore %s',
    async (query) => {
      await fill(3);
      const answer = await list(query);
      expect(answer.status).toBe(200);
      expect(countsOf(answer)).toEqual([3, 1, 25]);
      expect(answer.body).toHaveLength(3);
    },
  );
});

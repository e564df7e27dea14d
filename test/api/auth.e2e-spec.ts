import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { createToken, digestOf } from '../../src/auth/token.js';
import { AuthenticationError } from '../../src/common/errors.js';
import { countWaits } from '../harness/cluster.js';
import { startApp, type TestApp } from '../harness/app.js';
import type { Answer } from '../harness/client.js';
import { document } from '../harness/document.js';
import type { Person } from '../harness/factories.js';
import { untilRefused } from '../harness/revocation.js';
import { until } from '../harness/until.js';

interface Token {
  id: number;
  name: string;
  scope: string;
  expires_at: string | null;
  created_at: string;
  token?: string;
}

interface Failure {
  error: string;
  code: string;
  request_id: string;
  details?: { field: string; code: string; message: string }[];
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const HOUR = 3_600_000;

let app: TestApp;
let ann: Person;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  ann = await app.make.person();
});

const sha256 = (text: string) => createHash('sha256').update(text).digest();

const withHeader = (authorization: string) => app.as().get<Failure>('/api/v1/tags', { headers: { authorization } });

function expectUnauthenticated(answer: Answer<unknown>, tokenWasSent: boolean): void {
  expect(answer.status).toBe(401);
  expect(answer.body).toEqual({
    error: 'Authentication required',
    code: 'unauthenticated',
    request_id: expect.any(String),
  });
  expect(answer.headers.get('www-authenticate')).toBe(tokenWasSent ? 'Bearer error="invalid_token"' : 'Bearer');
}

/** Sends a request that has to wait for the delete of its caller, which then succeeds. */
async function whileDeleting<T>(send: () => Promise<Answer<T>>): Promise<Answer<T>> {
  const operator = app.dataSource.createQueryRunner();
  await operator.startTransaction();
  try {
    const [{ pid }] = await operator.query('select pg_backend_pid() as pid');
    await operator.query('delete from users where id = $1', [ann.id]);
    const answer = send();
    await until(async () => (await countWaits((text) => app.dataSource.query(text), pid)) > 0);
    await operator.commitTransaction();
    return await answer;
  } finally {
    await operator.release();
  }
}

/** The codes of a 422, by field. */
const faults = ({ status, body }: Answer<Failure>) => ({
  status,
  details: body.details?.map(({ field, code }) => `${field} ${code}`),
});

describe('The Authorization header', () => {
  it.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('takes the scheme %s, its case does not matter', async (scheme) => {
    expect((await withHeader(`${scheme} ${ann.token}`)).status).toBe(200);
  });

  it('is asked for when it is missing', async () => {
    expectUnauthenticated(await app.as().get('/api/v1/tags'), false);
  });

  it.each(['', 'Basic x', 'Basic dXNlcjpwYXNz', 'Bearer', 'Bearer ', 'Bearer   ', 'Token', 'Bearerx'])(
    'that has no bearer token (%j) is the same as none',
    async (header) => expectUnauthenticated(await withHeader(header), false),
  );

  it('with the token of the caller under another scheme is the same as none', async () => {
    expectUnauthenticated(await withHeader(`Basic ${ann.token}`), false);
    expectUnauthenticated(await withHeader(ann.token), false);
  });

  it.each([
    'undefined',
    'null',
    'a',
    'wins_',
    `wins_${'0'.repeat(64)}`,
    `wins_${'z'.repeat(64)}`,
    `wins_${'a'.repeat(5_000)}`,
    'a b',
    'a%00b',
    `' or 1=1 --`,
    '\u00e9\u00ff',
  ])('with something that was never a token (Bearer %j) is refused', async (token) =>
    expectUnauthenticated(await withHeader(`Bearer ${token}`), true),
  );

  it('with a typo in the token is refused, wherever the typo is', async () => {
    const { token } = ann;
    for (const at of [0, 4, 5, 33, token.length - 8, token.length - 1]) {
      const typo = token.slice(0, at) + (token[at] === 'a' ? 'b' : 'a') + token.slice(at + 1);
      expectUnauthenticated(await withHeader(`Bearer ${typo}`), true);
    }
    for (const wrong of [token.slice(0, -1), `${token}0`, token.toUpperCase(), `${token} ${token}`, `${token},`]) {
      expectUnauthenticated(await withHeader(`Bearer ${wrong}`), true);
    }
  });

  it('with a well-formed token that nobody was given is refused', async () => {
    expectUnauthenticated(await withHeader(`Bearer ${createToken()}`), true);
  });

  it.each(['f', '0'])('with a token of version 0.1.0 that begins with %s is accepted', async (digit) => {
    const start = `wins_${digit.repeat(16)}${randomBytes(20).toString('hex')}`;
    const token = start + crc32(start).toString(16).padStart(8, '0');
    const text = `insert into api_tokens (user_id, digest, name, scope) values ($1, $2, 'Old', 'read')`;
    await app.dataSource.query(text, [ann.id, digestOf(token)]);
    expect((await withHeader(`Bearer ${token}`)).status).toBe(200);
  });

  it('with an expired token is refused', async () => {
    const expired = await app.make.token(ann.id, { expiresAt: new Date(Date.now() - 1) });
    expectUnauthenticated(await withHeader(`Bearer ${expired}`), true);
  });

  it('with a token is taken until the token expires, and no longer', async () => {
    const expiresAt = new Date(Date.now() + 2_000);
    const token = await app.make.token(ann.id, { expiresAt });
    const answers: { status: number; sent: number; received: number }[] = [];
    await until(async () => {
      const sent = Date.now();
      const { status } = await withHeader(`Bearer ${token}`);
      answers.push({ status, sent, received: Date.now() });
      return status === 401;
    });
    const refused = answers.pop()!;
    expect(refused.received).toBeGreaterThanOrEqual(expiresAt.getTime());
    expect(answers.length).toBeGreaterThan(0);
    for (const { status, sent } of answers) {
      expect(status).toBe(200);
      expect(sent).toBeLessThanOrEqual(expiresAt.getTime());
    }
  });

  it('with a token of a user who was deleted is refused within a second', async () => {
    const tokens = [ann.token, await app.make.token(ann.id)];
    for (const token of tokens) expect((await withHeader(`Bearer ${token}`)).status).toBe(200);
    await app.make.auth.deleteUser(ann.email);
    for (const token of tokens) {
      await untilRefused(() => withHeader(`Bearer ${token}`));
      expectUnauthenticated(await withHeader(`Bearer ${token}`), true);
    }
  });

  it.each([
    ['/api/v1/tags', { tag: { name: 'x' } }],
    ['/api/v1/spaces', { space: { name: 'x' } }],
    ['/api/v1/tokens', { token: { name: 'x' } }],
  ])('with a token of a user who is deleted while POST %s runs is refused', async (path, json) => {
    expectUnauthenticated(await whileDeleting(() => app.as(ann).post(path, json)), true);
  });

  it('with a token of a user who is deleted while POST /api/v1/wins runs makes no win, since the space is gone', async () => {
    const { body: space } = await app.as(ann).post<{ id: number }>('/api/v1/spaces', { space: { name: 'Work' } });
    const win = { body: 'x', space_id: space.id, tag_names: ['new'] };
    const answer = await whileDeleting(() => app.as(ann).post<Failure>('/api/v1/wins', { win }));
    expect(faults(answer)).toEqual({ status: 422, details: ['win.space_id not_found'] });
  });

  it('with a token of a user who is deleted while GET /api/v1/me runs is refused', async () => {
    const caller = (await app.make.auth.findCaller(ann.token))!;
    await app.make.auth.deleteUser(ann.email);
    await expect(app.make.auth.getAccount(caller)).rejects.toBeInstanceOf(AuthenticationError);
  });

  it('is looked at before anything else of a request', async () => {
    const stranger = app.as();
    const answers = await Promise.all([
      stranger.post('/api/v1/tags', undefined, { raw: '{"tag":{"name":' }),
      stranger.post('/api/v1/tags', undefined, { raw: 'x', headers: { 'content-type': 'text/plain' } }),
      stranger.post('/api/v1/tags', { tag: { name: 'x'.repeat(2_000_000) } }),
      stranger.post('/api/v1/tags', {}),
      stranger.get('/api/v1/tags?page=x'),
      stranger.get('/api/v1/tags/1'),
      stranger.get('/api/v1/nope'),
      stranger.request('PUT', '/api/v1/tags/1'),
    ]);
    for (const answer of answers) expectUnauthenticated(answer, false);
  });

  const guarded = Object.entries(document.paths)
    .filter(([path]) => path.startsWith('/api/'))
    .flatMap(([path, operations]) => Object.keys(operations).map((method) => [method.toUpperCase(), path]));

  it.each(guarded)('is needed for %s %s', async (method, path) => {
    expectUnauthenticated(await app.as().request(method!, path!.replace('{id}', '1')), false);
  });

  it.each(['/healthz', '/readyz', '/openapi.json', '/docs'])('is not needed for %s, nor looked at', async (path) => {
    expect((await fetch(app.url + path)).status).toBe(200);
    expect((await fetch(app.url + path, { headers: { authorization: 'Bearer null' } })).status).toBe(200);
  });
});

describe('access_token in a query or a body', () => {
  it('is no token', async () => {
    expectUnauthenticated(await app.as().get(`/api/v1/tags?access_token=${ann.token}`), false);
    const body = { access_token: ann.token, tag: { name: 'x' } };
    expectUnauthenticated(await app.as().post('/api/v1/tags', body), false);
    const { headers } = await app.as(ann).get('/api/v1/tags');
    expect(headers.get('x-total-count')).toBe('0');
  });

  it('does not help a bad header', async () => {
    const headers = { authorization: 'Bearer undefined' };
    expectUnauthenticated(await app.as().get(`/api/v1/tags?access_token=${ann.token}`, { headers }), true);
  });

  it('is an unknown field beside a good header, and so ignored', async () => {
    const body = { access_token: 'zzz', tag: { name: 'x', access_token: ann.token } };
    const made = await app.as(ann).post('/api/v1/tags', body);
    expect(made.status).toBe(201);
    expect(made.text).not.toContain('access_token');
    expect((await app.as(ann).get('/api/v1/tags?access_token=zzz')).status).toBe(200);
    expect((await app.as(ann).get('/api/v1/tags?access_token=a&access_token=b')).status).toBe(200);
  });

  it("does not make one user's request another's", async () => {
    const bob = await app.make.person();
    const { body } = await app.as(ann).get<{ email: string }>(`/api/v1/me?access_token=${bob.token}`);
    expect(body.email).toBe(ann.email);
  });
});

describe('A token', () => {
  it('has 224 bits that differ every time, and a checksum', () => {
    const tokens = Array.from({ length: 100 }, createToken);
    expect(tokens.every((token) => /^wins_[0-9a-f]{64}$/.test(token))).toBe(true);
    expect(new Set(tokens.map((token) => token.slice(5, 61))).size).toBe(100);
  });

  it('is stored as its SHA-256 only', async () => {
    const rows = await app.dataSource.query<{ digest: Buffer; text: string }[]>(
      'select t.digest, t::text as text from api_tokens t where user_id = $1',
      [ann.id],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]!.digest).toEqual(sha256(ann.token));
    for (const part of [ann.token.slice(5), ann.token.slice(5, 37), Buffer.from(ann.token).toString('hex')]) {
      expect(rows[0]!.text).not.toContain(part);
    }
  });
});

describe('A token of scope read', () => {
  let reader: Person;
  let tagId: number;

  beforeEach(async () => {
    reader = { ...ann, token: await app.make.token(ann.id, { scope: 'read' }) };
    tagId = (await app.as(ann).post<{ id: number }>('/api/v1/tags', { tag: { name: 'Launch' } })).body.id;
  });

  it('reads', async () => {
    for (const path of ['/api/v1/tags', `/api/v1/tags/${tagId}`, '/api/v1/spaces', '/api/v1/tokens', '/api/v1/me']) {
      expect((await app.as(reader).get(path)).status).toBe(200);
      const head = await app.as(reader).head(path);
      expect(head).toMatchObject({ status: 200, text: '' });
    }
    expect((await app.as(reader).get('/api/v1/tags/0')).status).toBe(404);
  });

  const writing = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations)
      .filter((method) => method !== 'get')
      .map((method) => [method.toUpperCase(), path]),
  );

  it.each(writing)('may not %s %s', async (method, path) => {
    const answer = await app.as(reader).request<Failure>(method!, path!.replace('{id}', String(tagId)), { json: {} });
    expect(answer.status).toBe(403);
    expect(answer.body).toEqual({
      error: 'This token may only read',
      code: 'insufficient_scope',
      request_id: expect.any(String),
    });
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer error="insufficient_scope"/);
  });

  it('changes nothing, whatever it sends', async () => {
    await app.as(reader).post('/api/v1/tags', { tag: { name: 'Other' } });
    await app.as(reader).patch(`/api/v1/tags/${tagId}`, { tag: { name: 'Other' } });
    await app.as(reader).delete(`/api/v1/tags/${tagId}`);
    const { body } = await app.as(ann).get<{ name: string }[]>('/api/v1/tags');
    expect(body.map(({ name }) => name)).toEqual(['Launch']);
  });

  it('is refused before its body is looked at', async () => {
    const answers = await Promise.all([
      app.as(reader).post('/api/v1/tags', undefined, { raw: '{"tag":' }),
      app.as(reader).post('/api/v1/tags', undefined, { raw: 'x', headers: { 'content-type': 'text/plain' } }),
      app.as(reader).patch('/api/v1/tags/0', { tag: { name: 'x' } }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
  });
});

describe('GET /api/v1/tokens', () => {
  it('lists the tokens of the caller, oldest first, without their secrets', async () => {
    await app.make.person();
    const read = (await app.as(ann).post<Token>('/api/v1/tokens', { token: { name: 'App', scope: 'read' } })).body;
    const { status, body, text } = await app.as(ann).get<Token[]>('/api/v1/tokens');
    expect(status).toBe(200);
    expect(body).toEqual([
      {
        id: expect.any(Number),
        name: 'Test',
        scope: 'write',
        expires_at: null,
        created_at: expect.stringMatching(TIME),
      },
      { id: read.id, name: 'App', scope: 'read', expires_at: null, created_at: read.created_at },
    ]);
    expect(text).not.toContain('wins_');
  });

  it('is paged like every list', async () => {
    for (let n = 0; n < 6; n++) await app.make.token(ann.id);
    const seen: number[] = [];
    for (const page of [1, 2, 3]) {
      const { body, headers } = await app.as(ann).get<Token[]>(`/api/v1/tokens?per_page=3&page=${page}`);
      seen.push(...body.map(({ id }) => id));
      expect(headers.get('x-total-count')).toBe('7');
      expect(headers.get('x-page')).toBe(String(page));
      expect(headers.get('x-per-page')).toBe('3');
    }
    expect(new Set(seen).size).toBe(7);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect((await app.as(ann).get('/api/v1/tokens?page=4&per_page=3')).body).toEqual([]);
    const { headers } = await app.as(ann).get('/api/v1/tokens?page=0&per_page=1000');
    expect([headers.get('x-page'), headers.get('x-per-page')]).toEqual(['1', '100']);
    expect((await app.as(ann).get('/api/v1/tokens?page=abc')).status).toBe(422);
  });
});

describe('GET /api/v1/tokens/:id', () => {
  it('shows a token without its secret', async () => {
    const { body: made } = await app.as(ann).post<Token>('/api/v1/tokens', { token: { name: 'App' } });
    const { token: _, ...shown } = made;
    expect(await app.as(ann).get(`/api/v1/tokens/${made.id}`)).toMatchObject({ status: 200, body: shown });
    expect((await app.as(ann).get(`/api/v1/tokens/${made.id}`)).text).not.toContain('wins_');
  });

  it("is 404 for another user's token, as for one that does not exist", async () => {
    const bob = await app.make.person();
    const [{ id }] = (await app.as(bob).get<[Token]>('/api/v1/tokens')).body;
    for (const method of ['GET', 'DELETE']) {
      const foreign = await app.as(ann).request<Failure>(method, `/api/v1/tokens/${id}`);
      const missing = await app.as(ann).request<Failure>(method, `/api/v1/tokens/${Number.MAX_SAFE_INTEGER}`);
      expect(foreign.status).toBe(404);
      expect(foreign.body).toEqual({ ...missing.body, request_id: foreign.body.request_id });
      expect(foreign.body.error).toBe('Token not found');
    }
    expect((await app.as(bob).get(`/api/v1/tokens/${id}`)).status).toBe(200);
  });

  it.each(['0', '-1', '01', '1e0', '0x1', 'null', 'undefined', '%201', '9007199254740993'])(
    'is 404 for %s, which is no id',
    async (id) => {
      expect((await app.as(ann).get(`/api/v1/tokens/${id}`)).status).toBe(404);
      expect((await app.as(ann).delete(`/api/v1/tokens/${id}`)).status).toBe(404);
    },
  );
});

describe('POST /api/v1/tokens', () => {
  it('makes a token that works, and shows its secret this once', async () => {
    const { status, body, headers } = await app.as(ann).post<Token>('/api/v1/tokens', { token: { name: ' App\t' } });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(Number),
      name: 'App',
      scope: 'write',
      expires_at: null,
      created_at: expect.stringMatching(TIME),
      token: expect.stringMatching(/^wins_[0-9a-f]{64}$/),
    });
    expect(headers.get('location')).toBe(`/api/v1/tokens/${body.id}`);
    const made = await app.as({ ...ann, token: body.token! }).post('/api/v1/tags', { tag: { name: 'By the new one' } });
    expect(made.status).toBe(201);
  });

  it('makes a token with the scope and the end that were asked for', async () => {
    const expires_at = new Date(Date.now() + HOUR).toISOString();
    const token = { name: 'App', scope: 'read', expires_at };
    const { body } = await app.as(ann).post<Token>('/api/v1/tokens', { token });
    expect(body).toMatchObject(token);
    const made = await app.as({ ...ann, token: body.token! }).post('/api/v1/tags', { tag: { name: 'x' } });
    expect(made.status).toBe(403);
  });

  it('takes an end with an offset and answers it in UTC', async () => {
    const token = { name: 'App', expires_at: '2100-01-01T01:30:00.25+01:30' };
    const { body } = await app.as(ann).post<Token>('/api/v1/tokens', { token });
    expect(body.expires_at).toBe('2100-01-01T00:00:00.250Z');
  });

  it('ignores fields that are not its to set', async () => {
    const bob = await app.make.person();
    const token = { id: 1, user_id: bob.id, name: 'App', token: 'wins_mine', digest: 'x', created_at: '2000-01-01' };
    const { status, body } = await app.as(ann).post<Token>('/api/v1/tokens', { token });
    expect(status).toBe(201);
    expect(body.id).not.toBe(1);
    expect(body.token).not.toBe('wins_mine');
    const { body: me } = await app.as({ ...ann, token: body.token! }).get<{ email: string }>('/api/v1/me');
    expect(me.email).toBe(ann.email);
  });

  it('lets two tokens share a name', async () => {
    for (const _ of [1, 2]) {
      expect((await app.as(ann).post('/api/v1/tokens', { token: { name: 'App' } })).status).toBe(201);
    }
  });

  it.each<[unknown, string[]]>([
    [undefined, ['token wrapper_missing']],
    [{}, ['token wrapper_missing']],
    [{ token: null }, ['token wrapper_missing']],
    [{ token: [] }, ['token wrapper_missing']],
    [{ token: 'x' }, ['token wrapper_missing']],
    [{ name: 'x' }, ['token wrapper_missing']],
    [{ token: {} }, ['token.name required']],
    [{ token: { name: null } }, ['token.name invalid_type']],
    [{ token: { name: 1 } }, ['token.name invalid_type']],
    [{ token: { name: '' } }, ['token.name blank']],
    [{ token: { name: ' \u200b' } }, ['token.name blank']],
    [{ token: { name: 'a\u0000b' } }, ['token.name invalid_characters']],
    [{ token: { name: 'x'.repeat(101) } }, ['token.name too_long']],
    [{ token: { name: 'x', scope: 'admin' } }, ['token.scope not_a_choice']],
    [{ token: { name: 'x', scope: 'READ' } }, ['token.scope not_a_choice']],
    [{ token: { name: 'x', scope: null } }, ['token.scope invalid_type']],
    [{ token: { name: 'x', scope: ['read'] } }, ['token.scope invalid_type']],
    [{ token: { name: 'x', expires_at: 4_102_444_800_000 } }, ['token.expires_at invalid_type']],
    [{ token: { name: 'x', expires_at: '' } }, ['token.expires_at not_a_time']],
    [{ token: { name: 'x', expires_at: 'tomorrow' } }, ['token.expires_at not_a_time']],
    [{ token: { name: 'x', expires_at: '2100-01-01' } }, ['token.expires_at not_a_time']],
    [{ token: { name: 'x', expires_at: '2100-01-01T00:00:00' } }, ['token.expires_at not_a_time']],
    [{ token: { name: 'x', expires_at: '2100-02-29T00:00:00Z' } }, ['token.expires_at not_a_time']],
    [{ token: { name: 'x', expires_at: '2100-04-31T00:00:00+02:00' } }, ['token.expires_at not_a_time']],
    [{ token: { name: 'x', expires_at: '2100-13-01T00:00:00Z' } }, ['token.expires_at not_a_time']],
    [{ token: { name: 'x', expires_at: '9999-12-31T23:30:00-01:00' } }, ['token.expires_at not_a_time']],
    [{ token: { name: 'x', expires_at: '2100-01-01T25:00:00Z' } }, ['token.expires_at not_a_time']],
    [{ token: { name: 'x', expires_at: '2000-01-01T00:00:00Z' } }, ['token.expires_at in_the_past']],
    [
      { token: { name: '', scope: 'x', expires_at: 'x' } },
      ['token.name blank', 'token.scope not_a_choice', 'token.expires_at not_a_time'],
    ],
  ])('refuses %j', async (body, details) => {
    expect(faults(await app.as(ann).post<Failure>('/api/v1/tokens', body))).toEqual({ status: 422, details });
    expect((await app.as(ann).get('/api/v1/tokens')).headers.get('x-total-count')).toBe('1');
  });

  it('takes a name of 100 characters, emoji among them', async () => {
    const name = '🚀'.repeat(100);
    expect((await app.as(ann).post<Token>('/api/v1/tokens', { token: { name } })).body.name).toBe(name);
  });

  it('never makes a token that outlives its maker', async () => {
    const end = new Date(Date.now() + HOUR);
    const maker = { ...ann, token: await app.make.token(ann.id, { expiresAt: end }) };
    const make = (expires_at?: string | null) =>
      app.as(maker).post<Token & Failure>('/api/v1/tokens', { token: { name: 'x', expires_at } });

    expect((await make()).body.expires_at).toBe(end.toISOString());
    expect((await make(end.toISOString())).body.expires_at).toBe(end.toISOString());
    const earlier = new Date(end.getTime() - 1).toISOString();
    expect((await make(earlier)).body.expires_at).toBe(earlier);
    for (const later of [null, new Date(end.getTime() + 1).toISOString()]) {
      expect(faults(await make(later))).toEqual({ status: 422, details: ['token.expires_at outlives_parent'] });
    }
    expect((await app.as(ann).get('/api/v1/tokens')).headers.get('x-total-count')).toBe('5');
  });
});

describe('DELETE /api/v1/tokens/:id', () => {
  it('revokes a token, which is then gone', async () => {
    const { body: made } = await app.as(ann).post<Token>('/api/v1/tokens', { token: { name: 'App' } });
    expect((await app.as(ann).delete(`/api/v1/tokens/${made.id}`)).status).toBe(204);
    expect((await app.as(ann).delete(`/api/v1/tokens/${made.id}`)).status).toBe(404);
    expect((await app.as(ann).get(`/api/v1/tokens/${made.id}`)).status).toBe(404);
    await untilRefused(() => withHeader(`Bearer ${made.token}`));
  });

  it('lets a token revoke itself', async () => {
    const [{ id }] = (await app.as(ann).get<[Token]>('/api/v1/tokens')).body;
    expect((await app.as(ann).delete(`/api/v1/tokens/${id}`)).status).toBe(204);
    await untilRefused(() => withHeader(`Bearer ${ann.token}`));
    expectUnauthenticated(await app.as(ann).delete(`/api/v1/tokens/${id}`), true);
  });

  it('revokes once when it is asked many times at once', async () => {
    const { body: made } = await app.as(ann).post<Token>('/api/v1/tokens', { token: { name: 'App' } });
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => app.as(ann).delete(`/api/v1/tokens/${made.id}`)),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, ...Array.from({ length: 9 }, () => 404)]);
  });
});

const me = async (person: Person) => (await app.as(person).get('/api/v1/me')).body;

describe('GET /api/v1/me', () => {
  it('shows the email, the plan and its limits, on the free plan and on pro', async () => {
    const pro = await app.make.person({ plan: 'pro' });
    const account = { created_at: expect.stringMatching(TIME) };
    const spaces = { max: 3, used: 0 };
    const limits = { spaces, tags: { max: 10_000, used: 0 }, tokens: { max: 100, used: 1 } };
    expect(await me(ann)).toEqual({ ...account, email: ann.email, plan: 'free', limits });
    spaces.max = 1_000;
    expect(await me(pro)).toEqual({ ...account, email: pro.email, plan: 'pro', limits });
  });

  it('counts what is used, through creates and deletes', async () => {
    const used = async () => ((await me(ann)) as { limits: { spaces: { used: number } } }).limits.spaces.used;
    const make = () => app.as(ann).post<{ id: number }>('/api/v1/spaces', { space: { name: 'Work' } });
    const made = [await make(), await make(), await make()];
    expect(await used()).toBe(3);
    expect((await make()).status).toBe(402);
    expect(await used()).toBe(3);
    await app.as(ann).delete(`/api/v1/spaces/${made[1]!.body.id}`);
    expect(await used()).toBe(2);
  });

  it('follows a change of the plan at once, and a lower one takes nothing away', async () => {
    const pro = await app.make.person({ plan: 'pro' });
    for (let n = 0; n < 4; n++) await app.as(pro).post('/api/v1/spaces', { space: { name: `Space ${n}` } });
    await app.make.auth.setPlan(pro.email, 'free');
    expect(await me(pro)).toMatchObject({ plan: 'free', limits: { spaces: { max: 3, used: 4 } } });
    expect((await app.as(pro).post('/api/v1/spaces', { space: { name: 'One more' } })).status).toBe(402);
  });
});

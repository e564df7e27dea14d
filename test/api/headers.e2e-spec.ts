import { startApp, type TestApp } from '../harness/app.js';
import type { Person } from '../harness/factories.js';

const TAGS = '/api/v1/tags';

/** A header's values, of which the order and the case say nothing. */
const listOf = (value: string | null) =>
  (value ?? '')
    .split(',')
    .map((item) => item.trim().toLowerCase())
    .toSorted();

describe('every answer', () => {
  let app: TestApp;
  let ann: Person;

  beforeAll(async () => {
    app = await startApp();
    ann = await app.make.person();
  });
  afterAll(() => app.close());

  it.each(['GET', 'POST', 'DELETE', 'HEAD'])('to %s has these headers, with these values', async (method) => {
    const { headers } = await app.as(ann).request(method, `${TAGS}/0`);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'private, no-cache',
      vary: 'Authorization, Origin',
      'content-security-policy': "default-src 'none';frame-ancestors 'none'",
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'origin-agent-cluster': '?1',
      'referrer-policy': 'no-referrer',
      'strict-transport-security': 'max-age=31536000; includeSubDomains',
      'x-content-type-options': 'nosniff',
      'x-dns-prefetch-control': 'off',
      'x-download-options': 'noopen',
      'x-frame-options': 'DENY',
      'x-permitted-cross-domain-policies': 'none',
      'x-xss-protection': '0',
    });
  });

  it('without a body has no type and no length', async () => {
    const { body } = await app.as(ann).post<{ id: number }>(TAGS, { tag: { name: 'x' } });
    const { status, headers } = await app.as(ann).delete(`${TAGS}/${body.id}`);
    expect(status).toBe(204);
    for (const name of ['content-type', 'content-length', 'transfer-encoding', 'location', 'link']) {
      expect([name, headers.get(name)]).toEqual([name, null]);
    }
  });

  it('has a challenge where a token is missing, wrong or too weak, and nowhere else', async () => {
    const reader = { ...ann, token: await app.make.token(ann.id, { scope: 'read' }) };
    const challenge = async (person: Partial<Person> | undefined, method: string, path = TAGS) => {
      const { status, headers } = await app.as(person as Person | undefined).request(method, path);
      return [status, headers.get('www-authenticate')];
    };
    expect(await challenge(undefined, 'GET')).toEqual([401, 'Bearer']);
    expect(await challenge({ token: 'wrong' }, 'GET')).toEqual([401, 'Bearer error="invalid_token"']);
    expect(await challenge(reader, 'POST')).toEqual([403, 'Bearer error="insufficient_scope", scope="write"']);
    expect(await challenge(ann, 'GET')).toEqual([200, null]);
    expect(await challenge(ann, 'GET', `${TAGS}/0`)).toEqual([404, null]);
  });

  it('of a create says where it is, whatever followed the path', async () => {
    for (const path of [TAGS, `${TAGS}/`, `${TAGS}?x=/y`, `${TAGS}/?x=/y/`]) {
      const { status, headers, body } = await app.as(ann).post<{ id: number }>(path, { tag: { name: path } });
      expect([path, status, headers.get('location')]).toEqual([path, 201, `${TAGS}/${body.id}`]);
    }
  });
});

describe('Location and Link', () => {
  it.each([
    ['https://wins.example.com', 'https://wins.example.com'],
    ['https://wins.example.com/', 'https://wins.example.com'],
    ['https://example.com/wins//', 'https://example.com/wins'],
  ])('begin with PUBLIC_URL %s, without a slash at its end', async (PUBLIC_URL, base) => {
    const app = await startApp({ PUBLIC_URL });
    const ann = await app.make.person();
    const { headers, body } = await app.as(ann).post<{ id: number }>(TAGS, { tag: { name: 'x' } });
    expect(headers.get('location')).toBe(`${base}${TAGS}/${body.id}`);
    const list = await app.as(ann).get(TAGS);
    const targets = [...(list.headers.get('link') ?? '').matchAll(/<([^>]*)>/g)].map(([, target]) => target);
    expect(targets.length).toBeGreaterThan(0);
    for (const target of targets) expect(target).toMatch(new RegExp(`^${base}${TAGS}\\?`));
    await app.close();
  });
});

describe('a list', () => {
  it('tells its numbers and its neighbours', async () => {
    const app = await startApp();
    const ann = await app.make.person();
    for (const name of ['a', 'b', 'c', 'd', 'e']) await app.as(ann).post(TAGS, { tag: { name } });
    const seen = async (page: number) => {
      const { headers } = await app.as(ann).get(`${TAGS}?per_page=2&page=${page}`);
      const links = [...(headers.get('link') ?? '').matchAll(/<([^>]*)>; rel="(\w+)"/g)].map(([, target, rel]) => [
        rel,
        Number(new URL(target!, app.url).searchParams.get('page')),
      ]);
      const numbers = ['x-total-count', 'x-page', 'x-per-page'].map((name) => Number(headers.get(name)));
      return { numbers, links: Object.fromEntries(links) };
    };
    expect(await seen(1)).toEqual({ numbers: [5, 1, 2], links: { first: 1, next: 2, last: 3 } });
    expect(await seen(2)).toEqual({ numbers: [5, 2, 2], links: { first: 1, prev: 1, next: 3, last: 3 } });
    expect(await seen(3)).toEqual({ numbers: [5, 3, 2], links: { first: 1, prev: 2, last: 3 } });
    expect(await seen(9)).toEqual({ numbers: [5, 9, 2], links: { first: 1, prev: 3, last: 3 } });
    await app.close();
  });
});

describe('the explorer', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app.close());

  it('is allowed its own scripts, styles and calls, and to be framed by nobody', async () => {
    const { headers } = await fetch(`${app.url}/docs`);
    const policy = Object.fromEntries(
      (headers.get('content-security-policy') ?? '').split(';').map((directive) => {
        const [name = '', ...values] = directive.trim().split(' ');
        return [name, values.join(' ')];
      }),
    );
    expect(policy).toEqual({
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': "'self'",
      'img-src': "'self' data:",
      'connect-src': "'self'",
      'base-uri': "'none'",
      'form-action': "'none'",
      'frame-ancestors': "'none'",
    });
    expect(headers.get('x-frame-options')).toBe('DENY');
  });

  it('has the type of each of its files', async () => {
    const page = await (await fetch(`${app.url}/docs`)).text();
    const loaded = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path!);
    expect(loaded.length).toBeGreaterThanOrEqual(4);
    const types = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8', svg: 'image/svg+xml' };
    for (const path of loaded) {
      const { status, headers } = await fetch(new URL(path, `${app.url}/`));
      const extension = /\.(\w+)(\?|$)/.exec(path)?.[1] as keyof typeof types;
      expect([path, status, headers.get('content-type')]).toEqual([path, 200, types[extension]]);
    }
    const typeOf = async (path: string) => (await fetch(app.url + path)).headers.get('content-type');
    expect(await typeOf('/docs')).toBe('text/html; charset=utf-8');
    expect(await typeOf('/openapi.json')).toBe('application/json; charset=utf-8');
  });

  it('leads from the address with a slash to the one without, below a path prefix too', async () => {
    const { status, headers } = await fetch(`${app.url}/docs/`, { redirect: 'manual' });
    expect(status).toBe(302);
    expect(new URL(headers.get('location')!, 'https://example.com/wins/docs/').pathname).toBe('/wins/docs');
  });
});

describe('with CORS_ORIGINS', () => {
  const origin = 'https://app.example';
  let app: TestApp;

  beforeAll(async () => {
    app = await startApp({ CORS_ORIGINS: origin });
  });
  afterAll(() => app.close());

  it('a preflight holds for ten minutes and names the methods, and never allows cookies', async () => {
    const { status, headers } = await fetch(app.url + TAGS, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'PATCH', 'access-control-request-headers': 'authorization' },
    });
    expect(status).toBe(204);
    expect(headers.get('access-control-max-age')).toBe('600');
    expect(headers.get('access-control-allow-origin')).toBe(origin);
    expect(listOf(headers.get('access-control-allow-methods'))).toEqual(
      expect.arrayContaining(['delete', 'get', 'head', 'patch', 'post']),
    );
    expect(listOf(headers.get('access-control-allow-methods'))).not.toContain('trace');
    expect(headers.get('access-control-allow-credentials')).toBeNull();
  });

  it('an answer shows scripts exactly what the service documents', async () => {
    const ann = await app.make.person();
    const { headers } = await app.as(ann).get(TAGS, { headers: { origin } });
    expect(listOf(headers.get('access-control-expose-headers'))).toEqual(
      expect.arrayContaining([
        'link',
        'location',
        'retry-after',
        'www-authenticate',
        'x-page',
        'x-per-page',
        'x-ratelimit-limit',
        'x-ratelimit-remaining',
        'x-ratelimit-reset',
        'x-request-id',
        'x-total-count',
      ]),
    );
    expect(headers.get('access-control-allow-credentials')).toBeNull();
  });
});

describe('the limit of requests', () => {
  it('is for a minute from the first of them, which the headers tell to the second', async () => {
    const app = await startApp({ RATE_LIMIT_PER_MINUTE: '2' });
    const ann = await app.make.person();
    const ask = async () => {
      const sent = Date.now();
      const { status, headers } = await app.as(ann).get(TAGS);
      const number = (name: string) => Number(headers.get(name) ?? NaN);
      return {
        status,
        sent,
        answered: Date.now(),
        limit: number('x-ratelimit-limit'),
        remaining: number('x-ratelimit-remaining'),
        reset: number('x-ratelimit-reset'),
        retryAfter: number('retry-after'),
      };
    };
    const [first, second, third] = [await ask(), await ask(), await ask()];
    expect([first, second, third].map(({ status, limit, remaining }) => [status, limit, remaining])).toEqual([
      [200, 2, 1],
      [200, 2, 0],
      [429, 2, 0],
    ]);
    // The minute began between the sending of the first and its answer.
    const earliest = first.sent + 60_000;
    const latest = first.answered + 60_000;
    for (const { reset } of [first, second, third]) {
      expect(reset).toBeGreaterThanOrEqual(Math.ceil(earliest / 1000));
      expect(reset).toBeLessThanOrEqual(Math.ceil((latest + 1) / 1000));
    }
    expect(third.retryAfter).toBeGreaterThanOrEqual(Math.ceil((earliest - third.answered) / 1000));
    expect(third.retryAfter).toBeLessThanOrEqual(Math.ceil((latest - third.sent + 1) / 1000));
    expect([first.retryAfter, second.retryAfter]).toEqual([NaN, NaN]);
    await app.close();
  });
});

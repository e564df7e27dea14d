import { createClient, WinsError, type ClientOptions } from '../../client/src/index.js';

/** What the client sends, seen where it would go over the wire. */

/** Calls an operation and keeps the requests. @param answer what each is answered with */
async function sent(
  token: ClientOptions['token'],
  call: (client: ReturnType<typeof createClient>) => Promise<unknown>,
  answer = () => new Response('{}', { status: 200 }),
): Promise<Request[]> {
  const requests: Request[] = [];
  const fetch = async (request: Request) => {
    requests.push(request);
    return answer();
  };
  await call(createClient({ baseUrl: 'https://wins.example/api-root', token, fetch, retries: 0 }));
  return requests;
}

const getMe = (client: ReturnType<typeof createClient>) => client.getMe();

const emptyPage = () => new Response('[]', { headers: { 'x-total-count': '0', 'x-page': '1', 'x-per-page': '25' } });

describe('a request', () => {
  it.each([
    ['undefined', undefined],
    ['null', null],
    ['an empty text', ''],
    ['a function of undefined', () => undefined],
    ['a function of null', () => null],
    ['a promise of an empty text', async () => ''],
  ])('has no Authorization where the token is %s', async (_, token) => {
    const [request] = await sent(token, getMe);
    expect(request!.headers.has('authorization')).toBe(false);
  });

  it.each([
    ['a text', 'secret'],
    ['a function', () => 'secret'],
    ['a promise', async () => 'secret'],
  ])('has the token where it is %s', async (_, token) => {
    const [request] = await sent(token, getMe);
    expect(request!.headers.get('authorization')).toBe('Bearer secret');
  });

  it('has method, path, query and body where they belong, each escaped', async () => {
    const update = await sent('x', (client) => client.renameTag({ id: 7, tag: { name: 'a/b ?' } }));
    expect([update[0]!.method, update[0]!.url]).toEqual(['PATCH', 'https://wins.example/api-root/api/v1/tags/7']);
    expect(await update[0]!.json()).toEqual({ tag: { name: 'a/b ?' } });
    expect(update[0]!.headers.get('content-type')).toBe('application/json');
    const list = await sent('x', async (client) => client.listWins({ tag: 'a&b', q: 'ö +', page: 1 }), emptyPage);
    const url = new URL(list[0]!.url);
    expect([list[0]!.method, url.pathname, Object.fromEntries(url.searchParams)]).toEqual([
      'GET',
      '/api-root/api/v1/wins',
      { tag: 'a&b', q: 'ö +', page: '1' },
    ]);
    expect(list[0]!.body).toBeNull();
    expect(list[0]!.headers.has('content-type')).toBe(false);
  });

  it('has the headers and the signal of its call', async () => {
    const controller = new AbortController();
    const [request] = await sent('x', (client) =>
      client.getMe({ headers: { 'x-request-id': 'mine' }, signal: controller.signal }),
    );
    expect(request!.headers.get('x-request-id')).toBe('mine');
    controller.abort();
    expect(request!.signal.aborted).toBe(true);
  });
});

const errorOf = (headers: Record<string, string>, body: string, status = 503) =>
  sent('x', getMe, () => new Response(body, { status, headers })).then(
    () => undefined,
    (error: unknown) => error as WinsError,
  );

describe('an error', () => {
  const BODY = JSON.stringify({ error: 'Busy', code: 'unavailable', request_id: 'in the body' });

  it('has what the body and the headers say, the body first', async () => {
    const error = await errorOf({ 'retry-after': '17', 'x-request-id': 'in the header' }, BODY);
    expect(error).toBeInstanceOf(WinsError);
    expect(error).toMatchObject({
      name: 'WinsError',
      message: 'Busy',
      code: 'unavailable',
      status: 503,
      details: [],
      requestId: 'in the body',
      retryAfter: 17,
      upgradeUrl: undefined,
    });
  });

  it.each([
    ['0', 0],
    ['60', 60],
    ['Wed, 21 Oct 2026 07:28:00 GMT', undefined],
    ['1.5', undefined],
    ['-1', undefined],
  ])('waits as long as Retry-After %s says in seconds, if it does', async (value, seconds) => {
    expect(await errorOf({ 'retry-after': value }, BODY)).toMatchObject({ retryAfter: seconds });
    expect(await errorOf({}, BODY)).toMatchObject({ retryAfter: undefined });
  });

  it('has the id of the header where the body is no answer of the service', async () => {
    const error = await errorOf({ 'x-request-id': 'in the header', 'content-type': 'text/html' }, '<html>', 502);
    expect(error).toMatchObject({ code: 'unexpected_response', status: 502, requestId: 'in the header' });
  });
});

const load = (headers: Record<string, string>, body = '[]') =>
  createClient({
    baseUrl: 'https://wins.example',
    token: 'x',
    fetch: async () => new Response(body, { headers }),
  }).listTags();

describe('a page', () => {
  const good = { 'x-total-count': '51', 'x-page': '2', 'x-per-page': '25' };

  it('has its numbers from the headers', async () => {
    expect(await load(good)).toEqual({ items: [], total: 51, page: 2, perPage: 25, lastPage: 3 });
    expect(await load({ ...good, 'x-total-count': '50' })).toMatchObject({ lastPage: 2 });
    expect(await load({ ...good, 'x-total-count': '0', 'x-page': '1' })).toMatchObject({ total: 0, lastPage: 1 });
  });

  it.each(['x-total-count', 'x-page', 'x-per-page'])('is none without %s, or with nonsense in it', async (name) => {
    for (const value of [undefined, '-1', 'x', ...(name === 'x-total-count' ? [] : ['0'])]) {
      const { [name]: _, ...rest } = good as Record<string, string>;
      const headers = value === undefined ? rest : { ...rest, [name]: value };
      await expect(load(headers)).rejects.toBeInstanceOf(WinsError);
    }
    await expect(load(good, '{}')).rejects.toBeInstanceOf(WinsError);
  });
});

/** A client whose requests get one answer after the other; a fault is thrown. The requests are kept. */
function scripted(answers: (Response | Error)[], options: Partial<ClientOptions> = {}) {
  const requests: Request[] = [];
  const client = createClient({
    baseUrl: 'https://wins.example',
    token: 'x',
    fetch: async (request) => {
      requests.push(request);
      const answer = answers[requests.length - 1]!;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    ...options,
  });
  return { client, requests };
}

const answer = (status: number, body: unknown = {}, headers: Record<string, string> = {}) =>
  new Response(status === 204 ? null : JSON.stringify(body), { status, headers });
const refusal = (status: number, code: string, headers: Record<string, string> = {}) =>
  answer(status, { error: 'Sentence', code }, headers);
const lost = () => new TypeError('fetch failed');

describe('a request that fails', () => {
  const tag = { tag: { name: 'Launch' } };

  it('is repeated, a POST with the key that it had', async () => {
    const { client, requests } = scripted([lost(), refusal(503, 'unavailable'), answer(201, { id: 7 })]);
    expect(await client.createTag(tag)).toEqual({ id: 7 });
    const keys = requests.map(({ headers }) => headers.get('idempotency-key'));
    expect(keys[0]).toMatch(/^[0-9a-f-]{20,}$/);
    expect(new Set(keys).size).toBe(1);
    expect(await Promise.all(requests.map((request) => request.json()))).toEqual([tag, tag, tag]);
    const other = scripted([answer(201, {})]);
    await other.client.createTag(tag, { headers: { 'Idempotency-Key': 'own' } });
    expect(other.requests[0]!.headers.get('idempotency-key')).toBe('own');
  });

  it('is repeated as often as the client is told', async () => {
    for (const retries of [0, 1]) {
      const { client, requests } = scripted([lost(), lost(), lost()], { retries });
      await expect(client.getMe()).rejects.toThrow('fetch failed');
      expect(requests).toHaveLength(1 + retries);
    }
  });

  it('is repeated after as long as the answer says, unless that is long', async () => {
    const start = performance.now();
    const soon = scripted([refusal(429, 'rate_limited', { 'retry-after': '1' }), answer(200)]);
    await soon.client.getMe();
    expect(performance.now() - start).toBeGreaterThan(990);
    const late = scripted([refusal(429, 'rate_limited', { 'retry-after': '60' })]);
    await expect(late.client.getMe()).rejects.toMatchObject({ code: 'rate_limited', retryAfter: 60 });
  });

  it.each([
    [400, 'invalid_json'],
    [402, 'plan_limit_reached'],
    [409, 'already_created'],
    [422, 'validation_failed'],
    [500, 'internal'],
  ])('is not repeated for %s %s', async (status, code) => {
    const { client, requests } = scripted([refusal(status, code)]);
    await expect(client.createTag(tag)).rejects.toMatchObject({ status, code });
    expect(requests).toHaveLength(1);
  });

  it('is not repeated if it has a condition, which the lost one may have made false', async () => {
    const { client, requests } = scripted([lost()]);
    await expect(client.renameTag({ id: 7, ...tag }, { headers: { 'If-Match': '"x"' } })).rejects.toThrow();
    expect(requests).toHaveLength(1);
  });

  it('has deleted what is not there at the second try', async () => {
    const twice = scripted([lost(), refusal(404, 'not_found')]);
    expect(await twice.client.deleteTag({ id: 7 })).toBeUndefined();
    const once = scripted([refusal(404, 'not_found')]);
    await expect(once.client.deleteTag({ id: 7 })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('ends with its signal, also while it waits to be repeated', async () => {
    const controller = new AbortController();
    const { client, requests } = scripted([refusal(503, 'unavailable', { 'retry-after': '9' })]);
    const call = client.getMe({ signal: controller.signal });
    setTimeout(() => controller.abort(new Error('left')), 50);
    await expect(call).rejects.toThrow('left');
    expect(requests).toHaveLength(1);
  });

  it('is given up after the time-out', async () => {
    const client = createClient({
      baseUrl: 'https://wins.example',
      token: 'x',
      timeout: 30,
      retries: 1,
      fetch: (request) =>
        new Promise((_, reject) =>
          request.signal.addEventListener('abort', () => reject(request.signal.reason as Error)),
        ),
    });
    await expect(client.getMe()).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('tells who wants to know that there is no token', async () => {
    const errors: WinsError[] = [];
    const { client } = scripted([refusal(401, 'unauthenticated')], {
      onUnauthenticated: (error) => errors.push(error),
    });
    await expect(client.getMe()).rejects.toBeInstanceOf(WinsError);
    expect(errors).toMatchObject([{ code: 'unauthenticated' }]);
    expect(JSON.parse(JSON.stringify(errors[0]))).toMatchObject({ message: 'Sentence', code: 'unauthenticated' });
  });
});

it('A successful response is within reach', async () => {
  const { client } = scripted([answer(200, {}, { etag: '"1"' })]);
  let etag: string | null = null;
  await client.getTag({ id: 7 }, { onResponse: ({ headers }) => (etag = headers.get('etag')) });
  expect(etag).toBe('"1"');
});

it('A list sends nothing before somebody waits for it', async () => {
  const { client, requests } = scripted([emptyPage()]);
  const list = client.listTags();
  await new Promise((done) => setTimeout(done, 20));
  expect(requests).toHaveLength(0);
  expect((await list).items).toEqual([]);
  expect((await list).total).toBe(0);
  expect(requests).toHaveLength(1);
});

it('Changes come page by page until there are no more', async () => {
  const pages = [
    { wins: [], next: 'a', has_more: true },
    { wins: [], next: 'b', has_more: false },
  ];
  const { client, requests } = scripted(pages.map((page) => answer(200, page)));
  const seen: string[] = [];
  for await (const { next } of client.changes({ since: 'old', limit: 2 })) seen.push(next);
  expect(seen).toEqual(['a', 'b']);
  expect(requests.map(({ url }) => new URL(url).search)).toEqual(['?limit=2&since=old', '?limit=2&since=a']);
});

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
  await call(createClient({ baseUrl: 'https://wins.example/api-root', token, fetch }));
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
      client.getMe({}, { headers: { 'x-request-id': 'mine' }, signal: controller.signal }),
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

import { routes } from '../../client/src/generated/routes.js';
import { createClient, WinsError, type Client, type ClientOptions } from '../../client/src/index.js';
import { startApp, type TestApp } from '../harness/app.js';
import type { Person } from '../harness/factories.js';

const called = new Set<string>();

/** More than anyone here sends, but for who means to. */
const RATE_LIMIT = 50;

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ RATE_LIMIT_PER_MINUTE: String(RATE_LIMIT) });
});
afterAll(() => app.close());

/** A client of a person's, which notes what is called. */
function clientOf(person: Person | undefined, options: Partial<ClientOptions> = {}): Client {
  const wins = createClient({ baseUrl: app.url, token: person?.token, ...options });
  return new Proxy(wins, {
    get(target, name, receiver) {
      called.add(String(name));
      return Reflect.get(target, name, receiver);
    },
  });
}

/** What a call is refused with. @throws Error if it is not */
async function refusalOf(call: Promise<unknown>): Promise<WinsError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof WinsError)) throw new Error(`No WinsError: ${String(error)}`);
  return error;
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

/** A client whose requests are answered with this, whatever they are. */
const answeredWith = (body: string | null, init: ResponseInit) =>
  createClient({ baseUrl: 'http://wins.example', token: 'x', fetch: async () => new Response(body, init) });

const html = { headers: { 'content-type': 'text/html' } };

describe('operations', () => {
  let wins: Client;
  beforeAll(async () => {
    wins = clientOf(await app.make.person({ plan: 'pro' }));
  });

  it('of spaces', async () => {
    const space = await wins.createSpace({ space: { name: 'Side project', emoji: '🚀' } });
    expect(space).toMatchObject({ name: 'Side project', emoji: '🚀', position: 0, wins_count: 0 });
    expect(await wins.getSpace({ id: space.id })).toEqual(space);
    expect(await wins.updateSpace({ id: space.id, space: { emoji: null } })).toMatchObject({
      id: space.id,
      emoji: null,
    });
    expect((await wins.listSpaces()).items).toMatchObject([{ id: space.id, emoji: null }]);
    expect(await wins.orderSpaces({ order: { space_ids: [space.id] } })).toMatchObject([{ id: space.id, position: 0 }]);
    expect(await wins.deleteSpace({ id: space.id })).toBeUndefined();
    expect((await wins.listSpaces()).items).toEqual([]);
  });

  it('of tags', async () => {
    const tag = await wins.createTag({ tag: { name: 'Lunch' } });
    expect(tag).toMatchObject({ name: 'Lunch', wins_count: 0 });
    expect(await wins.renameTag({ id: tag.id, tag: { name: 'Launch' } })).toEqual({ ...tag, name: 'Launch' });
    expect(await wins.getTag({ id: tag.id })).toEqual({ ...tag, name: 'Launch' });
    expect((await wins.listTags()).items).toEqual([{ ...tag, name: 'Launch' }]);
    const other = await wins.createTag({ tag: { name: 'Other' } });
    expect(await wins.mergeTag({ id: other.id, tag: { into_id: tag.id } })).toEqual({ ...tag, name: 'Launch' });
    await wins.createTag({ tag: { name: 'Unused' } });
    expect(await wins.deleteUnusedTags({ used: 'false' })).toEqual({ deleted: 2 });
    const again = await wins.createTag({ tag: { name: 'Launch' } });
    expect(await wins.deleteTag({ id: again.id })).toBeUndefined();
    expect((await wins.listTags()).items).toEqual([]);
  });

  it('of wins', async () => {
    const space = await wins.createSpace({ space: { name: 'Work' } });
    const win = await wins.createWin({
      win: { body: 'Größe 100% & mehr', space_id: space.id, occurred_on: '2026-03-14', tag_names: ['Launch'] },
    });
    expect(win).toMatchObject({ body: 'Größe 100% & mehr', space: { id: space.id }, tags: [{ name: 'Launch' }] });
    const query = { space_id: space.id, tag: 'launch', since: '2026-03-14', until: '2026-03-14', q: 'größe 100% &' };
    expect((await wins.listWins(query)).items).toEqual([win]);
    expect((await wins.listWins({ ...query, until: '2026-03-13' })).items).toEqual([]);
    expect(await wins.getWin({ id: win.id })).toEqual(win);
    expect(await wins.updateWin({ id: win.id, win: { tag_names: [] } })).toMatchObject({ id: win.id, tags: [] });
    expect(await wins.summarizeWins({ by: 'month', tag: ['launch', 'none'] })).toEqual([]);
    expect(await wins.summarizeWins({ by: 'month' })).toEqual([{ key: '2026-03', wins_count: 1 }]);
    const file = await wins.exportWins({ format: 'markdown', since: '2026-03-01' });
    expect(await file.text()).toContain('### March 2026\n\n- **2026-03-14** Größe 100% & mehr\n');
    const { next, ...everything } = await wins.listChanges();
    expect(everything).toMatchObject({ wins: [{ id: win.id }], deleted: { win_ids: [] }, has_more: false });
    const written = await wins.batchWins({ batch: { create: [{ body: 'x', space_id: space.id }], delete: [win.id] } });
    expect(written).toMatchObject({ created: [{ body: 'x' }], updated: [], deleted: [win.id] });
    expect(await wins.listChanges({ since: next })).toMatchObject({ deleted: { win_ids: [win.id] } });
    expect(await wins.deleteWin({ id: written.created[0]!.id })).toBeUndefined();
    expect((await wins.listWins()).total).toBe(0);
  });

  it('of the account', async () => {
    expect(await wins.getMe()).toMatchObject({ plan: 'pro', limits: { spaces: { max: 1_000 } } });
    const { token, ...shown } = await wins.createToken({ token: { name: 'Laptop', scope: 'read' } });
    expect(token).toMatch(/^wins_/);
    expect(await wins.getToken({ id: shown.id })).toEqual(shown);
    expect((await wins.listTokens()).items.map(({ name }) => name)).toEqual(['Test', 'Laptop']);
    expect(await wins.revokeToken({ id: shown.id })).toBeUndefined();
    expect(await refusalOf(wins.getToken({ id: shown.id }))).toMatchObject({ status: 404 });
  });

  it('that need no token', async () => {
    const nobody = clientOf(undefined);
    expect(await nobody.isAlive()).toEqual({ status: 'ok' });
    expect(await nobody.isReady()).toEqual({ status: 'ok' });
  });

  it('are all tried here', () => {
    expect([...called].toSorted()).toEqual(Object.keys(routes).toSorted());
  });
});

describe('errors', () => {
  it('401', async () => {
    const error = await refusalOf(clientOf(undefined, { token: 'wins_wrong' }).getMe());
    expect(error).toBeInstanceOf(Error);
    expect(`${error}`).toBe('WinsError: Authentication required');
    expect({ ...error }).toEqual({
      name: 'WinsError',
      status: 401,
      code: 'unauthenticated',
      details: [],
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      retryAfter: undefined,
      upgradeUrl: undefined,
    });
  });

  it('402 with the way to a larger plan', async () => {
    const wins = clientOf(await app.make.person());
    for (const name of ['One', 'Two', 'Three']) await wins.createSpace({ space: { name } });
    expect(await refusalOf(wins.createSpace({ space: { name: 'Four' } }))).toMatchObject({
      message: 'Your plan is limited to 3 spaces',
      status: 402,
      code: 'plan_limit_reached',
      upgradeUrl: 'https://example.com/upgrade',
    });
  });

  it('403', async () => {
    const wins = clientOf(await app.make.person({ scope: 'read' }));
    const error = await refusalOf(wins.createTag({ tag: { name: 'Launch' } }));
    expect(error).toMatchObject({ status: 403, code: 'insufficient_scope' });
  });

  it('404', async () => {
    const wins = clientOf(await app.make.person());
    const error = await refusalOf(wins.getSpace({ id: 2 ** 40 }));
    expect(error).toMatchObject({ status: 404, code: 'not_found', message: 'Space not found' });
  });

  it('413 and 415', async () => {
    const wins = clientOf(await app.make.person());
    const large = { tag: { name: 'x'.repeat(2 ** 20) } };
    expect(await refusalOf(wins.createTag(large))).toMatchObject({ status: 413, code: 'body_too_large' });
    const headers = { 'Content-Type': 'text/plain' };
    const error = await refusalOf(wins.createTag({ tag: { name: 'Launch' } }, { headers }));
    expect(error).toMatchObject({ status: 415, code: 'unsupported_media_type' });
  });

  it('422 with all faults at once', async () => {
    const wins = clientOf(await app.make.person());
    const error = await refusalOf(wins.createSpace({ space: { name: ' ', emoji: 'no' } }));
    expect(error).toMatchObject({ status: 422, code: 'validation_failed' });
    expect(error.details).toEqual([
      { field: 'space.name', code: 'blank', message: 'Must not be blank' },
      { field: 'space.emoji', code: 'not_an_emoji', message: 'Must be exactly one emoji' },
    ]);
  });

  it('429 with the seconds to wait', async () => {
    const wins = clientOf(await app.make.person());
    for (let n = 0; n < RATE_LIMIT; n++) await wins.getMe();
    const error = await refusalOf(wins.getMe());
    expect(error).toMatchObject({ status: 429, code: 'rate_limited' });
    expect(error.retryAfter).toBeGreaterThan(0);
    expect(error.retryAfter).toBeLessThanOrEqual(60);
  });

  it('carry the id that the request was sent with', async () => {
    const headers = { 'X-Request-Id': 'from-the-caller' };
    const error = await refusalOf(clientOf(undefined).getMe({ headers }));
    expect(error.requestId).toBe('from-the-caller');
  });

  it('carry it where only the body can be read', async () => {
    const body = JSON.stringify({
      error: 'Authentication required',
      code: 'unauthenticated',
      request_id: 'in-the-body',
    });
    expect((await refusalOf(answeredWith(body, { status: 401 }).getMe())).requestId).toBe('in-the-body');
  });

  it("a proxy's page is unexpected, and keeps its status", async () => {
    const headers = { ...html.headers, 'retry-after': '30', 'x-request-id': 'of-the-proxy' };
    const error = await refusalOf(answeredWith('<h1>Bad Gateway</h1>', { status: 502, headers }).listTags());
    expect(error).toMatchObject({
      status: 502,
      code: 'unexpected_response',
      details: [],
      retryAfter: 30,
      requestId: 'of-the-proxy',
    });
    expect(error.message).toMatch(/^Not a response of the service: 502 text\/html from/);
  });

  it.each([
    ['JSON of another shape', '{"message":"no"}', { status: 500 }],
    ['an error without a code', '{"error":"no"}', { status: 500 }],
    ['an error with another kind of code', '{"error":"no","code":7}', { status: 500 }],
    ['JSON that is no object', 'null', { status: 500 }],
    ['nothing', null, { status: 504 }],
    ['a page that is answered for every path', '<!doctype html>', { status: 200, ...html }],
    ['a success without a body', '', { status: 200 }],
    ['a list without its headers', '[]', { status: 200 }],
    ['a list without its total', '[]', { status: 200, headers: { 'x-page': '1', 'x-per-page': '25' } }],
    ['no list', '{}', { status: 200, headers: { 'x-total-count': '0', 'x-page': '1', 'x-per-page': '25' } }],
  ])('%s is unexpected too', async (_, body, init) => {
    const error = await refusalOf(answeredWith(body, init).listTags());
    expect(error).toMatchObject({ status: init.status, code: 'unexpected_response', requestId: undefined });
  });

  it("leaves out a proxy's Retry-After that is a date", async () => {
    const headers = { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' };
    const error = await refusalOf(answeredWith('', { status: 503, headers }).getMe());
    expect(error.retryAfter).toBeUndefined();
  });

  it('no answer at all is what fetch throws', async () => {
    const wins = clientOf(undefined, { baseUrl: 'http://127.0.0.1:1' });
    await expect(wins.getMe()).rejects.toMatchObject({ name: 'TypeError' });
  });
});

describe('lists', () => {
  const names = Array.from({ length: 7 }, (_, n) => `Tag ${n + 1}`);
  let person: Person;
  beforeAll(async () => {
    person = await app.make.person();
    const wins = clientOf(person);
    for (const name of names) await wins.createTag({ tag: { name } });
  });

  /** A client that notes the queries it sends. */
  function watched(): { wins: Client; queries: string[] } {
    const queries: string[] = [];
    const wins = clientOf(person, {
      fetch: (request) => {
        queries.push(new URL(request.url).search);
        return fetch(request);
      },
    });
    return { wins, queries };
  }

  it('give one page with the numbers of all', async () => {
    const { items, ...numbers } = await clientOf(person).listTags({ page: 3, per_page: 3 });
    expect(items.map(({ name }) => name)).toEqual(['Tag 7']);
    expect(numbers).toEqual({ total: 7, page: 3, perPage: 3, lastPage: 3 });
  });

  it('give an empty page where there is nothing, or no more', async () => {
    const nobody = clientOf(await app.make.person());
    expect(await nobody.listTags()).toEqual({ items: [], total: 0, page: 1, perPage: 25, lastPage: 1 });
    expect(await clientOf(person).listTags({ page: 9 })).toMatchObject({ items: [], total: 7, page: 9, lastPage: 1 });
  });

  it('give every item of all pages, one request for each', async () => {
    const { wins, queries } = watched();
    expect((await collect(wins.listTags({ per_page: 3 }))).map(({ name }) => name)).toEqual(names);
    expect(queries.map((query) => query.replace(/(?<=after=).+/, '…'))).toEqual([
      '?per_page=3&after=',
      '?per_page=3&after=…',
      '?per_page=3&after=…',
    ]);
  });

  it('give one page with the cursor of the next, and go on from one', async () => {
    const { wins, queries } = watched();
    const first = await wins.listTags({ per_page: 3, after: '' });
    expect(first).toEqual({
      items: names.slice(0, 3).map((name) => expect.objectContaining({ name })),
      next: expect.any(String),
    });
    const rest = await collect(wins.listTags({ per_page: 3, after: first.next! }));
    expect(rest.map(({ name }) => name)).toEqual(names.slice(3));
    expect(await wins.listTags({ per_page: 7, after: '' })).toMatchObject({ items: { length: 7 }, next: undefined });
    expect(queries).toHaveLength(4);
  });

  it('are unreadable without the headers that tell where the next page begins', async () => {
    const hiding = (...hidden: string[]) =>
      clientOf(person, {
        async fetch(request) {
          const { status, headers, body } = await fetch(request);
          const seen = [...headers].filter(([name]) => !hidden.includes(name));
          return new Response(body, { status, headers: seen });
        },
      });
    for (const hidden of [['x-next-cursor'], ['x-next-cursor', 'x-per-page', 'link']]) {
      await expect(collect(hiding(...hidden).listTags({ per_page: 3 }))).rejects.toBeInstanceOf(WinsError);
    }
    expect(await collect(clientOf(person).listTags({ page: 1, after: '', per_page: 3 }))).toHaveLength(7);
  });

  it('begin with the page that was asked for', async () => {
    const { wins, queries } = watched();
    expect((await collect(wins.listTags({ page: 2, per_page: 4 }))).map(({ name }) => name)).toEqual(names.slice(4));
    expect(queries).toEqual(['?page=2&per_page=4']);
  });

  it('need no request for a last page that is full, nor for none at all', async () => {
    const { wins, queries } = watched();
    expect(await collect(wins.listTags({ per_page: 7 }))).toHaveLength(7);
    expect(await collect(wins.listTags({ page: 5 }))).toEqual([]);
    expect(queries).toHaveLength(2);
  });

  it('ask for no further page after a break', async () => {
    const { wins, queries } = watched();
    for await (const { name } of wins.listTags({ per_page: 2 })) if (name === 'Tag 2') break;
    expect(queries).toHaveLength(1);
  });

  it('send what was filtered for with every page, and end at what is there by then', async () => {
    const { wins, queries } = watched();
    const space = await wins.createSpace({ space: { name: 'Work' } });
    await app.make.wins(person, space.id, { count: 4 });
    queries.length = 0;
    const ids = new Set<number>();
    for await (const { id } of wins.listWins({ space_id: space.id, per_page: 2 })) {
      if (ids.size === 0) await app.make.wins(person, space.id, { count: 2, day: '2026-01-01' });
      ids.add(id);
    }
    expect(ids.size).toBe(6);
    expect(queries.map((query) => query.replace(/(?<=after=).+/, '…'))).toEqual(
      ['', '…', '…'].map((after) => `?space_id=${space.id}&per_page=2&after=${after}`),
    );
  });

  it('throw what a later page is refused with', async () => {
    let token = person.token;
    const wins = clientOf(undefined, { token: () => token });
    const items = wins.listTags({ per_page: 4 })[Symbol.asyncIterator]();
    for (let n = 0; n < 4; n++) await items.next();
    token = 'wins_wrong';
    expect(await refusalOf(items.next())).toMatchObject({ status: 401 });
  });

  it('can be aborted between pages', async () => {
    const aborter = new AbortController();
    const items = clientOf(person).listTags({ per_page: 4 }, { signal: aborter.signal })[Symbol.asyncIterator]();
    for (let n = 0; n < 4; n++) await items.next();
    aborter.abort();
    await expect(items.next()).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
  });
});

describe('a client', () => {
  it('asks a function for the token before every request', async () => {
    const [ann, bob] = [await app.make.person(), await app.make.person()];
    const tokens = [ann.token, bob.token];
    const wins = clientOf(undefined, { token: async () => tokens.shift() });
    expect(await wins.getMe()).toMatchObject({ email: ann.email });
    expect(await wins.getMe()).toMatchObject({ email: bob.email });
    expect(await refusalOf(wins.getMe())).toMatchObject({ status: 401 });
  });

  it('passes what the function of the token throws', async () => {
    const expired = new Error('Sign in again');
    await expect(clientOf(undefined, { token: () => Promise.reject(expired) }).getMe()).rejects.toBe(expired);
  });

  it('lets a call be aborted, before and while it runs', async () => {
    const wins = clientOf(await app.make.person());
    await expect(wins.getMe({ signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' });
    const aborter = new AbortController();
    const slow = clientOf(undefined, {
      fetch: (request) => {
        queueMicrotask(() => aborter.abort(new Error('Left the page')));
        return fetch(request);
      },
    });
    await expect(slow.getMe({ signal: aborter.signal })).rejects.toThrow('Left the page');
  });

  it.each(['', '/', '/wins', '/wins/'])('reaches the service below "%s"', async (prefix) => {
    const urls: string[] = [];
    const wins = clientOf(await app.make.person(), {
      baseUrl: app.url + prefix,
      fetch: (request) => {
        urls.push(request.url);
        return fetch(new Request(request.url.replace('/wins/', '/'), request));
      },
    });
    expect(await wins.createTag({ tag: { name: 'Launch' } })).toMatchObject({ name: 'Launch' });
    expect(urls).toEqual([`${app.url}${prefix.replace(/\/$/, '')}/api/v1/tags`]);
  });

  it('sends a body with its fields alone, and none where there is none', async () => {
    const requests: Request[] = [];
    const wins = createClient({
      baseUrl: 'http://wins.example',
      token: 'x',
      fetch: async (request) => {
        requests.push(request);
        return new Response(null, { status: 204 });
      },
    });
    await wins.updateSpace({ id: 7, space: { position: 2 } });
    await wins.deleteSpace({ id: 7 });
    const sent = requests.map(async (request) => [
      request.method,
      request.url,
      request.headers.get('content-type'),
      await request.text(),
    ]);
    expect(await Promise.all(sent)).toEqual([
      ['PATCH', 'http://wins.example/api/v1/spaces/7', 'application/json', '{"space":{"position":2}}'],
      ['DELETE', 'http://wins.example/api/v1/spaces/7', null, ''],
    ]);
  });

  it('uses a fetch that took the place of the platform’s later on', async () => {
    const wins = createClient({ baseUrl: 'http://wins.example', token: null });
    const { fetch } = globalThis;
    try {
      globalThis.fetch = async () => Response.json({ status: 'stubbed' });
      expect(await wins.isAlive()).toEqual({ status: 'stubbed' });
    } finally {
      globalThis.fetch = fetch;
    }
  });
});

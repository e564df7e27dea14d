import { startApp, type TestApp } from '../harness/app.js';
import type { Client } from '../harness/client.js';
import type { Person } from '../harness/factories.js';

/** Every documented limit, by its last good and its first bad value. */

let app: TestApp;
let ann: Person;
let api: Client;
let spaceId: number;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  ann = await app.make.person({ plan: 'pro' });
  api = app.as(ann);
  spaceId = (await api.post<{ id: number }>('/api/v1/spaces', { space: { name: 'Work' } })).body.id;
});

/** What an answer says: its status, and the codes of its faults. */
const outcome = ({ status, body }: { status: number; body: unknown }) => {
  const { details = [] } = (body ?? {}) as { details?: { field: string; code: string }[] };
  return [status, ...details.map(({ field, code }) => `${field} ${code}`)].join(' ');
};

const create = async (path: string, body: unknown) => outcome(await api.post(`/api/v1/${path}`, body));
const list = async (query: string) => outcome(await api.get(`/api/v1/wins?${query}`));

const searchOf = (count: number) =>
  encodeURIComponent(Array.from({ length: count }, (_, n) => `w${n}`).join(' \u3000'));

const tagNames = (count: number) => Array.from({ length: count }, (_, n) => `tag ${n}`);

const nested = (depth: number) => `{"tag":{"name":"x${depth}","y":${'['.repeat(depth - 2)}${']'.repeat(depth - 2)}}}`;

const postRaw = async (raw: string) => outcome(await api.request('POST', '/api/v1/tags', { raw }));

const postBytes = async (bytes: number) => {
  const [before, after] = ['{"tag":{"name":"x","y":"', '"}}'] as const;
  const raw = before + 'y'.repeat(bytes - before.length - after.length) + after;
  return outcome(await api.request('POST', '/api/v1/tags', { raw }));
};

const isKept = async (id: string) =>
  (await api.get('/api/v1/me', { headers: { 'x-request-id': id } })).headers.get('x-request-id') === id;

const endToken = (expires_at: string) => create('tokens', { token: { name: 'x', expires_at } });

const recordOn = (occurred_on: string) => create('wins', { win: { body: 'Win', space_id: spaceId, occurred_on } });

const pageOf = async (query: string) => {
  const { status, headers, body } = await api.get<unknown[]>(`/api/v1/tags?${query}`);
  return [status, headers.get('x-page'), headers.get('x-per-page'), body.length].join(' ');
};

const winsOf = async (id: string) => {
  const { status, headers, body } = await api.get<unknown[]>(`/api/v1/wins?space_id=${id}`);
  return [status, headers.get('x-total-count'), body.length].join(' ');
};

const recordIn = (space_id: unknown) => create('wins', { win: { body: 'Win', space_id } });

/** Characters of one and of two UTF-16 units: both count once. */
describe.each(['x', '🚀'])('texts of %s', (character) => {
  const text = (length: number) => character.repeat(length);

  it('name a tag with at most 30', async () => {
    expect(await create('tags', { tag: { name: text(30) } })).toBe('201');
    expect(await create('tags', { tag: { name: text(31) } })).toBe('422 tag.name too_long');
  });

  it('name a space with at most 100', async () => {
    expect(await create('spaces', { space: { name: text(100) } })).toBe('201');
    expect(await create('spaces', { space: { name: text(101) } })).toBe('422 space.name too_long');
  });

  it('name a token with at most 100', async () => {
    expect(await create('tokens', { token: { name: text(100) } })).toBe('201');
    expect(await create('tokens', { token: { name: text(101) } })).toBe('422 token.name too_long');
  });

  it('are a body with at most 10,000', async () => {
    expect(await create('wins', { win: { body: text(10_000), space_id: spaceId } })).toBe('201');
    expect(await create('wins', { win: { body: text(10_001), space_id: spaceId } })).toBe('422 win.body too_long');
  });

  it('are tags of a win with at most 30 each', async () => {
    const win = { body: 'Win', space_id: spaceId };
    expect(await create('wins', { win: { ...win, tag_names: [text(30)] } })).toBe('201');
    expect(await create('wins', { win: { ...win, tag_names: [text(31)] } })).toBe('422 win.tag_names too_long');
  });

  it('have no control character, also where they are as long as they may be', async () => {
    const win = { body: 'Win', space_id: spaceId };
    expect(await create('tags', { tag: { name: `${text(28)}\u0000x` } })).toBe('422 tag.name invalid_characters');
    expect(await create('wins', { win: { ...win, body: `${text(9_999)}\u0000` } })).toBe(
      '422 win.body invalid_characters',
    );
    expect(await create('wins', { win: { ...win, tag_names: [`${text(28)}\u0000x`] } })).toBe(
      '422 win.tag_names invalid_characters',
    );
  });

  it('are searched for with at most 200', async () => {
    expect(await list(`q=${encodeURIComponent(text(200))}`)).toBe('200');
    expect(await list(`q=${encodeURIComponent(text(201))}`)).toBe('422 q too_long');
  });
});

it('a search has at most 10 words, however they are spaced', async () => {
  expect(await list(`q=${searchOf(10)}`)).toBe('200');
  expect(await list(`q=${searchOf(11)}`)).toBe('422 q too_many');
});

it('a search of 10 words asks for all of them', async () => {
  const words = Array.from({ length: 10 }, (_, n) => `word${n}`);
  await create('wins', { win: { body: words.join(' '), space_id: spaceId } });
  await create('wins', { win: { body: words.slice(0, 9).join(' '), space_id: spaceId } });
  const { headers } = await api.get(`/api/v1/wins?q=${words.join('+')}`);
  expect(headers.get('x-total-count')).toBe('1');
});

it('a win has at most 50 tags, doubles counted once', async () => {
  const win = { body: 'Win', space_id: spaceId };
  expect(await create('wins', { win: { ...win, tag_names: tagNames(50) } })).toBe('201');
  expect(await create('wins', { win: { ...win, tag_names: [...tagNames(50), 'tag 0'] } })).toBe('201');
  expect(await create('wins', { win: { ...win, tag_names: tagNames(51) } })).toBe('422 win.tag_names too_many');
  expect(await create('wins', { win: { ...win, tag_names: tagNames(50).join(',') } })).toBe('201');
  expect(await create('wins', { win: { ...win, tag_names: tagNames(51).join(',') } })).toBe(
    '422 win.tag_names too_many',
  );
});

it('a win names at most 1,000 tags, counting empty ones and doubles', async () => {
  const win = { body: 'Win', space_id: spaceId };
  for (const names of [
    (count: number) => Array(count).fill('a'),
    (count: number) => Array(count).fill('a').join(','),
  ]) {
    expect(await create('wins', { win: { ...win, tag_names: names(1_000) } })).toBe('201');
    expect(await create('wins', { win: { ...win, tag_names: names(1_001) } })).toBe('422 win.tag_names too_many');
  }
});

it('a body has at most 10,000 values, by its commas and brackets', async () => {
  for (const [count, status] of [
    [10_000, '201'],
    [10_001, '413'],
  ] as const) {
    const others = Array(count - 3).fill(1);
    expect(await postRaw(`{"tag":{"name":"values","y":[${others.join(',')}]}}`)).toBe(status);
  }
});

it('a body is nested at most 20 deep', async () => {
  // The fields that nobody knows are dropped; the wrapper and the resource are the first two levels.
  expect(await postRaw(nested(20))).toBe('201');
  expect(await postRaw(nested(21))).toBe('400');
  // What was closed again does not count.
  expect(await postRaw(`{"tag":{"name":"flat","y":[${'[[]],'.repeat(100)}[]]}}`)).toBe('201');
});

it('a body has at most 1 MiB', async () => {
  expect(await postBytes(1024 * 1024)).toBe('201');
  expect(await postBytes(1024 * 1024 + 1)).toBe('413');
});

it('an id of a request has at most 128 characters', async () => {
  expect([await isKept('x'.repeat(128)), await isKept('x'.repeat(129))]).toEqual([true, false]);
});

it('a token ends at the latest with the year 9999, and not in the past', async () => {
  expect(await endToken('9999-12-31T23:59:59.999Z')).toBe('201');
  expect(await endToken('9999-12-31T23:59:59.999-00:01')).toBe('422 token.expires_at not_a_time');
  expect(await endToken('10000-01-01T00:00:00Z')).toBe('422 token.expires_at not_a_time');
  expect(await endToken(new Date(Date.now() + 60_000).toISOString())).toBe('201');
  expect(await endToken(new Date(Date.now() - 1).toISOString())).toBe('422 token.expires_at in_the_past');
});

it('a token ends as late as its maker, to the millisecond', async () => {
  const end = Date.now() + 3_600_000;
  const maker = app.as({ ...ann, token: await app.make.token(ann.id, { expiresAt: new Date(end) }) });
  const expiring = async (expires_at: string | null) =>
    outcome(await maker.post('/api/v1/tokens', { token: { name: 'x', expires_at } }));
  expect(await expiring(new Date(end).toISOString())).toBe('201');
  expect(await expiring(new Date(end + 1).toISOString())).toMatch(/^422 token\.expires_at outlives_/);
  expect(await expiring(null)).toMatch(/^422 token\.expires_at outlives_/);
});

it('a position has 32 bits', async () => {
  for (const [good, bad] of [
    [2_147_483_647, 2_147_483_648],
    [-2_147_483_648, -2_147_483_649],
  ]) {
    expect(await create('spaces', { space: { name: 'x', position: good } })).toBe('201');
    expect(await create('spaces', { space: { name: 'x', position: bad } })).toBe('422 space.position out_of_range');
  }
});

it('a day is one of the years 1 to 9999', async () => {
  expect([await recordOn('0001-01-01'), await recordOn('9999-12-31')]).toEqual(['201', '201']);
  for (const day of ['0000-12-31', '10000-01-01', '2026-02-29', '2026-13-01', '2026-00-10', '2026-01-00']) {
    expect([day, await recordOn(day)]).toEqual([day, '422 win.occurred_on not_a_date']);
  }
  expect(await recordOn('2024-02-29')).toBe('201');
});

describe('the numbers of a page', () => {
  it('are clamped to their bounds, and whole', async () => {
    await app.dataSource.query(
      `insert into tags (user_id, name) select $1, 'tag ' || n from generate_series(1, 101) n`,
      [ann.id],
    );
    expect(await pageOf('')).toBe('200 1 25 25');
    expect(await pageOf('per_page=100')).toBe('200 1 100 100');
    expect(await pageOf('per_page=101')).toBe('200 1 100 100');
    expect(await pageOf('per_page=99999999999999999999')).toBe('200 1 100 100');
    expect(await pageOf('per_page=1')).toBe('200 1 1 1');
    expect(await pageOf('per_page=0')).toBe('200 1 1 1');
    expect(await pageOf('per_page=-7')).toBe('200 1 1 1');
    expect(await pageOf('page=0')).toBe('200 1 25 25');
    expect(await pageOf('page=-1')).toBe('200 1 25 25');
    expect(await pageOf('page=2&per_page=100')).toBe('200 2 100 1');
    expect(await pageOf('page=3&per_page=100')).toBe('200 3 100 0');
    expect(await pageOf('page=2147483647')).toBe('200 2147483647 25 0');
    expect(await pageOf('page=2147483648')).toBe('200 2147483647 25 0');
    for (const wrong of ['page=1.0', 'page=1e3', 'page=+1', 'per_page=x', 'per_page=0x10']) {
      expect([wrong, (await api.get(`/api/v1/tags?${wrong}`)).status]).toEqual([wrong, 422]);
    }
  });
});

describe('an id', () => {
  const LARGEST = Number.MAX_SAFE_INTEGER;

  it('in a filter finds nothing where no space has it, and never that of another id', async () => {
    await create('wins', { win: { body: 'Win', space_id: spaceId } });
    expect(await winsOf(String(spaceId))).toBe('200 1 1');
    for (const id of ['0', '-1', `-${spaceId}`, String(LARGEST), '9007199254740993', '9'.repeat(30)]) {
      expect([id, await winsOf(id)]).toEqual([id, '200 0 0']);
    }
  });

  it('in a filter is never taken for the first or the last there is', async () => {
    // Ids of one's own at the bounds that a filter out of range could be clamped to.
    const bob = await app.make.person();
    for (const id of [1, LARGEST]) {
      await app.dataSource.query(
        `insert into spaces (user_id, id, name) overriding system value values ($1, $2, 'Bound')`,
        [bob.id, id],
      );
      await app.make.wins(bob, id);
    }
    const count = async (id: string) =>
      (await app.as(bob).get(`/api/v1/wins?space_id=${id}`)).headers.get('x-total-count');
    expect(await count('1')).toBe('1');
    expect(await count(String(LARGEST))).toBe('1');
    for (const id of ['0', '-1', '-9']) expect([id, await count(id)]).toEqual([id, '0']);
  });

  it('in a path has no other spelling, and no more than 2^53 - 1', async () => {
    const status = async (id: string) => (await api.get(`/api/v1/spaces/${id}`)).status;
    expect(await status(String(spaceId))).toBe(200);
    for (const id of [`0${spaceId}`, `+${spaceId}`, `${spaceId}.0`, `-${spaceId}`, `%20${spaceId}`, '0', 'x']) {
      expect([id, await status(id)]).toEqual([id, 404]);
    }
    await app.dataSource.query(`insert into tags (user_id, id, name) overriding system value values ($1, $2, 'Last')`, [
      ann.id,
      LARGEST,
    ]);
    expect((await api.get(`/api/v1/tags/${LARGEST}`)).status).toBe(200);
    expect((await api.get('/api/v1/tags/9007199254740992')).status).toBe(404);
  });

  it('in a body has to be a whole number from 1', async () => {
    expect(await recordIn(spaceId)).toBe('201');
    for (const id of [0, -1, LARGEST, LARGEST + 1]) {
      expect([id, await recordIn(id)]).toEqual([id, '422 win.space_id not_found']);
    }
    for (const id of [spaceId + 0.5, String(spaceId), null]) {
      expect([id, await recordIn(id)]).toEqual([id, '422 win.space_id invalid_type']);
    }
  });
});

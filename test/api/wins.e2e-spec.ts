import { startApp, type TestApp } from '../harness/app.js';
import type { Person } from '../harness/factories.js';

interface Win {
  id: number;
  body: string;
  occurred_on: string;
  space: { id: number; name: string; emoji: string | null };
  tags: { id: number; name: string }[];
  created_at: string;
  updated_at: string;
}

interface Counted {
  id: number;
  name: string;
  wins_count: number;
}

interface Refusal {
  error: string;
  code: string;
  details: { field: string; code: string }[];
}

const WINS = '/api/v1/wins';

let app: TestApp;
let ann: Person;
let space: Counted;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  ann = await app.make.person();
  space = await createSpace('Work');
});

async function createSpace(name: string, person = ann): Promise<Counted> {
  return (await app.as(person).post<Counted>('/api/v1/spaces', { space: { name } })).body;
}

async function createWin(fields: Record<string, unknown> = {}, person = ann): Promise<Win> {
  const win = { body: 'Shipped it', space_id: space.id, ...fields };
  const answer = await app.as(person).post<Win>(WINS, { win });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}

/** All tags of the user by name, with their counts. */
async function tagCounts(): Promise<Record<string, number>> {
  const { body } = await app.as(ann).get<Counted[]>('/api/v1/tags?per_page=100');
  return Object.fromEntries(body.map(({ name, wins_count }) => [name, wins_count]));
}

async function spaceCount(id = space.id): Promise<number> {
  return (await app.as(ann).get<Counted>(`/api/v1/spaces/${id}`)).body.wins_count;
}

/** The faults of a refused request, as `field code`. */
async function faultsOf(win: unknown, method: 'POST' | 'PATCH' = 'POST', path = WINS): Promise<string[]> {
  const { status, body } = await app.as(ann).request<Refusal>(method, path, { json: { win } });
  expect(status).toBe(422);
  return body.details.map(({ field, code }) => `${field} ${code}`);
}

async function list(query = ''): Promise<Win[]> {
  return (await app.as(ann).get<Win[]>(`${WINS}${query}`)).body;
}

const bodies = (wins: Win[]) => wins.map(({ body }) => body);

describe('POST /api/v1/wins', () => {
  it('records a win with its space and its tags', async () => {
    const answer = await app.as(ann).post<Win>(WINS, {
      win: {
        body: 'Shipped *it*\n\tat last',
        space_id: space.id,
        occurred_on: '2026-02-28',
        tag_names: ['Team', 'Launch'],
      },
    });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('location')).toBe(`${WINS}/${answer.body.id}`);
    expect(answer.body).toMatchObject({
      body: 'Shipped *it*\n\tat last',
      occurred_on: '2026-02-28',
      space: { id: space.id, name: 'Work', emoji: null },
      tags: [{ name: 'Launch' }, { name: 'Team' }],
    });
    expect((await app.as(ann).get(`${WINS}/${answer.body.id}`)).text).toBe(answer.text);
    expect(await tagCounts()).toEqual({ Launch: 1, Team: 1 });
    expect(await spaceCount()).toBe(1);
  });

  it('is dated today in UTC when no date is sent', async () => {
    const before = new Date().toISOString().slice(0, 10);
    const { occurred_on } = await createWin();
    expect([before, new Date().toISOString().slice(0, 10)]).toContain(occurred_on);
  });

  it('attaches a tag that exists in another spelling, and keeps the first spelling', async () => {
    await createWin({ tag_names: ['Café'] });
    const { tags } = await createWin({ tag_names: ['  CAFE\u0301 '] });
    expect(tags.map(({ name }) => name)).toEqual(['Café']);
    expect(await tagCounts()).toEqual({ Café: 2 });
  });

  it('takes names in one string split at commas, drops empty ones and counts doubles once', async () => {
    expect((await createWin({ tag_names: 'a,,b, ,' })).tags.map(({ name }) => name)).toEqual(['a', 'b']);
    expect((await createWin({ tag_names: ['a', '', ' ', 'A'] })).tags.map(({ name }) => name)).toEqual(['a']);
    expect((await createWin({ tag_names: '' })).tags).toEqual([]);
    expect(await tagCounts()).toEqual({ a: 2, b: 1 });
  });

  it('tells a comma in a name from a comma between names', async () => {
    const tag = (await app.as(ann).post<Counted>('/api/v1/tags', { tag: { name: 'one' } })).body;
    await app.as(ann).patch(`/api/v1/tags/${tag.id}`, { tag: { name: 'one, two' } });
    expect((await createWin({ tag_names: ['one, two'] })).tags).toEqual([{ id: tag.id, name: 'one, two' }]);
    expect((await createWin({ tag_names: 'one, two' })).tags.map(({ name }) => name)).toEqual(['one', 'two']);
  });

  it.each([
    ['no fields', {}, ['win.body required', 'win.space_id required']],
    ['a blank body', { body: ' \n\u200b' }, ['win.body blank']],
    ['a body of another type', { body: 7 }, ['win.body invalid_type']],
    ['a body that is too long', { body: '😀'.repeat(10_001) }, ['win.body too_long']],
    ['a NUL in the body', { body: 'a\u0000b' }, ['win.body invalid_characters']],
    ['half a surrogate pair in the body', { body: 'a\ud800' }, ['win.body invalid_characters']],
    ['a space of another type', { space_id: '2' }, ['win.space_id invalid_type']],
    ['a fraction for a space', { space_id: 1.5 }, ['win.space_id invalid_type']],
    ['null for a space', { space_id: null }, ['win.space_id invalid_type']],
    ['a space out of range', { space_id: 1e300 }, ['win.space_id not_found']],
    ['space 0', { space_id: 0 }, ['win.space_id not_found']],
    ['a space nobody has', { space_id: 2 ** 53 - 1 }, ['win.space_id not_found']],
    ['a date that is none', { occurred_on: '2026-02-30' }, ['win.occurred_on not_a_date']],
    ['a date in year 0', { occurred_on: '0000-01-01' }, ['win.occurred_on not_a_date']],
    ['a date with a time', { occurred_on: '2026-02-03T00:00:00Z' }, ['win.occurred_on not_a_date']],
    ['null for a date', { occurred_on: null }, ['win.occurred_on invalid_type']],
    ['what is read of tags', { tags: [] }, ['win.tags read_only']],
    [
      'what is read of a space',
      { space_id: undefined, space: { id: 1 } },
      ['win.space_id required', 'win.space read_only'],
    ],
    ['null for tags', { tag_names: null }, ['win.tag_names invalid_type']],
    ['a number among tags', { tag_names: ['a', 1] }, ['win.tag_names invalid_type']],
    ['51 tags', { tag_names: Array.from({ length: 51 }, (_, n) => `t${n}`) }, ['win.tag_names too_many']],
    ['a tag that is too long', { tag_names: ['x'.repeat(31)] }, ['win.tag_names too_long']],
    ['an invisible tag', { tag_names: ['\u200b'] }, ['win.tag_names blank']],
    ['a control character in a tag', { tag_names: ['a\u0007b'] }, ['win.tag_names invalid_characters']],
  ])('refuses %s', async (_, fields, faults) => {
    const complete = Object.keys(fields).length === 0 ? {} : { body: 'x', space_id: space.id, ...fields };
    expect(await faultsOf(complete)).toEqual(faults);
    expect(await spaceCount()).toBe(0);
    expect(await tagCounts()).toEqual({});
  });

  it('takes a body of 10,000 emoji and 50 tags', async () => {
    const tag_names = Array.from({ length: 50 }, (_, n) => `t${n}`);
    const win = await createWin({ body: '😀'.repeat(10_000), tag_names });
    expect(win.body).toBe('😀'.repeat(10_000));
    expect(win.tags).toHaveLength(50);
  });

  it("refuses another user's space and attaches nothing", async () => {
    const bob = await app.make.person();
    const theirs = await createSpace('Theirs', bob);
    expect(await faultsOf({ body: 'x', space_id: theirs.id, tag_names: ['new'] })).toEqual(['win.space_id not_found']);
    expect(await tagCounts()).toEqual({});
    expect((await app.as(bob).get<Counted>(`/api/v1/spaces/${theirs.id}`)).body.wins_count).toBe(0);
  });

  it('makes one tag of 20 parallel creates that share a new name', async () => {
    const wins = await Promise.all(Array.from({ length: 20 }, () => createWin({ tag_names: ['brand-new'] })));
    expect(new Set(wins.map(({ tags }) => tags[0]!.id)).size).toBe(1);
    expect(await tagCounts()).toEqual({ 'brand-new': 20 });
    expect(await spaceCount()).toBe(20);
  });
});

describe('PATCH /api/v1/wins/:id', () => {
  it('moves a win and replaces its tags, and all counts follow', async () => {
    const other = await createSpace('Home');
    const { id } = await createWin({ tag_names: ['old', 'kept'] });
    const answer = await app.as(ann).patch<Win>(`${WINS}/${id}`, {
      win: { space_id: other.id, tag_names: ['new', 'kept'], occurred_on: '2025-12-24' },
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      body: 'Shipped it',
      occurred_on: '2025-12-24',
      space: { id: other.id },
      tags: [{ name: 'kept' }, { name: 'new' }],
    });
    expect([await spaceCount(), await spaceCount(other.id)]).toEqual([0, 1]);
    expect(await tagCounts()).toEqual({ kept: 1, new: 1, old: 0 });
    expect(await list('?tag=old')).toEqual([]);
    expect((await list('?tag=new'))[0]!.id).toBe(id);
  });

  it('leaves what is not sent, and takes all tags away with an empty array', async () => {
    const { id } = await createWin({ tag_names: ['a'] });
    expect((await app.as(ann).patch<Win>(`${WINS}/${id}`, { win: { body: 'New' } })).body.tags).toHaveLength(1);
    expect((await app.as(ann).patch<Win>(`${WINS}/${id}`, { win: { tag_names: [] } })).body).toMatchObject({
      body: 'New',
      tags: [],
    });
    expect(await tagCounts()).toEqual({ a: 0 });
    const filtered = await app.as(ann).get(`${WINS}?tag=a`);
    expect([filtered.text, filtered.headers.get('x-total-count')]).toEqual(['[]', '0']);
  });

  it.each([
    ['space', { space: { id: 1 } }, ['win.space read_only']],
    ['no space', { space: null }, ['win.space read_only']],
    ['tags', { tags: [{ id: 1, name: 'a' }] }, ['win.tags read_only']],
    ['both', { body: 'New', space: 'Home', tags: [] }, ['win.space read_only', 'win.tags read_only']],
    ['tags and another space', { space_id: 1, space: { id: 1 }, tags: ['a'] }, ['win.tags read_only']],
  ])('refuses what is only read instead of what is written: %s', async (_, changes, faults) => {
    const win = await createWin({ tag_names: ['kept'] });
    expect(await faultsOf(changes, 'PATCH', `${WINS}/${win.id}`)).toEqual(faults);
    expect((await app.as(ann).get(`${WINS}/${win.id}`)).body).toEqual(win);
  });

  it('takes a whole win back, where what is written is there too', async () => {
    const [home, win] = [await createSpace('Home'), await createWin({ tag_names: ['old'] })];
    const sent = { ...win, body: 'New', space_id: home.id, tag_names: ['new'] };
    expect((await app.as(ann).patch(`${WINS}/${win.id}`, { win: sent })).body).toMatchObject({
      id: win.id,
      body: 'New',
      space: { id: home.id },
      tags: [{ name: 'new' }],
      created_at: win.created_at,
    });
  });

  it('moves updated_at forward even where the clock of the database was ahead', async () => {
    const { id } = await createWin();
    const ahead = '2999-12-31T23:59:59.999Z';
    for (const change of [{ tag_names: ['b'] }, { body: 'y' }]) {
      await app.dataSource.query('update wins set updated_at = $2 where id = $1', [id, ahead]);
      const { body } = await app.as(ann).patch<Win>(`${WINS}/${id}`, { win: change });
      expect(body.updated_at > ahead).toBe(true);
    }
  });

  it('moves updated_at only when something changed', async () => {
    const win = await createWin({ tag_names: ['a'] });
    const same = { body: win.body, space_id: win.space.id, occurred_on: win.occurred_on, tag_names: ['A'] };
    expect((await app.as(ann).patch<Win>(`${WINS}/${win.id}`, { win: same })).body).toEqual(win);
    expect((await app.as(ann).patch<Win>(`${WINS}/${win.id}`, { win: {} })).body).toEqual(win);
    const retagged = (await app.as(ann).patch<Win>(`${WINS}/${win.id}`, { win: { tag_names: ['b'] } })).body;
    expect(retagged.updated_at > win.updated_at).toBe(true);
    const edited = (await app.as(ann).patch<Win>(`${WINS}/${win.id}`, { win: { body: 'y' } })).body;
    expect(edited.updated_at > retagged.updated_at).toBe(true);
    expect(edited.created_at).toBe(win.created_at);
  });

  it("refuses another user's space and changes nothing", async () => {
    const bob = await app.make.person();
    const theirs = await createSpace('Theirs', bob);
    const win = await createWin({ tag_names: ['a'] });
    const refused = await faultsOf({ space_id: theirs.id, tag_names: ['b'] }, 'PATCH', `${WINS}/${win.id}`);
    expect(refused).toEqual(['win.space_id not_found']);
    expect((await app.as(ann).get(`${WINS}/${win.id}`)).body).toEqual(win);
  });

  it('refuses nulls, each at its field', async () => {
    const { id } = await createWin();
    const nulls = { body: null, space_id: null, occurred_on: null, tag_names: null };
    expect(await faultsOf(nulls, 'PATCH', `${WINS}/${id}`)).toEqual([
      'win.body invalid_type',
      'win.space_id invalid_type',
      'win.occurred_on invalid_type',
      'win.tag_names invalid_type',
    ]);
  });
});

describe('DELETE /api/v1/wins/:id', () => {
  it('lowers the counts and keeps the tag', async () => {
    const [first, second] = [await createWin({ tag_names: ['t'] }), await createWin({ tag_names: ['t'] })];
    expect((await app.as(ann).delete(`${WINS}/${first.id}`)).status).toBe(204);
    expect(await tagCounts()).toEqual({ t: 1 });
    await app.as(ann).delete(`${WINS}/${second.id}`);
    expect(await tagCounts()).toEqual({ t: 0 });
    expect(await spaceCount()).toBe(0);
    expect((await app.as(ann).get(`${WINS}/${first.id}`)).status).toBe(404);
  });
});

describe('another user', () => {
  it('gets the same answer for a win of mine as for none', async () => {
    const bob = await app.make.person();
    const { id } = await createWin();
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const json = method === 'PATCH' ? { win: { body: 'pwn' } } : undefined;
      const [mine, none] = await Promise.all(
        [id, 2 ** 53 - 1].map((asked) =>
          app.as(bob).request<Refusal>(method, `${WINS}/${asked}`, { json, headers: { 'x-request-id': 'same' } }),
        ),
      );
      expect([mine!.status, mine!.text]).toEqual([404, none!.text]);
    }
    expect((await app.as(ann).get<Win>(`${WINS}/${id}`)).body.body).toBe('Shipped it');
    expect((await app.as(bob).get(WINS)).text).toBe('[]');
  });
});

describe('GET /api/v1/wins', () => {
  it('shows the newest day first, then the newest id', async () => {
    for (const [body, occurred_on] of [
      ['a', '2026-01-02'],
      ['b', '2026-01-03'],
      ['c', '2026-01-02'],
    ] as const) {
      await createWin({ body, occurred_on });
    }
    expect(bodies(await list())).toEqual(['b', 'c', 'a']);
  });

  it('walks through pages and meets each win once', async () => {
    await app.make.wins(ann, space.id, { count: 60 });
    const seen: number[] = [];
    for (let page = 1; page <= 9; page++) {
      const answer = await app.as(ann).get<Win[]>(`${WINS}?per_page=7&page=${page}`);
      expect(answer.headers.get('x-total-count')).toBe('60');
      seen.push(...answer.body.map(({ id }) => id));
    }
    expect(new Set(seen).size).toBe(60);
    expect(seen).toEqual(seen.toSorted((a, b) => b - a));
  });

  it('filters by space, by tag in any case and by days, and by all of them', async () => {
    const home = await createSpace('Home');
    await createWin({ body: 'a', occurred_on: '2026-01-01', tag_names: ['café', 'x'] });
    await createWin({ body: 'b', occurred_on: '2026-01-02', tag_names: ['café'], space_id: home.id });
    await createWin({ body: 'c', occurred_on: '2026-01-03', tag_names: ['x'], space_id: home.id });
    await createWin({ body: 'd', occurred_on: '2026-01-04' });
    const cases: [string, string[]][] = [
      [`space_id=${home.id}`, ['c', 'b']],
      ['tag=CAFE%CC%81', ['b', 'a']],
      ['since=2026-01-02', ['d', 'c', 'b']],
      ['until=2026-01-02', ['b', 'a']],
      ['since=2026-01-02&until=2026-01-03', ['c', 'b']],
      [`tag=x&space_id=${home.id}`, ['c']],
      [`tag=café&space_id=${home.id}&since=2026-01-02&until=2026-01-02&q=B`, ['b']],
      ['tag=none', []],
      ['tag=%25', []],
      ['space_id=99999999999999999999', []],
      ['space_id=-1', []],
    ];
    for (const [query, expected] of cases) {
      const answer = await app.as(ann).get<Win[]>(`${WINS}?${query}`);
      expect({ query, bodies: bodies(answer.body), total: answer.headers.get('x-total-count') }).toEqual({
        query,
        bodies: expected,
        total: String(expected.length),
      });
    }
  });

  it.each(['space_id', 'tag', 'since', 'until', 'q'])('takes an empty %s for none', async (filter) => {
    const [old, recent] = [await createWin({ occurred_on: '2026-01-01' }), await createWin({ tag_names: ['x'] })];
    expect(await list(`?${filter}=`)).toEqual([recent, old]);
    expect(await list(`?${filter}=&per_page=1`)).toEqual([recent]);
  });

  it('finds words of the body in any case; %, _ and \\ are just characters', async () => {
    for (const body of ['Größe 100% done', 'snake_case', 'back\\slash', 'Ordinary ΟΔΟΣ']) await createWin({ body });
    const cases: [string, string[]][] = [
      ['%', ['Größe 100% done']],
      ['_', ['snake_case']],
      ['\\', ['back\\slash']],
      ['GRÖSSE', ['Größe 100% done']],
      ['done größe', ['Größe 100% done']],
      ['done ordinary', []],
      ['οδος', ['Ordinary ΟΔΟΣ']],
      ['e', ['snake_case', 'Größe 100% done']],
      ["'; drop table wins; --", []],
    ];
    for (const [q, expected] of cases) {
      expect([q, bodies(await list(`?q=${encodeURIComponent(q)}`))]).toEqual([q, expected]);
    }
  });

  it.each([
    'since=2026-02-30',
    'until=yesterday',
    'space_id=abc',
    'space_id=1&space_id=b',
    'untagged=1',
    'sort=body',
    'tag=a%00b',
    'q=%00',
    `q=${'x'.repeat(201)}`,
    `q=${'x+'.repeat(11)}`,
    'q=a&q=b',
    'page=abc',
    'per_page=1.5',
  ])('refuses ?%s', async (query) => {
    expect((await app.as(ann).get(`${WINS}?${query}`)).status).toBe(422);
  });

  it('clamps pages out of range', async () => {
    await createWin();
    for (const [query, page, perPage, length] of [
      ['page=0', '1', '25', 1],
      ['per_page=2147483647', '1', '100', 1],
      ['per_page=0', '1', '1', 1],
      ['page=9223372036854775807', '2147483647', '25', 0],
      ['page=99999999999999999999', '2147483647', '25', 0],
    ] as const) {
      const answer = await app.as(ann).get<Win[]>(`${WINS}?${query}`);
      expect([answer.headers.get('x-page'), answer.headers.get('x-per-page'), answer.body.length]).toEqual([
        page,
        perPage,
        length,
      ]);
    }
  });
});

describe('deleting what organises wins', () => {
  it('takes a deleted space’s wins with it, and their tags’ counts follow', async () => {
    const home = await createSpace('Home');
    await createWin({ tag_names: ['a', 'b'] });
    const kept = await createWin({ tag_names: ['a'], space_id: home.id });
    expect((await app.as(ann).delete(`/api/v1/spaces/${space.id}`)).status).toBe(204);
    expect((await list()).map(({ id }) => id)).toEqual([kept.id]);
    expect(await tagCounts()).toEqual({ a: 1, b: 0 });
  });

  it('keeps a deleted tag’s wins', async () => {
    const win = await createWin({ tag_names: ['a', 'b'] });
    await app.as(ann).delete(`/api/v1/tags/${win.tags[0]!.id}`);
    expect((await app.as(ann).get<Win>(`${WINS}/${win.id}`)).body.tags).toEqual([win.tags[1]]);
    expect(await spaceCount()).toBe(1);
  });

  it('applies a tag’s new name to all its wins', async () => {
    const win = await createWin({ tag_names: ['a'] });
    await app.as(ann).patch(`/api/v1/tags/${win.tags[0]!.id}`, { tag: { name: 'z' } });
    expect((await list('?tag=z'))[0]!.tags).toEqual([{ id: win.tags[0]!.id, name: 'z' }]);
  });
});

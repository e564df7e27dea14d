import type { Win } from '../../src/wins/dto/win.js';
import { LOOKED_THROUGH } from '../../src/wins/win-lists.js';
import { startApp, type TestApp } from '../harness/app.js';
import type { Client } from '../harness/client.js';
import type { Person } from '../harness/factories.js';
import { walkByCursor } from '../harness/pages.js';

/** Filters, orders and cursors of `GET /wins`. */

let app: TestApp;
let ann: Person;
let api: Client;
let work: number;
let home: number;
let away: number;

const WINS = '/api/v1/wins';

const space = async (name: string) => (await api.post<{ id: number }>('/api/v1/spaces', { space: { name } })).body.id;

async function win(body: string, fields: object = {}): Promise<number> {
  const answer = await api.post<Win>(WINS, { win: { body, space_id: work, ...fields } });
  expect(answer.status).toBe(201);
  return answer.body.id;
}

const bodies = async (query: string) => (await api.get<Win[]>(`${WINS}?${query}`)).body.map(({ body }) => body);

const walk = async (query: string, meanwhile?: (page: number) => Promise<unknown>) =>
  (await walkByCursor<Win>(api, `${WINS}?${query}`, meanwhile)).map(({ body }) => body);

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  ann = await app.make.person();
  api = app.as(ann);
  [work, home, away] = [await space('Work'), await space('Home'), await space('Away')];
});

describe('filters of GET /api/v1/wins', () => {
  it('finds wins with all of the tags that are named, in any case and however often', async () => {
    await win('both', { tag_names: ['Red', 'Blue', 'Green'] });
    await win('red', { tag_names: ['Red'] });
    await win('blue', { tag_names: ['Blue'] });
    expect(await bodies('tag=red&tag=BLUE')).toEqual(['both']);
    expect(await bodies('tag=red&tag=RED')).toEqual(['red', 'both']);
    expect(await bodies('tag=red&tag=')).toEqual(['red', 'both']);
    expect(await bodies('tag=red&tag=none')).toEqual([]);
    expect(await bodies('tag=red&tag=blue&q=both')).toEqual(['both']);
    const answer = await api.get(`${WINS}?tag=red&tag=blue&per_page=1`);
    expect(answer.headers.get('x-total-count')).toBe('1');
  });

  it('finds wins of any of the spaces that are named', async () => {
    await win('work');
    await win('home', { space_id: home });
    await win('away', { space_id: away });
    expect(await bodies(`space_id=${work}&space_id=${away}`)).toEqual(['away', 'work']);
    expect(await bodies(`space_id=${work}&space_id=0`)).toEqual(['work']);
    expect(await bodies(`space_id=&space_id=${home}`)).toEqual(['home']);
    expect(await bodies('space_id=0')).toEqual([]);
    const answer = await api.get(`${WINS}?space_id=${work}&space_id=${home}&space_id=${home}`);
    expect(answer.headers.get('x-total-count')).toBe('2');
  });

  it('finds wins without a tag, and those with one', async () => {
    await win('with', { tag_names: ['Red'] });
    await win('without');
    expect(await bodies('untagged=true')).toEqual(['without']);
    expect(await bodies('untagged=false')).toEqual(['with']);
    expect(await bodies('untagged=')).toHaveLength(2);
    expect(await bodies('untagged=true&tag=red')).toEqual([]);
  });

  it('keeps repeated filters in its links', async () => {
    for (const name of ['a', 'b', 'c']) await win(name, { tag_names: ['Red', 'Blue'] });
    const query = `tag=Red&tag=Blue&space_id=${work}&space_id=${home}&per_page=1`;
    const link = (await api.get(`${WINS}?${query}`)).headers.get('link')!;
    const next = new URL(link.match(/<([^>]*)>; rel="next"/)![1]!, 'http://host').searchParams;
    expect(next.getAll('tag')).toEqual(['Red', 'Blue']);
    expect(next.getAll('space_id')).toEqual([String(work), String(home)]);
    expect(await bodies(next.toString())).toEqual(['b']);
  });

  it('takes at most 10 tags and 50 spaces', async () => {
    const most = 'tag=1&'.repeat(10) + 'space_id=1&'.repeat(50);
    expect((await api.get(`${WINS}?${most}`)).status).toBe(200);
    for (const [query, field, max] of [
      [`${most}tag=1`, 'tag', 10],
      [`${most}space_id=1`, 'space_id', 50],
    ] as const) {
      const answer = await api.get(`${WINS}?${query}`);
      expect(answer).toMatchObject({ status: 422, body: { details: [{ field, code: 'too_many', params: { max } }] } });
    }
  });
});

describe('the order of GET /api/v1/wins', () => {
  it('is by day, by creation or by change, ties by id', async () => {
    const first = await win('first', { occurred_on: '2026-01-02' });
    await win('second', { occurred_on: '2026-01-03' });
    await win('third', { occurred_on: '2026-01-02' });
    await api.patch(`${WINS}/${first}`, { win: { body: 'first, changed' } });
    expect(await bodies('')).toEqual(['second', 'third', 'first, changed']);
    expect(await bodies('sort=-occurred_on')).toEqual(['second', 'third', 'first, changed']);
    expect(await bodies('sort=occurred_on')).toEqual(['first, changed', 'third', 'second']);
    expect(await bodies('sort=-created_at')).toEqual(['third', 'second', 'first, changed']);
    expect(await bodies('sort=-updated_at')).toEqual(['first, changed', 'third', 'second']);
    expect(await bodies('sort=')).toEqual(['second', 'third', 'first, changed']);
    expect(await api.get(`${WINS}?sort=body`)).toMatchObject({
      status: 422,
      body: {
        details: [
          {
            field: 'sort',
            code: 'not_a_choice',
            params: { choices: ['-occurred_on', 'occurred_on', '-created_at', '-updated_at'] },
          },
        ],
      },
    });
  });
});

const SORTS = ['-occurred_on', 'occurred_on', '-created_at', '-updated_at'];

describe('cursors of GET /api/v1/wins', () => {
  it('lead through the list of any filter in any order', async () => {
    await app.dataSource.query(
      `insert into wins (user_id, space_id, body, occurred_on, created_at, updated_at)
       select $1, case when n % 3 = 0 then $2::bigint else $3 end, n || case when n % 2 = 0 then ' word' else '' end,
         date '2026-01-01' + n % 5, timestamptz '2026-01-01' + n % 4 * interval '1 hour', timestamptz '2026-02-01' + n % 7 * interval '1 hour'
       from generate_series(1, 23) n`,
      [ann.id, work, home],
    );
    await app.dataSource.query(`insert into tags (user_id, name) values ($1, 'Red'), ($1, 'Blue')`, [ann.id]);
    await app.dataSource.query(
      `insert into win_tags (user_id, tag_id, win_id, occurred_on)
       select $1, tags.id, wins.id, occurred_on from wins join tags using (user_id) where user_id = $1
       and substring(body from '^[0-9]+')::integer % case when name = 'Red' then 2 else 3 end = 0`,
      [ann.id],
    );
    const filters = [
      '',
      `space_id=${work}`,
      `space_id=${work}&space_id=${away}`,
      'tag=red',
      'tag=red&tag=blue',
      `tag=red&space_id=${home}`,
      'untagged=true',
      'untagged=false',
      'since=2026-01-03',
      'since=2026-01-02&until=2026-01-03',
      'q=word',
      'q=1',
      'q=word+1&tag=red',
      'q=1&untagged=false',
    ];
    for (const filter of filters) {
      for (const sort of SORTS) {
        const query = `${filter}&sort=${sort}`;
        const list = await api.get<Win[]>(`${WINS}?${query}&per_page=100`);
        expect([query, await walk(`${query}&per_page=4`)]).toEqual([query, list.body.map(({ body }) => body)]);
        expect([query, list.headers.get('x-total-count')]).toEqual([query, String(list.body.length)]);
        expect(list.body.length).toBeGreaterThan(1);
      }
    }
  });

  it('find words in wins that are near, and in those that are thousands of wins away', async () => {
    await app.dataSource.query(
      `insert into wins (user_id, space_id, body, occurred_on)
       select $1, $2, 'often ' || case when n % 2400 = 50 then 'seldom ' else '' end || n, date '2020-01-01' + n / 3
       from generate_series(1, 2500) n`,
      [ann.id, work],
    );
    for (const sort of SORTS) {
      const often = await walk(`q=often&sort=${sort}&per_page=100`);
      expect([sort, often.length, new Set(often).size]).toEqual([sort, 2_500, 2_500]);
      const seldom = await walk(`q=seldom&sort=${sort}&per_page=1`);
      const inOrder = sort.startsWith('-')
        ? ['often seldom 2450', 'often seldom 50']
        : ['often seldom 50', 'often seldom 2450'];
      expect([sort, seldom]).toEqual([sort, inOrder]);
      expect(await walk(`q=often+seldom&sort=${sort}`)).toEqual(inOrder);
    }
  });

  describe('among thousands of wins', () => {
    const COUNT = 2 * LOOKED_THROUGH + 500;

    /** Numbers of a few wins: none of the newest, and the last that one page of an order looks through. */
    const FEW = [17, COUNT - 2 * LOOKED_THROUGH + 1, LOOKED_THROUGH];

    let owner: Person;

    beforeAll(async () => {
      owner = await app.make.person();
      api = app.as(owner);
      const [most, few] = [await space('Most'), await space('Few')];
      const { dataSource } = app;
      await dataSource.query(`insert into tags (user_id, name) values ($1, 'Red'), ($1, 'Blue')`, [owner.id]);
      const step = 2_100;
      for (let from = 1; from <= COUNT; from += step) {
        const to = Math.min(from + step - 1, COUNT);
        await dataSource.query(
          `insert into wins (user_id, space_id, body, occurred_on)
           select $1, case when n = any ($4::int[]) then $3::bigint else $2 end,
             'often' || case when n = any ($4::int[]) then ' seldom xy' else '' end, date '1970-01-01' + n / 3
           from generate_series($5::int, $6::int) n`,
          [owner.id, most, few, FEW, from, to],
        );
        if (from === 1) await dataSource.query('analyze wins');
        await dataSource.query(
          `insert into win_tags (user_id, tag_id, win_id, occurred_on)
           select $1, tags.id, wins.id, occurred_on from wins join tags using (user_id)
           where user_id = $1 and occurred_on between date '1970-01-01' + $3::int / 3 and date '1970-01-01' + $4::int / 3
             and (space_id = $2 or name = 'Red' and wins.id % 8 > 0)
           on conflict do nothing`,
          [owner.id, few, from, to],
        );
      }
    });
    beforeEach(() => (api = app.as(owner)));

    it('find words that many wins have, and those that few have', async () => {
      for (const sort of SORTS) {
        const often = await api.get<Win[]>(`${WINS}?q=often&sort=${sort}&per_page=100&after=`);
        expect([sort, often.body.length]).toEqual([sort, 100]);
        const seldom = await walk(`q=seldom&sort=${sort}&per_page=1`);
        expect([sort, seldom.length]).toEqual([sort, FEW.length]);
        expect([sort, await walk(`q=often+seldom&sort=${sort}`)]).toEqual([sort, seldom]);
      }
      expect(await bodies('q=often+seldom&tag=blue&after=')).toHaveLength(FEW.length);
    });

    it('lead an export past pages without a win', async () => {
      const ndjson = await api.get(`${WINS}/export?format=ndjson&q=xy`);
      const wins = ndjson.text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Win);
      expect(wins.map(({ body }) => body)).toEqual(FEW.map(() => 'often seldom xy'));
      const csv = await api.get(`${WINS}/export?format=csv&q=xy`);
      expect(csv.text.trim().split('\n')).toHaveLength(1 + FEW.length);
    });

    it('lead to the few wins of any filter, by pages that end when they have looked through enough', async () => {
      for (const filter of ['q=xy', 'q=xy&untagged=false', 'tag=red&q=xy', 'q=xy&since=1970-02-01', 'tag=blue&q=xy']) {
        for (const sort of ['-occurred_on', 'occurred_on']) {
          const query = `${filter}&sort=${sort}`;
          const list = await api.get<Win[]>(`${WINS}?${query}`);
          const pages: number[] = [];
          const found = await walkByCursor<Win>(
            api,
            `${WINS}?${query}&per_page=2`,
            (_, { length }) => void pages.push(length),
          );
          expect([query, found]).toEqual([query, list.body]);
          expect(list.body.length).toBeGreaterThan(1);
          const hasShort = pages.slice(0, -1).some((length) => length < 2);
          expect([query, hasShort]).toEqual([query, filter !== 'tag=blue&q=xy']);
        }
      }
    });
  });

  it.each(SORTS)('by %s show no win twice and miss none that stayed, whatever comes and goes', async (sort) => {
    const ids = new Map<string, number>();
    for (let n = 10; n < 26; n++) ids.set(`Win ${n}`, await win(`Win ${n}`, { occurred_on: `2026-03-${n}` }));
    const stayed = new Set(ids.keys());
    const seen = await walk(`sort=${sort}&per_page=3`, async (page) => {
      await win(`early ${page}`, { occurred_on: '2026-01-01' });
      await win(`late ${page}`, { occurred_on: '2026-05-01' });
      const gone = `Win ${page * 2 + 10}`;
      await api.delete(`${WINS}/${ids.get(gone)}`);
      stayed.delete(gone);
      expect(page).toBeLessThan(50);
    });
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual(expect.arrayContaining([...stayed]));
  });

  it('belong to one order and one filter', async () => {
    for (const name of ['a', 'b', 'c']) await win(name, { tag_names: ['Red'] });
    const cursor = (await api.get(`${WINS}?per_page=1&tag=red&after=`)).headers.get('x-next-cursor')!;
    expect(await bodies(`tag=red&after=${cursor}`)).toEqual(['b', 'a']);
    for (const query of [
      `after=${cursor}`,
      `tag=red&tag=blue&after=${cursor}`,
      `tag=red&sort=occurred_on&after=${cursor}`,
      `tag=red&untagged=false&after=${cursor}`,
      `tag=red&after=${cursor.slice(1)}`,
    ]) {
      expect([query, await api.get(`${WINS}?${query}`)]).toMatchObject([
        query,
        { status: 422, body: { details: [{ field: 'after', code: 'invalid_cursor' }] } },
      ]);
    }
    const link = (await api.get(`${WINS}?per_page=1&tag=red&after=`)).headers.get('link')!;
    expect(link).toContain(`after=${cursor}`);
  });
});

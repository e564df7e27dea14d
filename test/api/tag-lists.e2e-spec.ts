import type { Tag } from '../../src/tags/dto/tag.js';
import { startApp, type TestApp } from '../harness/app.js';
import type { Client } from '../harness/client.js';
import type { Person } from '../harness/factories.js';
import { walkByCursor } from '../harness/pages.js';

let app: TestApp;
let ann: Person;
let api: Client;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  ann = await app.make.person();
  api = app.as(ann);
});

const TAGS = '/api/v1/tags';
const create = async (name: string) => (await api.post<Tag>(TAGS, { tag: { name } })).body;
const names = async (query: string) => (await api.get<Tag[]>(`${TAGS}?${query}`)).body.map(({ name }) => name);

const walk = async (query: string, meanwhile?: (page: number) => Promise<unknown>) =>
  (await walkByCursor<Tag>(api, `${TAGS}?${query}`, meanwhile)).map(({ name }) => name);

describe('GET /api/v1/tags', () => {
  it('finds tags by part of their name in any case, those that begin with it first', async () => {
    for (const name of ['Prelaunch', 'launch day', 'Other', 'LAUNCH', '100%', 'a_b']) await create(name);
    expect(await names('q=Launch')).toEqual(['LAUNCH', 'launch day', 'Prelaunch']);
    expect(await names('q=%25')).toEqual(['100%']);
    expect(await names('q=_')).toEqual(['a_b']);
    expect(await names('q=nothing')).toEqual([]);
    expect(await names('q=')).toHaveLength(6);
    const answer = await api.get(`${TAGS}?q=launch&per_page=2`);
    expect(answer.headers.get('x-total-count')).toBe('3');
  });

  it('finds used and unused ones, and sorts', async () => {
    const { body: space } = await api.post<{ id: number }>('/api/v1/spaces', { space: { name: 'Work' } });
    for (const name of ['b', 'a', 'c']) await create(name);
    for (const tag_names of [['c'], ['c', 'a']])
      await api.post('/api/v1/wins', { win: { body: 'x', space_id: space.id, tag_names } });
    expect(await names('used=true')).toEqual(['a', 'c']);
    expect(await names('used=false')).toEqual(['b']);
    expect(await names('sort=name')).toEqual(['a', 'b', 'c']);
    expect(await names('sort=-name')).toEqual(['c', 'b', 'a']);
    expect(await names('sort=wins_count')).toEqual(['b', 'a', 'c']);
    expect(await names('sort=-wins_count')).toEqual(['c', 'a', 'b']);
    expect(await names('sort=created_at')).toEqual(['b', 'a', 'c']);
    expect(await names('sort=-created_at')).toEqual(['c', 'a', 'b']);
    expect(await names('sort=-created_at&used=true&q=a')).toEqual(['a']);
    for (const [query, field] of [
      ['sort=size', 'sort'],
      ['used=maybe', 'used'],
    ] as const) {
      const answer = await api.get(`${TAGS}?${query}`);
      expect(answer).toMatchObject({
        status: 422,
        body: { details: [{ field, code: 'not_a_choice', params: { choices: expect.anything() } }] },
      });
    }
  });

  it.each([
    '',
    'sort=-name',
    'sort=wins_count',
    'sort=-wins_count',
    'sort=created_at',
    'sort=-created_at',
    'q=1',
    'used=false',
  ])('is read from cursor to cursor with %j as it is from page to page', async (query) => {
    await app.dataSource.query(
      `insert into tags (user_id, name) select $1, 'Tag ' || n from generate_series(1, 23) n`,
      [ann.id],
    );
    await app.dataSource.query('update tags set wins_count = id % 3 where user_id = $1', [ann.id]);
    expect(await walk(`${query}&per_page=5`)).toEqual(await names(`${query}&per_page=100`));
    expect(await walk(`${query}&per_page=23`)).toHaveLength((await names(`${query}&per_page=100`)).length);
  });

  it('shows no tag twice and misses none that stayed, whatever comes and goes meanwhile', async () => {
    for (let n = 10; n < 30; n++) await create(`Tag ${n}`);
    const seen = await walk('per_page=3', async (page) => {
      await create(`Tag 00${page}`);
      await create(`Tag 99${page}`);
      await app.dataSource.query('delete from tags where user_id = $1 and name = $2', [ann.id, `Tag ${30 - page}`]);
    });
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual(expect.arrayContaining((await names('q=Tag 1')).filter((name) => name.length === 6)));
  });

  it('refuses a cursor of another list, and what is none', async () => {
    for (const name of ['a', 'b', 'c']) await create(name);
    const cursor = (await api.get(`${TAGS}?per_page=1&after=`)).headers.get('x-next-cursor')!;
    const forged = Buffer.from(
      JSON.stringify([JSON.parse(Buffer.from(cursor, 'base64url').toString())[0], 'x', 'y', 'z']),
    );
    for (const query of [
      `sort=-name&after=${cursor}`,
      `q=a&after=${cursor}`,
      'after=x',
      `after=${'x'.repeat(2_000)}`,
      `after=${forged.toString('base64url')}`,
      'after=a&after=b',
    ]) {
      const answer = await api.get(`${TAGS}?${query}`);
      expect([query, answer.status, answer.body]).toMatchObject([
        query,
        422,
        { details: [{ field: 'after', code: 'invalid_cursor' }] },
      ]);
    }
    expect((await api.get<Tag[]>(`${TAGS}?per_page=50&after=${cursor}`)).body).toHaveLength(2);
  });
});

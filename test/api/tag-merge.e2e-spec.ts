import type { Tag } from '../../src/tags/dto/tag.js';
import { startApp, type TestApp } from '../harness/app.js';
import type { Client } from '../harness/client.js';

interface Win {
  id: number;
  tags: { id: number; name: string }[];
}

let app: TestApp;
let api: Client;
let spaceId: number;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  api = app.as(await app.make.person());
  spaceId = (await api.post<{ id: number }>('/api/v1/spaces', { space: { name: 'Work' } })).body.id;
});

const record = async (...tag_names: string[]) =>
  (await api.post<Win>('/api/v1/wins', { win: { body: 'x', space_id: spaceId, tag_names } })).body;
const tags = async () => (await api.get<Tag[]>('/api/v1/tags')).body;
const tag = async (name: string) => (await tags()).find((one) => one.name === name)!;
const merge = (id: number, into_id: number) => api.post<Tag>(`/api/v1/tags/${id}/merge`, { tag: { into_id } });

describe('POST /api/v1/tags/:id/merge', () => {
  it('puts every win under the other tag once, deletes the tag and keeps the counts exact', async () => {
    const wins = [await record('a'), await record('b'), await record('a', 'b', 'c'), await record()];
    const [a, b] = [await tag('a'), await tag('b')];
    const { status, body } = await merge(a.id, b.id);
    expect([status, body]).toEqual([200, { ...b, wins_count: 3 }]);
    expect((await tags()).map(({ name, wins_count }) => [name, wins_count])).toEqual([
      ['b', 3],
      ['c', 1],
    ]);
    const carried = await Promise.all(
      wins.map(async ({ id }) => (await api.get<Win>(`/api/v1/wins/${id}`)).body.tags.map(({ name }) => name)),
    );
    expect(carried).toEqual([['b'], ['b'], ['b', 'c'], []]);
    expect((await api.get(`/api/v1/tags/${a.id}`)).status).toBe(404);
  });

  it('refuses itself and what is not one of the caller, and changes nothing', async () => {
    await record('a');
    const { id } = await tag('a');
    const stranger = app.as(await app.make.person());
    const theirs = (await stranger.post<Tag>('/api/v1/tags', { tag: { name: 'a' } })).body.id;
    for (const into of [id, theirs, 0, 2 ** 52]) {
      const answer = await merge(id, into);
      expect([into, answer.status, answer.body]).toMatchObject([into, 422, { details: [{ field: 'tag.into_id' }] }]);
    }
    expect((await merge(theirs, id)).status).toBe(404);
    expect((await tag('a')).wins_count).toBe(1);
  });

  it('leaves exact counts beside wins that use the tag at the same moment', async () => {
    for (let round = 0; round < 10; round++) {
      await record('from', 'into');
      const [from, into] = [await tag('from'), await tag('into')];
      const all = await Promise.all([
        merge(from.id, into.id),
        ...Array.from({ length: 8 }, () => record('from')),
        record('into'),
      ]);
      expect((all[0] as { status: number }).status).toBe(200);
      const wins = (await api.get<Win[]>('/api/v1/wins?per_page=100')).body;
      for (const { name, wins_count } of await tags()) {
        expect([name, wins_count]).toEqual([
          name,
          wins.filter((win) => win.tags.some((one) => one.name === name)).length,
        ]);
      }
    }
  });
});

describe('DELETE /api/v1/tags', () => {
  it('deletes the tags that no win uses, if asked for these', async () => {
    await record('used');
    for (const name of ['x', 'y', 'z']) await api.post('/api/v1/tags', { tag: { name } });
    for (const query of ['', '?used=', '?used=true', '?used=0']) {
      const answer = await api.delete(`/api/v1/tags${query}`);
      expect([query, answer.status, answer.body]).toMatchObject([
        query,
        422,
        { details: [{ field: 'used', code: 'required' }] },
      ]);
    }
    expect(await tags()).toHaveLength(4);
    const answer = await api.delete<object>('/api/v1/tags?used=false');
    expect([answer.status, answer.body]).toEqual([200, { deleted: 3 }]);
    expect((await tags()).map(({ name }) => name)).toEqual(['used']);
  });

  it('never takes a tag that a win gets at the same moment', async () => {
    for (let round = 0; round < 20; round++) {
      await api.post('/api/v1/tags', { tag: { name: 'new' } });
      const [win] = await Promise.all([record('new'), api.delete('/api/v1/tags?used=false')]);
      expect((await api.get<Win>(`/api/v1/wins/${win.id}`)).body.tags.map(({ name }) => name)).toEqual(['new']);
      await api.delete(`/api/v1/wins/${win.id}`);
    }
  });
});

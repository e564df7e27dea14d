import type { Changes } from '../../src/changes/dto/changes.js';
import type { Tag } from '../../src/tags/dto/tag.js';
import type { Win } from '../../src/wins/dto/win.js';
import { startApp, type TestApp } from '../harness/app.js';
import type { Client } from '../harness/client.js';
import { Copy, textOfLists } from '../harness/copy.js';
import type { Person } from '../harness/factories.js';

let app: TestApp;
let ann: Person;
let api: Client;
let work: number;
let home: number;

const CHANGES = '/api/v1/changes';
const WINS = '/api/v1/wins';
const TAGS = '/api/v1/tags';

const space = async (name: string) => (await api.post<{ id: number }>('/api/v1/spaces', { space: { name } })).body.id;
const tag = async (name: string) => (await api.post<Tag>(TAGS, { tag: { name } })).body.id;
const win = async (body: string, tag_names: string[] = [], space_id = work) =>
  (await api.post<Win>(WINS, { win: { body, space_id, tag_names } })).body.id;
const changes = (since?: string, query = '') =>
  api.get<Changes>(`${CHANGES}?${query}${since === undefined ? '' : `&since=${since}`}`);
const sql = (text: string, ...values: unknown[]) => app.dataSource.query(text, [ann.id, ...values]);

/** The ids of one page, by kind. */
const idsOf = ({ spaces, tags, wins, deleted }: Changes) => ({
  spaces: spaces.map(({ id }) => id),
  tags: tags.map(({ id }) => id),
  wins: wins.map(({ id }) => id),
  ...deleted,
});
const NOTHING = { spaces: [], tags: [], wins: [], space_ids: [], tag_ids: [], win_ids: [] };

/** What has changed since all was read. */
async function changesOf(work_: () => Promise<unknown>): Promise<ReturnType<typeof idsOf>> {
  const copy = new Copy();
  await copy.sync(api);
  await work_();
  const { body } = await changes(copy.since, 'limit=500');
  expect(body.has_more).toBe(false);
  copy.apply(body);
  expect(copy.text).toBe(await textOfLists(api));
  return idsOf(body);
}

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  ann = await app.make.person();
  api = app.as(ann);
  [work, home] = [await space('Work'), await space('Home')];
});

describe('GET /api/v1/changes', () => {
  it('begins with everything, page by page', async () => {
    for (let n = 0; n < 7; n++) await win(`Win ${n}`, ['Red', `Tag ${n}`]);
    for (const limit of [1, 2, 5, 100]) {
      const copy = new Copy();
      await copy.sync(api, limit);
      expect([limit, copy.text]).toEqual([limit, await textOfLists(api)]);
      expect(copy.pages).toBe(Math.ceil((2 + 8 + 7) / limit));
    }
  });

  it('has nothing as long as nothing changes', async () => {
    await win('x', ['Red']);
    expect(await changesOf(async () => undefined)).toEqual(NOTHING);
    const nobody = app.as(await app.make.person());
    expect((await nobody.get<Changes>(CHANGES)).body).toMatchObject({ spaces: [], wins: [], has_more: false });
  });

  it('has each change once, with what it changes besides', async () => {
    const [one, two] = [await win('one', ['Red', 'Blue']), await win('two', ['Blue'], home)];
    const red = await tag('Green');
    const { body } = await api.get<Tag[]>(TAGS);
    const [blue, green, redId] = body.map(({ id }) => id);
    expect(red).toBe(green);
    expect(await changesOf(() => api.patch(`${WINS}/${one}`, { win: { body: '1' } }))).toEqual({
      ...NOTHING,
      wins: [one],
    });
    expect(await changesOf(() => api.patch(`${TAGS}/${green}`, { tag: { name: 'Grün' } }))).toEqual({
      ...NOTHING,
      tags: [green],
    });
    expect(await changesOf(() => api.patch(`${TAGS}/${blue}`, { tag: { name: 'Blau' } }))).toEqual({
      ...NOTHING,
      tags: [blue],
      wins: [one, two],
    });
    expect(await changesOf(() => api.patch(`/api/v1/spaces/${home}`, { space: { emoji: '🏠' } }))).toEqual({
      ...NOTHING,
      spaces: [home],
      wins: [two],
    });
    expect(
      await changesOf(() => api.put('/api/v1/spaces/order', { order: { space_ids: [home, work] } })),
    ).toMatchObject({
      wins: [],
    });
    expect(await changesOf(() => api.delete(`${TAGS}/${redId}`))).toEqual({ ...NOTHING, tag_ids: [redId] });
    expect(await changesOf(() => api.delete(`${WINS}/${one}`))).toEqual({
      ...NOTHING,
      spaces: [work],
      tags: [blue],
      win_ids: [one],
    });
    expect(await changesOf(() => api.delete(`/api/v1/spaces/${home}`))).toEqual({
      ...NOTHING,
      tags: [blue],
      space_ids: [home],
    });
  });

  it('has a merged tag and a deleted space as one entry each', async () => {
    const [from, into] = [await tag('From'), await tag('Into')];
    const wins = [await win('a', ['From']), await win('b', ['From', 'Into']), await win('c', ['Into'])];
    expect(await changesOf(() => api.post(`${TAGS}/${from}/merge`, { tag: { into_id: into } }))).toMatchObject({
      tags: [into],
      tag_ids: [from],
      win_ids: [],
    });
    expect(await changesOf(() => api.delete(`/api/v1/spaces/${work}?move_wins_to=${home}`))).toEqual({
      ...NOTHING,
      spaces: [home],
      wins,
      space_ids: [work],
    });
    expect(await changesOf(() => api.delete(`/api/v1/spaces/${home}`))).toEqual({
      ...NOTHING,
      tags: [into],
      space_ids: [home],
    });
  });

  it('tells of a win that went with the space that it had moved to', async () => {
    const [moved, stayed] = [await win('moved'), await win('stayed')];
    const patched = await changesOf(async () => {
      await api.patch(`${WINS}/${moved}`, { win: { space_id: home } });
      await api.delete(`/api/v1/spaces/${home}`);
    });
    expect(patched).toMatchObject({ wins: [], space_ids: [home], win_ids: [moved] });

    const away = await space('Away');
    await changesOf(async () => {
      await api.delete(`/api/v1/spaces/${work}?move_wins_to=${away}`);
      await sql(`delete from spaces where user_id = $1 and id = $2`, away);
    });
    expect((await api.get<Win[]>(WINS)).body.map(({ id }) => id)).not.toContain(stayed);
  });

  it('tells of a win that moved as one that changed', async () => {
    const moved = await win('moved');
    const patched = await changesOf(() => api.patch(`${WINS}/${moved}`, { win: { space_id: home } }));
    expect(patched).toEqual({ ...NOTHING, spaces: [work, home], wins: [moved] });
  });

  it('tells of what SQL changes', async () => {
    const [one, two] = [await win('one', ['Red']), await win('two', ['Red'])];
    expect(await changesOf(() => sql(`update wins set body = 'x' where user_id = $1 and id = $2`, one))).toEqual({
      ...NOTHING,
      wins: [one],
    });
    expect((await changesOf(() => sql('delete from wins where user_id = $1 and id = $2', two))).win_ids).toEqual([two]);
    expect((await changesOf(() => sql(`update tags set name = 'Rot' where user_id = $1`))).wins).toEqual([one]);
    expect((await changesOf(() => sql('delete from tags where user_id = $1'))).tag_ids).toHaveLength(1);
    expect((await changesOf(() => sql('delete from spaces where user_id = $1'))).space_ids).toEqual([work, home]);
  });

  it('leads through the wins of renamed tags and spaces, page by page', async () => {
    for (let n = 0; n < 9; n++) await win(`${n}`, n % 2 === 0 ? ['Red', 'Blue'] : ['Red'], n % 3 === 0 ? work : home);
    const copy = new Copy();
    await copy.sync(api);
    for (const [path, json] of [
      [`/api/v1/spaces/${home}`, { space: { name: 'Zuhause' } }],
      [`/api/v1/spaces/${work}`, { space: { name: 'Arbeit' } }],
    ] as const)
      await api.patch(path, json);
    for (const { id, name } of (await api.get<Tag[]>(TAGS)).body)
      await api.patch(`${TAGS}/${id}`, { tag: { name: `${name}!` } });
    for (const limit of [1, 2, 3, 7]) {
      const other = new Copy();
      other.apply({ ...emptyChanges(copy), next: copy.since! });
      await other.sync(api, limit);
      expect([limit, other.text]).toEqual([limit, await textOfLists(api)]);
    }
  });

  it('misses nothing that is written while everything is read', async () => {
    const ids: number[] = [];
    for (let n = 0; n < 12; n++) ids.push(await win(`${n}`, ['Red', `Tag ${n}`], n % 2 === 0 ? work : home));
    const writes = [
      () => api.patch(`${WINS}/${ids[0]}`, { win: { body: 'changed', tag_names: ['New'] } }),
      () => api.delete(`${WINS}/${ids[1]}`),
      () => sql(`update tags set name = 'Rot' where user_id = $1 and name = 'Red'`),
      () => api.patch(`${WINS}/${ids[2]}`, { win: { space_id: home } }),
      () => sql(`delete from tags where user_id = $1 and name = 'Tag 3'`),
      () => api.delete(`/api/v1/spaces/${work}`),
      () => win('late', ['Late'], home),
    ];
    const copy = new Copy();
    await copy.sync(api, 3, async () => writes.shift()?.());
    expect(writes).toEqual([]);
    await copy.sync(api, 3);
    expect(copy.text).toBe(await textOfLists(api));
  });

  it('keeps to the limit, which is clamped', async () => {
    await app.make.wins(ann, work, { count: 510 });
    const sizes = [
      ['limit=0', 1],
      ['limit=1', 1],
      ['', 100],
      ['limit=500', 500],
      ['limit=100000', 500],
    ] as const;
    for (const [query, size] of sizes) {
      const { spaces, tags, wins } = (await changes(undefined, query)).body;
      expect([query, spaces.length + tags.length + wins.length]).toEqual([query, size]);
    }
    expect((await changes(undefined, 'limit=all')).status).toBe(422);
  });

  it('answers 304 to who polls with the ETag, until something changes', async () => {
    const copy = new Copy();
    await copy.sync(api);
    const first = await changes(copy.since);
    const headers = { 'if-none-match': first.headers.get('etag')! };
    const poll = () => api.get(`${CHANGES}?&since=${copy.since}`, { headers });
    expect((await poll()).status).toBe(304);
    await tag('Red');
    expect((await poll()).status).toBe(200);
  });

  it('refuses a cursor that is none, or of somebody else', async () => {
    const { next } = (await changes()).body;
    const bob = app.as(await app.make.person());
    for (const [caller, since] of [
      [api, 'x'],
      [api, next.slice(1)],
      [api, 'x'.repeat(2_000)],
      [bob, next],
    ] as const) {
      expect(await caller.get(`${CHANGES}?since=${since}`)).toMatchObject({
        status: 422,
        body: { details: [{ field: 'since', code: 'invalid_cursor' }] },
      });
    }
  });

  it('answers 410 to a cursor that is older than what is remembered, or newer than what there is', async () => {
    const { next } = (await changes()).body;
    await sql('update users set forgotten_revision = revision + 1, revision = revision + 1 where id = $1');
    const expired = { status: 410, body: { code: 'cursor_expired' } };
    expect(await changes(next)).toMatchObject(expired);
    const now = (await changes()).body;
    expect((await changes(now.next)).status).toBe(200);
    await sql('update users set revision = revision - 1, forgotten_revision = 0 where id = $1');
    expect(await changes(now.next)).toMatchObject(expired);
  });
});

const emptyChanges = (copy: Copy): Omit<Changes, 'next'> => ({
  spaces: [...copy.spaces.values()],
  tags: [...copy.tags.values()],
  wins: [...copy.wins.values()],
  deleted: { space_ids: [], tag_ids: [], win_ids: [] },
  has_more: false,
});

import { startApp, type TestApp } from '../harness/app.js';
import type { Answer, Client } from '../harness/client.js';

interface Item {
  id: number;
  name: string;
}

let app: TestApp;
let api: Client;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  api = app.as(await app.make.person());
});

const tagOf = ({ headers }: Answer) => headers.get('etag')!;
const ifNoneMatch = (etag: string) => ({ headers: { 'if-none-match': etag } });
const ifMatch = (etag: string) => ({ headers: { 'if-match': etag } });

async function createAll(): Promise<{ tag: Item; space: Item; win: Item; token: Item }> {
  const { body: space } = await api.post<Item>('/api/v1/spaces', { space: { name: 'Work' } });
  const { body: win } = await api.post<Item>('/api/v1/wins', {
    win: { body: 'x', space_id: space.id, tag_names: ['Launch'] },
  });
  const [tag] = (await api.get<Item[]>('/api/v1/tags')).body;
  const { body: token } = await api.post<Item>('/api/v1/tokens', { token: { name: 'Laptop' } });
  return { tag: tag!, space, win, token };
}

describe('Every 200 of a GET', () => {
  it('has a strong ETag, and is a 304 without a body for whoever has it', async () => {
    const { tag, space, win, token } = await createAll();
    const paths = [
      '/api/v1/me',
      '/api/v1/tags',
      `/api/v1/tags/${tag.id}`,
      '/api/v1/tags?per_page=1&page=3',
      '/api/v1/spaces',
      `/api/v1/spaces/${space.id}`,
      '/api/v1/wins',
      '/api/v1/wins?tag=launch',
      `/api/v1/wins/${win.id}`,
      '/api/v1/tokens',
      `/api/v1/tokens/${token.id}`,
    ];
    for (const path of paths) {
      const first = await api.get(path);
      expect([path, tagOf(first)]).toEqual([path, expect.stringMatching(/^"[^"]+"$/)]);
      for (const known of [tagOf(first), `"other", ${tagOf(first)}`, `W/${tagOf(first)}`, '*']) {
        const again = await api.get(path, ifNoneMatch(known));
        expect([path, known, again.status, again.text]).toEqual([path, known, 304, '']);
        for (const name of ['etag', 'cache-control', 'vary']) {
          expect([name, again.headers.get(name)]).toEqual([name, first.headers.get(name)]);
        }
        expect(again.headers.get('x-request-id')).toBeTruthy();
        expect(again.headers.get('content-type')).toBeNull();
      }
      const other = await api.get(path, ifNoneMatch('"other"'));
      expect([other.status, other.text]).toEqual([200, first.text]);
      const head = await api.head(path, ifNoneMatch(tagOf(first)));
      expect([path, head.status]).toEqual([path, 304]);
    }
  });

  it.each(['/openapi.json', '/docs', '/docs/start.js'])('does so at %s', async (path) => {
    const first = await fetch(app.url + path);
    await first.text();
    const etag = first.headers.get('etag')!;
    expect(etag).toMatch(/^"[^"]+"$/);
    for (const known of [etag, `"other", W/${etag}`, '*']) {
      const again = await fetch(app.url + path, { headers: { 'if-none-match': known } });
      expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    }
  });

  it('has another ETag once the body or a paging header would be another', async () => {
    const { tag, space, win } = await createAll();
    const lists = ['/api/v1/tags', '/api/v1/spaces', '/api/v1/wins', '/api/v1/wins?per_page=1'];
    const seen = async () => Promise.all(lists.map(async (path) => tagOf(await api.get(path))));
    const changes: (() => Promise<unknown>)[] = [
      () => api.patch(`/api/v1/tags/${tag.id}`, { tag: { name: 'Release' } }),
      () => api.patch(`/api/v1/spaces/${space.id}`, { space: { emoji: '🏠' } }),
      () => api.patch(`/api/v1/wins/${win.id}`, { win: { body: 'y' } }),
      () => api.post('/api/v1/wins', { win: { body: 'z', space_id: space.id } }),
      () => api.delete(`/api/v1/wins/${win.id}`),
    ];
    for (const change of changes) {
      const before = await seen();
      await change();
      const after = await seen();
      for (const [n, etag] of after.entries()) expect([lists[n], etag]).not.toEqual([lists[n], before[n]]);
      for (const [n, path] of lists.entries()) expect((await api.get(path, ifNoneMatch(before[n]!))).status).toBe(200);
      for (const [n, path] of lists.entries()) expect((await api.get(path, ifNoneMatch(after[n]!))).status).toBe(304);
    }
  });

  it('is not taken for the same of another user or another list', async () => {
    await createAll();
    const etag = tagOf(await api.get('/api/v1/tags'));
    const other = app.as(await app.make.person());
    expect((await other.get('/api/v1/tags', ifNoneMatch(etag))).status).toBe(200);
    expect((await api.get('/api/v1/tags?per_page=2', ifNoneMatch(etag))).status).toBe(200);
    expect((await api.get('/api/v1/spaces', ifNoneMatch(etag))).status).toBe(200);
  });

  it('changes with what SQL writes', async () => {
    const { tag, win } = await createAll();
    const before = tagOf(await api.get('/api/v1/wins'));
    await app.dataSource.query(`update wins set body = 'from SQL' where id = $1`, [win.id]);
    const between = await api.get('/api/v1/wins', ifNoneMatch(before));
    expect(between.status).toBe(200);
    await app.dataSource.query(`delete from tags where id = $1`, [tag.id]);
    expect((await api.get('/api/v1/wins', ifNoneMatch(tagOf(between)))).status).toBe(200);
  });
});

describe('If-Match', () => {
  const cases = ['tag', 'space', 'win'] as const;
  const bodies = { tag: { name: 'New' }, space: { name: 'New' }, win: { body: 'New' } };

  it.each(cases)('lets a PATCH of a %s through that names the current tag, and returns the new one', async (kind) => {
    const path = `/api/v1/${kind}s/${(await createAll())[kind].id}`;
    const read = await api.get(path);
    const written = await api.patch(path, { [kind]: bodies[kind] }, ifMatch(`"other", ${tagOf(read)}`));
    expect(written.status).toBe(200);
    const again = await api.get(path);
    expect(tagOf(written)).toBe(tagOf(again));
    expect(tagOf(written)).not.toBe(tagOf(read));
    expect(written.text).toBe(again.text);
  });

  it.each(cases)('refuses a PATCH and a DELETE of a %s that has changed, and changes nothing', async (kind) => {
    const path = `/api/v1/${kind}s/${(await createAll())[kind].id}`;
    const read = await api.get(path);
    expect((await api.patch(path, { [kind]: bodies[kind] })).status).toBe(200);
    const current = await api.get(path);
    for (const condition of [tagOf(read), `W/${tagOf(current)}`, '"other"']) {
      const refused = await api.patch(path, { [kind]: bodies[kind] }, ifMatch(condition));
      expect(refused).toMatchObject({ status: 412, body: { code: 'precondition_failed' } });
      expect((await api.delete(path, ifMatch(condition))).status).toBe(412);
    }
    expect((await api.get(path)).text).toBe(current.text);
    expect((await api.delete(path, ifMatch(tagOf(current)))).status).toBe(204);
    expect((await api.get(path)).status).toBe(404);
  });

  it('with * asks only that there is one, and a missing one is a 404', async () => {
    const { tag } = await createAll();
    expect((await api.patch(`/api/v1/tags/${tag.id}`, { tag: { name: 'New' } }, ifMatch('*'))).status).toBe(200);
    expect((await api.delete(`/api/v1/tags/${tag.id}`, ifMatch('*'))).status).toBe(204);
    expect((await api.delete(`/api/v1/tags/${tag.id}`, ifMatch('*'))).status).toBe(404);
  });

  it('still reports a name that is taken, with the tag that has it', async () => {
    const { tag } = await createAll();
    const { body: other } = await api.post<Item>('/api/v1/tags', { tag: { name: 'Other' } });
    const path = `/api/v1/tags/${tag.id}`;
    const refused = await api.patch(path, { tag: { name: 'other' } }, ifMatch(tagOf(await api.get(path))));
    expect(refused.body).toMatchObject({ details: [{ code: 'taken', params: { id: other.id } }] });
  });

  it.each(cases)('lets exactly one of two editors of a %s through', async (kind) => {
    const path = `/api/v1/${kind}s/${(await createAll())[kind].id}`;
    const field = kind === 'win' ? 'body' : 'name';
    for (let round = 0; round < 20; round++) {
      const etag = tagOf(await api.get(path));
      const edits = ['a', 'b'].map((name) => api.patch(path, { [kind]: { [field]: name + round } }, ifMatch(etag)));
      const statuses = (await Promise.all(edits)).map(({ status }) => status);
      expect(statuses.toSorted()).toEqual([200, 412]);
    }
  });
});

it('A created resource comes with the ETag that it is read with', async () => {
  const made = [
    await api.post<Item>('/api/v1/tags', { tag: { name: 'Launch' } }),
    await api.post<Item>('/api/v1/spaces', { space: { name: 'Work' } }),
    await api.post<Item>('/api/v1/tokens', { token: { name: 'Laptop' } }),
  ];
  for (const answer of made) {
    expect(tagOf(answer)).toBe(tagOf(await api.get(new URL(answer.headers.get('location')!, 'http://x').pathname)));
  }
});

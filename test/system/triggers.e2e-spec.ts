import { startApp, type TestApp } from '../harness/app.js';
import type { Client } from '../harness/client.js';
import type { Person } from '../harness/factories.js';

let app: TestApp;
let ann: Person;
let api: Client;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  ann = await app.make.person({ plan: 'pro' });
  api = app.as(ann);
});

interface Resource {
  id: number;
  updated_at: string;
}

const createSpace = async (name = 'Work') =>
  (await api.post<Resource>('/api/v1/spaces', { space: { name, emoji: '🚀' } })).body.id;

const createWin = async (spaceId: number, body: string) =>
  (await api.post<Resource>('/api/v1/wins', { win: { body, space_id: spaceId, tag_names: ['a'] } })).body.id;

const found = async (q: string) =>
  (await api.get<Resource[]>(`/api/v1/wins?q=${encodeURIComponent(q)}`)).body.map(({ id }) => id);

const timeOf = async (table: 'wins' | 'spaces', id: number) => {
  const { body } = await api.get<Resource>(`/api/v1/${table}/${id}`);
  return Date.parse(body.updated_at);
};

/** Puts the last change where no clock is yet, as one that was set back would. @returns that time */
async function inTheFuture(table: 'wins' | 'spaces', id: number): Promise<number> {
  const rows = await app.dataSource.query<[unknown, number]>(
    `update ${table} set updated_at = now() + interval '1 day' where user_id = $1 and id = $2`,
    [ann.id, id],
  );
  expect(rows[1]).toBe(1);
  return timeOf(table, id);
}

describe('the search', () => {
  it('follows a body that was changed: it finds the new words and no longer the old ones', async () => {
    const id = await createWin(await createSpace(), 'Shipped the Onboarding in ÖL');
    expect([await found('onboarding'), await found('öl')]).toEqual([[id], [id]]);
    await api.patch(`/api/v1/wins/${id}`, { win: { body: 'Finished the MIGRATION, ße' } });
    expect(await found('onboarding')).toEqual([]);
    expect(await found('öl')).toEqual([]);
    expect(await found('migration')).toEqual([id]);
    expect(await found('SSE')).toEqual([id]);
  });

  it('follows a body that was changed by SQL, and takes nothing else for it', async () => {
    const id = await createWin(await createSpace(), 'Onboarding');
    await app.dataSource.query(`update wins set body = 'Migration' where user_id = $1`, [ann.id]);
    expect([await found('onboarding'), await found('migration')]).toEqual([[], [id]]);
    await app.dataSource.query(`update wins set folded_body = 'onboarding' where user_id = $1`, [ann.id]);
    expect([await found('onboarding'), await found('migration')]).toEqual([[], [id]]);
  });
});

describe('updated_at', () => {
  it.each([
    ['body', async () => ({ body: 'Other' })],
    ['occurred_on', async () => ({ occurred_on: '2026-02-03' })],
    ['space_id', async () => ({ space_id: await createSpace('Home') })],
    ['tag_names, one more', async () => ({ tag_names: ['a', 'b'] })],
    ['tag_names, one less', async () => ({ tag_names: [] })],
    ['tag_names, another', async () => ({ tag_names: ['b'] })],
  ])('of a win rises with a change of %s, even where the clock is behind it', async (_, changes) => {
    const id = await createWin(await createSpace(), 'Win');
    const before = await inTheFuture('wins', id);
    const { status, body } = await api.patch<Resource>(`/api/v1/wins/${id}`, { win: await changes() });
    expect(status).toBe(200);
    expect(Date.parse(body.updated_at)).toBeGreaterThan(before);
    expect(await timeOf('wins', id)).toBe(Date.parse(body.updated_at));
  });

  it.each([
    ['name', { name: 'Other' }],
    ['emoji', { emoji: null }],
    ['position', { position: 77 }],
  ])('of a space rises with a change of %s, even where the clock is behind it', async (_, space) => {
    const id = await createSpace();
    const before = await inTheFuture('spaces', id);
    const { status, body } = await api.patch<Resource>(`/api/v1/spaces/${id}`, { space });
    expect(status).toBe(200);
    expect(Date.parse(body.updated_at)).toBeGreaterThan(before);
    expect(await timeOf('spaces', id)).toBe(Date.parse(body.updated_at));
  });

  it('is that of now where the clock is ahead of the last change', async () => {
    const spaceId = await createSpace();
    const winId = await createWin(spaceId, 'Win');
    for (const table of ['wins', 'spaces']) {
      await app.dataSource.query(`update ${table} set updated_at = '2026-01-01' where user_id = $1`, [ann.id]);
    }
    const [{ start }] = await app.dataSource.query<[{ start: Date }]>('select now()::timestamptz(3) as start');
    const answers = [
      await api.patch<Resource>(`/api/v1/wins/${winId}`, { win: { body: 'Other' } }),
      await api.patch<Resource>(`/api/v1/spaces/${spaceId}`, { space: { name: 'Other' } }),
    ];
    await app.dataSource.query(`update wins set updated_at = '2026-01-01' where user_id = $1`, [ann.id]);
    answers.push(await api.patch<Resource>(`/api/v1/wins/${winId}`, { win: { tag_names: ['b'] } }));
    const [{ end }] = await app.dataSource.query<[{ end: Date }]>(
      `select (clock_timestamp() + interval '1 millisecond')::timestamptz(3) as "end"`,
    );
    for (const { body } of answers) {
      expect(Date.parse(body.updated_at)).toBeGreaterThanOrEqual(start.getTime());
      expect(Date.parse(body.updated_at)).toBeLessThanOrEqual(end.getTime());
    }
  });

  it('stays with what is sent again as it is, and with what the database counts', async () => {
    const spaceId = await createSpace();
    const id = await createWin(spaceId, 'Win');
    const [win, space] = [await inTheFuture('wins', id), await inTheFuture('spaces', spaceId)];
    await api.patch(`/api/v1/wins/${id}`, { win: { body: 'Win', space_id: spaceId, tag_names: ['a'] } });
    await api.patch(`/api/v1/spaces/${spaceId}`, { space: { name: 'Work', emoji: '🚀' } });
    await createWin(spaceId, 'Another');
    expect([await timeOf('wins', id), await timeOf('spaces', spaceId)]).toEqual([win, space]);
  });
});

import type { Win } from '../../src/wins/dto/win.js';
import { startApp, type TestApp } from '../harness/app.js';
import type { Client } from '../harness/client.js';
import type { Person } from '../harness/factories.js';

/** Tags that are added and removed, and wins that are written together. */

let app: TestApp;
let ann: Person;
let api: Client;
let work: number;

const WINS = '/api/v1/wins';
const BATCH = `${WINS}/batch`;

interface Written {
  created: Win[];
  updated: Win[];
  deleted: number[];
}

const space = async (client: Client, name: string) =>
  (await client.post<{ id: number }>('/api/v1/spaces', { space: { name } })).body.id;

async function win(fields: object = {}): Promise<Win> {
  const answer = await api.post<Win>(WINS, { win: { body: 'x', space_id: work, ...fields } });
  expect(answer.status).toBe(201);
  return answer.body;
}

const patch = (id: number, fields: object) => api.patch<Win>(`${WINS}/${id}`, { win: fields });

const batch = (fields: object, headers = {}) => api.post<Written>(BATCH, { batch: fields }, { headers });

const namesOf = ({ tags }: Win) => tags.map(({ name }) => name);
const numbered = (count: number, name = 'Tag') => Array.from({ length: count }, (_, n) => `${name} ${n}`);
const counts = async () =>
  Object.fromEntries(
    (await api.get<{ name: string; wins_count: number }[]>('/api/v1/tags?per_page=100')).body.map((tag) => [
      tag.name,
      tag.wins_count,
    ]),
  );

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  ann = await app.make.person();
  api = app.as(ann);
  work = await space(api, 'Work');
});

describe('PATCH /api/v1/wins/:id with add_tag_names and remove_tag_names', () => {
  it('adds and removes in any case, and keeps the other tags', async () => {
    const { id } = await win({ tag_names: ['Red', 'Blue'] });
    expect(namesOf((await patch(id, { add_tag_names: ['green', 'RED', 'Green'] })).body)).toEqual([
      'Blue',
      'green',
      'Red',
    ]);
    expect(namesOf((await patch(id, { remove_tag_names: ['BLUE', 'never there'] })).body)).toEqual(['green', 'Red']);
    const { body } = await patch(id, { add_tag_names: ['Blue'], remove_tag_names: ['GREEN'], body: 'y' });
    expect([namesOf(body), body.body]).toEqual([['Blue', 'Red'], 'y']);
    expect(await counts()).toEqual({ Blue: 1, Red: 1, green: 0 });
  });

  it('adds a name that it is also to remove', async () => {
    const { id } = await win({ tag_names: ['Red'] });
    expect(namesOf((await patch(id, { add_tag_names: ['red'], remove_tag_names: ['RED'] })).body)).toEqual(['Red']);
    const added = await patch(id, { add_tag_names: ['new'], remove_tag_names: ['New'] });
    expect(namesOf(added.body)).toEqual(['new', 'Red']);
  });

  it('moves updated_at only if the tags change', async () => {
    const before = await win({ tag_names: ['Red'] });
    expect((await patch(before.id, { add_tag_names: ['RED'], remove_tag_names: ['Blue'] })).body).toEqual(before);
    const after = (await patch(before.id, { remove_tag_names: ['red'] })).body;
    expect(after.updated_at > before.updated_at).toBe(true);
  });

  it.each(['add_tag_names', 'remove_tag_names'])('refuses %s together with tag_names', async (field) => {
    const { id } = await win({ tag_names: ['Red'] });
    expect(await patch(id, { tag_names: ['Blue'], [field]: ['Green'] })).toMatchObject({
      status: 422,
      body: {
        details: [
          {
            field: `win.${field}`,
            code: 'conflict',
            message: 'Must not be sent together with tag_names',
            params: { other: 'tag_names' },
          },
        ],
      },
    });
    expect(await counts()).toEqual({ Red: 1 });
  });

  it('adds no tag beyond 50', async () => {
    const { id } = await win({ tag_names: numbered(49) });
    expect((await patch(id, { add_tag_names: ['fifty', 'TAG 1'] })).status).toBe(200);
    expect(await patch(id, { add_tag_names: ['one more'] })).toMatchObject({
      status: 422,
      body: { details: [{ field: 'win.add_tag_names', code: 'too_many', params: { max: 50 } }] },
    });
    expect((await patch(id, { add_tag_names: ['one more'], remove_tag_names: ['tag 1'] })).status).toBe(200);
    expect(Object.keys(await counts())).toHaveLength(51);
  });

  it('of two that are sent at once, loses none', async () => {
    const { id } = await win();
    const answers = await Promise.all(numbered(20).map((name) => patch(id, { add_tag_names: [name] })));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(namesOf((await api.get<Win>(`${WINS}/${id}`)).body)).toHaveLength(20);
  });
});

describe('POST /api/v1/wins/batch', () => {
  it('creates, updates and deletes in the order of the request', async () => {
    const [first, second, third] = [
      await win({ body: '1' }),
      await win({ body: '2', tag_names: ['Old'] }),
      await win(),
    ];
    const answer = await batch({
      create: [
        { body: 'a', space_id: work, tag_names: ['Red', 'blue'] },
        { body: 'b', space_id: work, occurred_on: '2026-01-02', tag_names: ['BLUE', 'Green', 'red'] },
        { body: 'c', space_id: work },
      ],
      update: [
        { id: second.id, body: 'two', add_tag_names: ['Blue'], remove_tag_names: ['old'] },
        { id: first.id, tag_names: ['green'] },
      ],
      delete: [third.id],
    });
    expect(answer.status).toBe(200);
    const { created, updated, deleted } = answer.body;
    expect(created.map((one) => [one.body, namesOf(one)])).toEqual([
      ['a', ['blue', 'Red']],
      ['b', ['blue', 'Green', 'Red']],
      ['c', []],
    ]);
    expect(created[1]!.occurred_on).toBe('2026-01-02');
    expect(updated.map((one) => [one.id, one.body, namesOf(one)])).toEqual([
      [second.id, 'two', ['blue']],
      [first.id, '1', ['Green']],
    ]);
    expect(deleted).toEqual([third.id]);
    for (const one of [...created, ...updated]) expect((await api.get<Win>(`${WINS}/${one.id}`)).body).toEqual(one);
    expect((await api.get(`${WINS}/${third.id}`)).status).toBe(404);
    expect(await counts()).toEqual({ blue: 3, Green: 2, Old: 0, Red: 2 });
    expect((await api.get<{ wins_count: number }>(`/api/v1/spaces/${work}`)).body.wins_count).toBe(5);
  });

  it('does nothing if there is nothing to do', async () => {
    const nothing = { created: [], updated: [], deleted: [] };
    expect((await batch({})).body).toEqual(nothing);
    expect((await batch({ create: [], update: [], delete: [] })).body).toEqual(nothing);
  });

  it('takes 100 wins in all and no more', async () => {
    const one = { body: 'x', space_id: work };
    const many = (count: number) => Array.from({ length: count }, () => one);
    const answer = await batch({ create: many(100) });
    expect(answer.body.created).toHaveLength(100);
    const [{ id }] = answer.body.created as [Win];
    for (const fields of [
      { create: many(101) },
      { create: many(100), delete: [id] },
      { create: many(60), update: many(30).map((each) => ({ ...each, id })), delete: numbered(11).map(() => id) },
    ]) {
      expect(await batch(fields)).toMatchObject({
        status: 422,
        body: { details: [{ field: 'batch', code: 'too_many', params: { max: 100 } }] },
      });
    }
    expect((await api.get<{ wins_count: number }>(`/api/v1/spaces/${work}`)).body.wins_count).toBe(100);
  });

  it('names the place of each fault, and does nothing', async () => {
    const mine = await win({ tag_names: ['Red'] });
    const bob = app.as(await app.make.person());
    const his = await space(bob, 'His');
    const his_win = (await bob.post<Win>(WINS, { win: { body: 'x', space_id: his } })).body.id;
    const valid = { body: 'x', space_id: work };
    const cases: [object, string[]][] = [
      [
        { create: [valid, valid, valid, { ...valid, occurred_on: 'today' }] },
        ['batch.create[3].occurred_on not_a_date'],
      ],
      [
        { create: [{}, 7] },
        numbered(2).flatMap((_, n) => [`batch.create[${n}].body required`, `batch.create[${n}].space_id required`]),
      ],
      [{ create: 'x' }, ['batch.create invalid_type']],
      [{ create: null, update: {} }, ['batch.create invalid_type', 'batch.update invalid_type']],
      [{ create: [{ ...valid, space_id: his }, valid] }, ['batch.create[0].space_id not_found']],
      [{ create: [{ ...valid, tag_names: [' ', '\u200b'] }] }, ['batch.create[0].tag_names blank']],
      [{ update: [{ body: 'y' }] }, ['batch.update[0].id required']],
      [{ update: [{ id: mine.id, space_id: his }] }, ['batch.update[0].space_id not_found']],
      [{ update: [{ id: his_win, body: 'y' }] }, ['batch.update[0].id not_found']],
      [{ update: [{ id: mine.id, tag_names: [], add_tag_names: ['a'] }] }, ['batch.update[0].add_tag_names conflict']],
      [{ update: [{ id: mine.id, add_tag_names: numbered(50) }] }, ['batch.update[0].add_tag_names too_many']],
      [{ update: [{ id: mine.id }, { id: mine.id }] }, ['batch.update[1].id duplicate']],
      [{ update: [{ id: mine.id, body: 'y' }], delete: [mine.id] }, ['batch.delete[0] duplicate']],
      [{ delete: [mine.id, his_win, mine.id] }, ['batch.delete[1] not_found', 'batch.delete[2] duplicate']],
      [{ delete: ['1'] }, ['batch.delete invalid_type']],
      [{ delete: [0] }, ['batch.delete[0] not_found']],
    ];
    for (const [fields, expected] of cases) {
      const answer = await api.post<{ details: { field: string; code: string }[] }>(BATCH, {
        batch: { ...fields, ...('create' in fields ? {} : { create: [valid] }) },
      });
      expect([fields, answer.status, answer.body.details.map(({ field, code }) => `${field} ${code}`)]).toEqual([
        fields,
        422,
        expected,
      ]);
    }
    expect(await api.post(BATCH, { create: [valid] })).toMatchObject({
      status: 422,
      body: { details: [{ field: 'batch', code: 'wrapper_missing' }] },
    });
    expect((await api.get<Win>(`${WINS}/${mine.id}`)).body).toEqual(mine);
    expect(await counts()).toEqual({ Red: 1 });
    expect((await api.get<{ wins_count: number }>(`/api/v1/spaces/${work}`)).body.wins_count).toBe(1);
  });

  it('is done once with a key, however often it is sent', async () => {
    const fields = { create: [{ body: 'once', space_id: work, tag_names: ['Red'] }] };
    const answers = await Promise.all(numbered(5).map(() => batch(fields, { 'idempotency-key': 'one' })));
    const done = answers.filter(({ status }) => status === 200);
    expect(new Set(done.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(await counts()).toEqual({ Red: 1 });
    expect((await batch(fields, { 'idempotency-key': 'one' })).body).toEqual(done[0]!.body);
    expect(await counts()).toEqual({ Red: 1 });
  });

  it('counts exactly beside other writers', async () => {
    const wins = await Promise.all(numbered(10).map(() => win({ tag_names: ['Red'] })));
    await Promise.all(
      wins.flatMap(({ id }, n) => [
        batch({
          create: [{ body: 'new', space_id: work, tag_names: ['Red', `Own ${n}`] }],
          update: [{ id, tag_names: ['Blue'] }],
        }),
        api.patch(`${WINS}/${id}`, { win: { add_tag_names: ['Red'] } }),
        batch({ delete: [id] }),
      ]),
    );
    const all = (await api.get<Win[]>(`${WINS}?per_page=100`)).body;
    const real: Record<string, number> = {};
    for (const name of all.flatMap(namesOf)) real[name] = (real[name] ?? 0) + 1;
    const counted = Object.entries(await counts()).filter(([, count]) => count > 0);
    expect(Object.fromEntries(counted)).toEqual(real);
    expect((await api.get<{ wins_count: number }>(`/api/v1/spaces/${work}`)).body.wins_count).toBe(all.length);
  });
});

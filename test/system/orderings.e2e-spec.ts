import { loadConfig } from '../../src/config/config.js';
import { openDatabase } from '../../src/database/database.js';
import { startApp, type TestApp } from '../harness/app.js';
import type { Client } from '../harness/client.js';
import { Factory, type Person } from '../harness/factories.js';
import { Workshop } from '../harness/processes.js';

/**
 * Every order by its ties: rows that are equal in all but the last key, stored in another order than they are shown in,
 * and read as they are stored: an index would often put them right by chance.
 */

const AS_STORED = { enable_indexscan: 'off', enable_indexonlyscan: 'off', enable_bitmapscan: 'off' };

const workshop = new Workshop();
let app: TestApp;
let ann: Person;
let api: Client;

beforeAll(async () => {
  app = await startApp({ DATABASE_URL: (await workshop.database(AS_STORED)).url });
});
afterAll(async () => {
  await app.close();
  await workshop.clean();
});
beforeEach(async () => {
  ann = await app.make.person({ plan: 'pro' });
  api = app.as(ann);
});

interface Named {
  id: number;
  name: string;
}

const idsOf = (items: { id: number }[]) => items.map(({ id }) => id);
const namesOf = (items: { name: string }[]) => items.map(({ name }) => name);

/** Gives all of a person's rows one time and stores them anew, the last one first. */
async function shuffle(table: string, person = ann, set = ''): Promise<void> {
  const rows = await app.dataSource.query<{ id: number }[]>(
    `select id from ${table} where user_id = $1 order by id desc`,
    [person.id],
  );
  for (const { id } of rows) {
    await app.dataSource.query(`update ${table} set created_at = '2026-01-01'${set} where user_id = $1 and id = $2`, [
      person.id,
      id,
    ]);
  }
}

describe('tokens of one moment', () => {
  it('are listed by id', async () => {
    for (let n = 0; n < 4; n++) await app.make.token(ann.id);
    await shuffle('api_tokens');
    const { body } = await api.get<Named[]>('/api/v1/tokens');
    expect(body).toHaveLength(5);
    expect(idsOf(body)).toEqual(idsOf(body).toSorted((a, b) => a - b));
  });

  it('and users, are listed by id on the command line', async () => {
    const { url } = await workshop.database(AS_STORED);
    const database = await openDatabase(loadConfig({ NODE_ENV: 'test', DATABASE_URL: url }));
    const make = new Factory(database.dataSource);
    const people: Person[] = [];
    for (let n = 0; n < 4; n++) people.push(await make.person());
    for (let n = 0; n < 3; n++) await make.token(people[0]!.id);
    for (const { id } of people.toReversed()) {
      await database.dataSource.query(`update users set created_at = '2026-01-01' where id = $1`, [id]);
    }
    for (const id of [4, 3, 2, 1]) {
      await database.dataSource.query(
        `update api_tokens set created_at = '2026-01-01' where id =
         (select id from api_tokens where user_id = $1 order by id offset $2 limit 1)`,
        [people[0]!.id, id - 1],
      );
    }
    await database.close();
    const listed = async (...args: string[]) =>
      idsOf(JSON.parse((await workshop.cli({ DATABASE_URL: url }, ...args, '--json')).stdout) as { id: number }[]);
    expect(await listed('user', 'list')).toEqual(idsOf(people));
    const tokens = await listed('token', 'list', '--email', people[0]!.email);
    expect(tokens).toHaveLength(4);
    expect(tokens).toEqual(tokens.toSorted((a, b) => a - b));
  });
});

describe('spaces of one position', () => {
  it('are listed by id, behind lower and before higher positions', async () => {
    const made: number[] = [];
    for (let n = 0; n < 4; n++) {
      const space = { name: `Space ${n}`, position: 7 };
      made.push((await api.post<Named>('/api/v1/spaces', { space })).body.id);
    }
    const first = (await api.post<Named>('/api/v1/spaces', { space: { name: 'a', position: -1 } })).body.id;
    const last = (await api.post<Named>('/api/v1/spaces', { space: { name: 'a', position: 8 } })).body.id;
    await shuffle('spaces');
    expect(idsOf((await api.get<Named[]>('/api/v1/spaces')).body)).toEqual([first, ...made, last]);
  });
});

describe('wins of one day', () => {
  it.each([
    ['', ''],
    ['of a space', '&space_id=:space'],
    ['of a tag', '&tag=a'],
    ['of a tag and a space', '&tag=a&space_id=:space'],
    ['of some days', '&since=2026-01-31&until=2026-01-31'],
    ['with a word', '&q=win'],
    ['with a short word', '&q=w'],
    ['with a word, of a tag', '&q=win&tag=a'],
  ])('are listed by id, newest first: %s', async (_, filter) => {
    const { body: space } = await api.post<Named>('/api/v1/spaces', { space: { name: 'Work' } });
    const { body: tag } = await api.post<Named>('/api/v1/tags', { tag: { name: 'a' } });
    const ids = await app.make.wins(ann, space.id, { count: 7, tagIds: [tag.id] });
    await shuffle('wins', ann, `, body = body || '.'`);
    const walked: number[] = [];
    for (let page = 1; page <= 4; page++) {
      const path = `/api/v1/wins?per_page=2&page=${page}${filter.replace(':space', String(space.id))}`;
      walked.push(...idsOf((await api.get<Named[]>(path)).body));
    }
    expect(walked).toEqual(ids.toReversed());
  });

  it('come after all of a later day, whatever their ids', async () => {
    const { body: space } = await api.post<Named>('/api/v1/spaces', { space: { name: 'Work' } });
    const [late] = await app.make.wins(ann, space.id, { day: '2026-02-01' });
    const [early] = await app.make.wins(ann, space.id, { day: '2026-01-01' });
    for (const filter of ['', '?q=win', `?space_id=${space.id}`]) {
      expect(idsOf((await api.get<Named[]>(`/api/v1/wins${filter}`)).body)).toEqual([late, early]);
    }
  });
});

describe('tags', () => {
  const NAMES = ['Zebra', 'apple', 'Äpfel', 'banana', 'Éclair', 'eclipse', '10', '9'];
  const SORTED = ['10', '9', 'Äpfel', 'apple', 'banana', 'Éclair', 'eclipse', 'Zebra'];

  it('are listed alphabetically, on their own and on a win', async () => {
    const { body: space } = await api.post<Named>('/api/v1/spaces', { space: { name: 'Work' } });
    const win = { body: 'Win', space_id: space.id, tag_names: NAMES };
    const created = await api.post<{ id: number; tags: Named[] }>('/api/v1/wins', { win });
    expect(namesOf(created.body.tags)).toEqual(SORTED);
    const read = await api.get<{ tags: Named[] }>(`/api/v1/wins/${created.body.id}`);
    expect(namesOf(read.body.tags)).toEqual(SORTED);
    const [listed] = (await api.get<{ tags: Named[] }[]>('/api/v1/wins')).body;
    expect(namesOf(listed!.tags)).toEqual(SORTED);
    expect(namesOf((await api.get<Named[]>('/api/v1/tags')).body)).toEqual(SORTED);
  });
});

describe('of the spellings of a name', () => {
  let spaceId: number;
  beforeEach(async () => {
    spaceId = (await api.post<Named>('/api/v1/spaces', { space: { name: 'Work' } })).body.id;
  });

  it.each([
    [['z', 'Z'], ['z']],
    [['Z', 'z'], ['Z']],
    [
      ['ß', 'SS', 'x', 'X', 'ẞ'],
      ['ß', 'x'],
    ],
    [
      ['b', 'A', 'B', 'a'],
      ['A', 'b'],
    ],
  ])('in %j the first makes the tag', async (tag_names, names) => {
    const { status, body } = await api.post<{ id: number; tags: Named[] }>('/api/v1/wins', {
      win: { body: 'Win', space_id: spaceId, tag_names },
    });
    expect([status, namesOf(body.tags)]).toEqual([201, names]);
    expect(namesOf((await api.get<Named[]>('/api/v1/tags')).body)).toEqual(names);
  });

  it('the first makes the tag where a win is changed, too', async () => {
    const [id] = await app.make.wins(ann, spaceId);
    for (const [tag_names, name] of [
      [['q', 'Q'], 'q'],
      [['R', 'r'], 'R'],
    ] as const) {
      const { body } = await api.patch<{ tags: Named[] }>(`/api/v1/wins/${id}`, { win: { tag_names } });
      expect(namesOf(body.tags)).toEqual([name]);
    }
  });

  it('that of the tag stays where there is one', async () => {
    await api.post('/api/v1/tags', { tag: { name: 'Launch' } });
    const win = { body: 'Win', space_id: spaceId, tag_names: ['LAUNCH', 'launch'] };
    const { body } = await api.post<{ tags: Named[] }>('/api/v1/wins', { win });
    expect(namesOf(body.tags)).toEqual(['Launch']);
  });
});

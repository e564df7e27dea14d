import { Client } from 'pg';
import { startApp, type TestApp } from '../harness/app.js';
import { createDatabase, type FreshDatabase } from '../harness/fresh-database.js';
import { countWaits } from '../harness/cluster.js';
import { until } from '../harness/until.js';

let database: FreshDatabase;
let app: TestApp;
let other: Client;

beforeAll(async () => {
  database = await createDatabase();
  app = await startApp({ DATABASE_URL: database.url });
  other = new Client(database.url);
  await other.connect();
});
afterAll(async () => {
  await other?.end();
  await app.close();
  await database.drop();
});

interface Tagged {
  id: number;
  tags: { name: string }[];
}
interface Counted {
  name: string;
  wins_count: number;
}

/** What another writer of the user does before the win is written, and the tags after that: name and number of wins. */
const CHANGES: [title: string, asked: string, change: string[], shown: string, all: [string, number][]][] = [
  [
    'creates a tag that was renamed meanwhile anew',
    'a',
    [`update tags set name = 'b' where user_id = $1 and name = 'a'`],
    'a',
    [
      ['a', 1],
      ['b', 0],
      ['Other', 0],
    ],
  ],
  [
    'shows a tag as it is spelled now',
    'a',
    [`update tags set name = 'A' where user_id = $1 and name = 'a'`],
    'A',
    [
      ['A', 1],
      ['Other', 0],
    ],
  ],
  [
    'creates a tag that was deleted meanwhile anew',
    'a',
    [`delete from tags where user_id = $1 and name = 'a'`],
    'a',
    [
      ['a', 1],
      ['Other', 0],
    ],
  ],
  [
    'uses a tag that has got the name meanwhile',
    'a',
    [
      `delete from tags where user_id = $1 and name = 'a'`,
      `update tags set name = 'A' where user_id = $1 and name = 'Other'`,
    ],
    'A',
    [['A', 1]],
  ],
  [
    'uses a tag that was created meanwhile',
    'new',
    [`insert into tags (user_id, name) values ($1, 'NEW')`],
    'NEW',
    [
      ['a', 0],
      ['NEW', 1],
      ['Other', 0],
    ],
  ],
];

describe.each([
  ['A new win', false],
  ['A win that gets other tags', true],
])('%s, once it has waited for another writer of the user,', (_, isThere) => {
  it.each(CHANGES)('%s', async (_title, asked, changes, shown, all) => {
    const ann = await app.make.person();
    const api = app.as(ann);
    const { body: space } = await api.post<{ id: number }>('/api/v1/spaces', { space: { name: 'Work' } });
    const create = (tag_names: string[]) =>
      api.post<Tagged>('/api/v1/wins', { win: { body: 'x', space_id: space.id, tag_names } });
    for (const name of ['a', 'Other']) await api.post('/api/v1/tags', { tag: { name } });
    const { body: win } = await create([]);

    await other.query('begin');
    for (const change of changes) await other.query(change, [ann.id]);
    const written = isThere
      ? api.patch<Tagged>(`/api/v1/wins/${win.id}`, { win: { tag_names: [asked] } })
      : create([asked]);
    await until(async () => (await countWaits((text) => database.query(text))) > 0);
    await other.query('commit');

    expect((await written).body.tags.map(({ name }) => name)).toEqual([shown]);
    const { body: tags } = await api.get<Counted[]>('/api/v1/tags');
    expect(tags.map(({ name, wins_count }) => [name, wins_count])).toEqual(all);
  });
});

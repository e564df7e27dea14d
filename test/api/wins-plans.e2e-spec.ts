import { WIN_SORTS } from '../../src/wins/dto/win-query.js';
import { pageAfterOf, selectSorted } from '../../src/wins/win-lists.js';
import {
  CHANGE_TAGS,
  DELETE_WINS,
  UPDATE_WIN,
  UPDATE_WINS,
  WINS as WINS_BY_ID,
  WITH_MORE_TAGS,
} from '../../src/wins/win-writes.js';
import { startApp, type TestApp } from '../harness/app.js';
import type { Client } from '../harness/client.js';
import type { Person } from '../harness/factories.js';
import { createDatabase, type FreshDatabase } from '../harness/fresh-database.js';

/** Lists of wins under the plans that PostgreSQL makes for given values, and for all values. */

interface Win {
  id: number;
  body: string;
  occurred_on: string;
  space: { id: number };
  tags: { name: string }[];
}

const WINS = '/api/v1/wins';

/** Every combination of these is asked for. */
const FILTERS: [string, (win: Win) => boolean][] = [
  ['space=Home', (win) => win.body.includes('home')],
  ['tag=EVEN', (win) => win.tags.some(({ name }) => name === 'Even')],
  ['tag=all', (win) => win.tags.some(({ name }) => name === 'All')],
  ['untagged=false', (win) => win.tags.length > 0],
  ['untagged=true', (win) => win.tags.length === 0],
  ['since=2026-01-03', (win) => win.occurred_on >= '2026-01-03'],
  ['until=2026-01-06', (win) => win.occurred_on <= '2026-01-06'],
  ['q=word', (win) => win.body.includes('word')],
  ['q=ö', (win) => win.body.includes('ö')],
  ['q=a+word+ö', (win) => win.body.includes('a word') && win.body.includes('ö')],
];

const COMBINATIONS = Array.from({ length: 2 ** FILTERS.length }, (_, chosen) =>
  FILTERS.filter((__, index) => chosen & (2 ** index)),
).filter((used) => ['q=', 'untagged='].every((start) => used.filter(([text]) => text.startsWith(start)).length <= 1));

async function createSpace(api: Client, name: string): Promise<number> {
  return (await api.post<{ id: number }>('/api/v1/spaces', { space: { name } })).body.id;
}

describe.each(['force_custom_plan', 'force_generic_plan'])('GET /api/v1/wins with plan_cache_mode = %s', (mode) => {
  let database: FreshDatabase;
  let app: TestApp;

  beforeAll(async () => {
    database = await createDatabase({ plan_cache_mode: mode });
    app = await startApp({ DATABASE_URL: database.url });
  });
  afterAll(async () => {
    await app.close();
    await database.drop();
  });

  it('finds with any filters joined what each of them allows', async () => {
    const api = app.as(await app.make.person());
    const [work, home] = [await createSpace(api, 'Work'), await createSpace(api, 'Home')];
    for (let n = 0; n < 24; n++) {
      const isHome = n % 5 > 1;
      const win = {
        body: `${n} ${isHome ? 'home' : ''} ${n % 3 > 0 ? 'a word' : 'none'} ${n % 4 > 1 ? 'ö' : 'o'}`,
        space_id: isHome ? home : work,
        occurred_on: `2026-01-0${1 + (n % 8)}`,
        tag_names: [['Even', 'All'], ['All'], ['Even'], []][n % 4],
      };
      expect((await api.post(WINS, { win })).status).toBe(201);
    }
    const { body: everything } = await api.get<Win[]>(`${WINS}?per_page=100`);
    for (const used of COMBINATIONS) {
      const texts = used.map(([text]) => text.replace('space=Home', `space_id=${home}`));
      const query = `?${[...texts, 'per_page=4'].join('&')}`;
      const expected = everything.filter((win) => used.every(([, allows]) => allows(win)));
      const answer = await api.get<Win[]>(WINS + query);
      expect([query, answer.headers.get('x-total-count'), answer.body]).toEqual([
        query,
        String(expected.length),
        expected.slice(0, 4),
      ]);
    }
  });
});

it('a page of wins reads the tags of its wins and no others', async () => {
  const [tags, tagsPerWin, wins] = [2_000, 2, 25];
  const database = await createDatabase({ plan_cache_mode: 'force_generic_plan' });
  const onDatabase = async <Result>(work: (own: TestApp) => Promise<Result>): Promise<Result> => {
    const own = await startApp({ DATABASE_URL: database.url });
    return work(own).finally(() => own.close()); // sessions report what they read when they end
  };
  const rowsRead = async () => {
    const [row] = await database.query<{ count: number }>(
      `select ((select seq_tup_read from pg_stat_user_tables where relname = 'tags')
             + (select sum(idx_tup_read) from pg_stat_user_indexes where relname = 'tags'))::int as count`,
    );
    return row!.count;
  };
  try {
    const person = await onDatabase(async ({ make, dataSource, as }) => {
      const owner = await make.person();
      const spaceId = await createSpace(as(owner), 'Work');
      const others = `insert into users (email, plan) select n || '@example.com', 'free' from generate_series(1, 5000) n`;
      await dataSource.query(
        `with others as (${others} returning id) insert into tags (user_id, name) select id, 'Tag' from others`,
      );
      const named = `insert into tags (user_id, name) select $1, 'Tag ' || n from generate_series(1, $2) n returning id`;
      const made = await dataSource.query<{ id: number }[]>(named, [owner.id, tags]);
      await make.wins(owner, spaceId, { count: wins, tagIds: made.slice(0, tagsPerWin).map(({ id }) => id) });
      await dataSource.query('analyze'); // without "vacuum" no index is known to be enough
      return owner;
    });
    const before = await rowsRead();
    await onDatabase(async ({ as }) => expect((await as(person).get<Win[]>(WINS)).body).toHaveLength(wins));
    const read = (await rowsRead()) - before;
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThanOrEqual(tagsPerWin * wins);
  } finally {
    await database.drop();
  }
});

it.each(WIN_SORTS)('a page after a cursor deep in a list by %s reads as little as the first page', async (sort) => {
  const database = await createDatabase();
  const app = await startApp({ DATABASE_URL: database.url });
  try {
    const owner = await app.make.person();
    const space = await createSpace(app.as(owner), 'Work');
    await app.dataSource.query(
      `insert into wins (user_id, space_id, body, occurred_on, created_at, updated_at)
       select $1, $2, 'Win', date '2000-01-01' + n % 5000, timestamptz '2026-01-01' + n * interval '1 second', timestamptz '2026-01-01' + n * interval '1 second'
       from generate_series(1, 20000) n`,
      [owner.id, space],
    );
    await app.dataSource.query('analyze wins');
    const { way, values } = selectSorted({}, sort);
    const { first, others } = pageAfterOf(way, sort);
    const column = sort.replace('-', '');
    const [deep] = await app.dataSource.query<{ keys: string[] }[]>(
      `select array[${column}::text, id::text] as keys from wins where user_id = $1 order by ${column}, id offset 10000 limit 1`,
      [owner.id],
    );
    const blocks = async (text: string, keys: string[] | null) => {
      const [row] = await app.dataSource.query<
        { 'QUERY PLAN': [{ Plan: { 'Shared Hit Blocks': number; 'Shared Read Blocks': number } }] }[]
      >(`explain (analyze, buffers, format json) ${text}`, [owner.id, 1, keys, ...values]);
      const { Plan } = row!['QUERY PLAN'][0];
      return Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks'];
    };
    expect(await blocks(others, deep!.keys)).toBeLessThan(2 * (await blocks(first, null)));
  } finally {
    await app.close();
    await database.drop();
  }
});

const json = (win: object) => `array['${JSON.stringify(win)}']::json[]`;

describe('with one plan for all users', () => {
  let database: FreshDatabase;
  let app: TestApp;
  let owner: Person;
  let wins: number[];

  beforeAll(async () => {
    database = await createDatabase();
    app = await startApp({ DATABASE_URL: database.url });
    // The average user has few wins, this one many.
    for (let n = 0; n < 20; n++) {
      const other = await app.make.person();
      await app.make.wins(other, await createSpace(app.as(other), 'Work'), { count: 5 });
    }
    owner = await app.make.person();
    const tag = await app.as(owner).post<{ id: number }>('/api/v1/tags', { tag: { name: 'All' } });
    const space = await createSpace(app.as(owner), 'Work');
    wins = await app.make.wins(owner, space, { count: 10_000, tagIds: [tag.body.id] });
    await app.dataSource.query('analyze');
  });
  afterAll(async () => {
    await app.close();
    await database.drop();
  });

  interface Node {
    'Relation Name'?: string;
    'Actual Rows': number;
    'Actual Loops': number;
    'Rows Removed by Filter'?: number;
    Plans?: Node[];
  }

  /** How many rows of wins and their links a plan has read. */
  const rowsRead = (node: Node): number => {
    const isCounted = ['wins', 'win_tags'].includes(node['Relation Name'] ?? '');
    const own = isCounted ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'] : 0;
    return own + (node.Plans ?? []).reduce((sum, child) => sum + rowsRead(child), 0);
  };

  it.each<[string, string, (id: number) => string[]]>([
    ['a change of a win', UPDATE_WIN, (id) => [`${id}`, 'null', `'Other words'`, 'null']],
    ['changes of wins', UPDATE_WINS, (id) => [json({ id, body: 'Other words' })]],
    ['other tags', CHANGE_TAGS, (id) => [json({ id, tag_names: ['New'] })]],
    ['a tag more, a tag less', CHANGE_TAGS, (id) => [json({ id, add_tag_names: ['New'], remove_tag_names: ['All'] })]],
    ['a look for many tags', WITH_MORE_TAGS, (id) => [`'{${id}}'`, '50']],
    ['a deletion', DELETE_WINS, (id) => [`'{${id}}'`]],
    ['wins by their ids', WINS_BY_ID, (id) => [`'{${id}}'`]],
  ])('%s reads no other wins', async (_, text, valuesFor) => {
    const session = app.dataSource.createQueryRunner();
    try {
      await session.query('set plan_cache_mode = force_generic_plan');
      await session.query(`prepare statement as ${text}`);
      await session.query('begin');
      const values = [owner.id, ...valuesFor(wins[5_000]!)].join(', ');
      const [row] = await session.query(`explain (analyze, format json) execute statement (${values})`);
      expect(rowsRead(row['QUERY PLAN'][0].Plan)).toBeLessThanOrEqual(10);
    } finally {
      await session.query('rollback; deallocate statement; reset plan_cache_mode');
      await session.release();
    }
  });
});

import { LIST_AFTER } from '../../src/tags/tags.repository.js';
import { WIN_SORTS } from '../../src/wins/dto/win-query.js';
import { pageAfterOf, pageOf, selectSorted } from '../../src/wins/win-lists.js';
import {
  CHANGE_TAGS,
  DELETE_WINS,
  INSERT_WINS,
  UPDATE_WIN,
  UPDATE_WINS,
  WINS as WINS_BY_ID,
  WITH_MORE_TAGS,
} from '../../src/wins/win-writes.js';
import { startApp, type TestApp } from '../harness/app.js';
import type { Client } from '../harness/client.js';
import type { Person } from '../harness/factories.js';
import { createDatabase, type FreshDatabase } from '../harness/fresh-database.js';

/** What the statements of wins and tags read, by PostgreSQL's own account. */

const createSpace = async (api: Client, name: string) =>
  (await api.post<{ id: number }>('/api/v1/spaces', { space: { name } })).body.id;

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

  const TAGS_EACH = 2;
  const PAGE = 25;

  beforeAll(async () => {
    database = await createDatabase();
    app = await startApp({ DATABASE_URL: database.url });
    // The average user has few wins, this one many.
    for (let n = 0; n < 20; n++) {
      const other = await app.make.person();
      await app.make.wins(other, await createSpace(app.as(other), 'Work'), { count: 5 });
    }
    await app.dataSource.query(
      `with others as (
         insert into users (email, plan) select n || '@example.com', 'free' from generate_series(1, 5000) n returning id
       )
       insert into tags (user_id, name) select id, 'Tag' from others`,
    );
    owner = await app.make.person();
    const tags = await app.dataSource.query<{ id: number }[]>(
      `insert into tags (user_id, name) select $1, 'Tag ' || n from generate_series(1, 2000) n returning id`,
      [owner.id],
    );
    const space = await createSpace(app.as(owner), 'Work');
    const tagIds = tags.slice(0, TAGS_EACH).map(({ id }) => id);
    wins = await app.make.wins(owner, space, { count: 10_000, tagIds });
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

  /** How many rows of the tables a plan has read. */
  const rowsRead = (node: Node, tables: string[]): number => {
    const isCounted = tables.includes(node['Relation Name'] ?? '');
    const own = isCounted ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'] : 0;
    return own + (node.Plans ?? []).reduce((sum, child) => sum + rowsRead(child, tables), 0);
  };

  /** Runs a statement of the owner, and undoes it. @param values beyond the user, as SQL @returns the plan */
  async function planOf(text: string, values: string[]): Promise<Node> {
    const session = app.dataSource.createQueryRunner();
    try {
      await session.query('set plan_cache_mode = force_generic_plan');
      await session.query(`prepare statement as ${text}`);
      await session.query('begin');
      const given = [owner.id, ...values].join(', ');
      const [row] = await session.query(`explain (analyze, format json) execute statement (${given})`);
      return row['QUERY PLAN'][0].Plan;
    } finally {
      await session.query('rollback; deallocate statement; reset plan_cache_mode');
      await session.release();
    }
  }

  it.each<[string, string, (id: number) => string[]]>([
    ['a change of a win', UPDATE_WIN, (id) => [`${id}`, 'null', `'Other words'`, 'null']],
    ['changes of wins', UPDATE_WINS, (id) => [json({ id, body: 'Other words' })]],
    ['other tags', CHANGE_TAGS, (id) => [json({ id, tag_names: ['New'] })]],
    [
      'a tag more, a tag less',
      CHANGE_TAGS,
      (id) => [json({ id, add_tag_names: ['New'], remove_tag_names: ['Tag 1'] })],
    ],
    ['a look for many tags', WITH_MORE_TAGS, (id) => [`'{${id}}'`, '50']],
    ['a deletion', DELETE_WINS, (id) => [`'{${id}}'`]],
    ['wins by their ids', WINS_BY_ID, (id) => [`'{${id}}'`]],
  ])('%s reads no other wins', async (_, text, valuesFor) => {
    const plan = await planOf(text, valuesFor(wins[5_000]!));
    expect(rowsRead(plan, ['wins', 'win_tags'])).toBeLessThanOrEqual(10);
  });

  it('a page of wins reads the tags of its wins and no others', async () => {
    const { way, values } = selectSorted({}, '-occurred_on');
    const plan = await planOf(pageOf(way, '-occurred_on'), [`${PAGE}`, '0', ...values.map(() => 'null')]);
    const read = rowsRead(plan, ['tags']);
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThanOrEqual(TAGS_EACH * PAGE);
  });

  it.each(['name', '-name'] as const)('a page of tags by cursor, by %s, reads its tags and no others', async (sort) => {
    const { first, others } = LIST_AFTER[sort]!;
    for (const [text, place] of [
      [first, 'null'],
      [others, `array['Tag 1500']`],
    ] as const) {
      const read = rowsRead(await planOf(text, [`${PAGE}`, place]), ['tags']);
      expect(read).toBeGreaterThan(0);
      expect(read).toBeLessThanOrEqual(PAGE + 1);
    }
  });

  describe('where each user has a hundred tags', () => {
    let space: number;

    beforeAll(async () => {
      await app.dataSource.query(
        `with gone as (delete from tags where name = 'Tag')
         insert into tags (user_id, name) select id, 'Tag ' || n from generate_series(1, 100) n,
           (select id from users where plan = 'free' and id <> $1 order by id desc limit 30) users`,
        [owner.id],
      );
      await app.dataSource.query('analyze tags');
      const [win] = await app.dataSource.query<{ space_id: number }[]>('select space_id from wins where id = $1', [
        wins[0],
      ]);
      space = win!.space_id;
    });

    it.each<[string, string, () => string]>([
      ['a new win', INSERT_WINS, () => json({ space_id: space, body: 'Win', tag_names: ['Tag 1', 'New'] })],
      [
        'a change',
        CHANGE_TAGS,
        () => json({ id: wins[0]!, add_tag_names: ['Tag 1', 'New'], remove_tag_names: ['Tag 2'] }),
      ],
    ])('the names of tags in %s read no other tags', async (_, text, given) => {
      const read = rowsRead(await planOf(text, [given()]), ['tags']);
      expect(read).toBeGreaterThan(0);
      expect(read).toBeLessThanOrEqual(10);
    });
  });
});

import { randomUUID } from 'node:crypto';
import type { DataSource, QueryRunner } from 'typeorm';
import { MAX_TOKEN_NAME } from '../../src/auth/limits.js';
import { loadConfig } from '../../src/config/config.js';
import { openDatabase, type Database } from '../../src/database/database.js';
import { migrate } from '../../src/database/migrate.js';
import { Sql } from '../../src/database/sql.js';
import { ALL_REFUSALS } from '../../src/refusals.js';
import { MAX_SPACE_NAME } from '../../src/spaces/dto/space.js';
import { MAX_TAG_NAME } from '../../src/tags/dto/tag.js';
import { MAX_BODY } from '../../src/wins/dto/win.js';
import { startApp } from '../harness/app.js';
import { Factory } from '../harness/factories.js';
import { Workshop } from '../harness/processes.js';

const workshop = new Workshop();
let database: Database;
let dataSource: DataSource;

beforeAll(async () => {
  database = await open((await workshop.database()).url);
  dataSource = database.dataSource;
});
afterAll(async () => {
  await database.close();
  await workshop.clean();
});

function open(url: string): Promise<Database> {
  return openDatabase(loadConfig({ NODE_ENV: 'test', DATABASE_URL: url, DATABASE_POOL_SIZE: '16' }));
}

const sql = <T extends object>(query: string, parameters: unknown[] = []) => dataSource.query<T[]>(query, parameters);

/** TypeORM's own table is not a part of the schema that is kept here. */
const OWN = `(select oid from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
  and relname <> 'migrations')`;

const ours = (oid: string) => `not exists (select from pg_depend where objid = ${oid} and deptype = 'e')`;

/** Everything in the schema that no extension brought, by its definition. */
const describeSchema = async (source: DataSource) => {
  const rows = await source.query<{ kind: string; name: string; text: string }[]>(`
    select 'column' as kind, attrelid::regclass || '.' || attname as name,
      concat_ws(' ', format_type(atttypid, atttypmod), attnotnull, attidentity, attcollation::regcollation) as text
    from pg_attribute where attrelid in ${OWN} and attnum > 0
    union all
    select 'default', adrelid::regclass || '.' || adnum, pg_get_expr(adbin, adrelid)
    from pg_attrdef where adrelid in ${OWN}
    union all
    select 'constraint', conname, pg_get_constraintdef(oid) from pg_constraint where conrelid in ${OWN}
    union all
    select 'index', indexrelid::regclass::text, pg_get_indexdef(indexrelid) from pg_index where indrelid in ${OWN}
    union all
    select 'trigger', tgname, pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
    union all
    select 'function', proname, pg_get_functiondef(oid)
    from pg_proc where pronamespace = 'public'::regnamespace and ${ours('pg_proc.oid')}
    union all
    select 'type', typname, typtype::text
    from pg_type where typnamespace = 'public'::regnamespace and typtype in ('e', 'd') and ${ours('pg_type.oid')}
    order by 1, 2`);
  return rows.map(({ kind, name, text }) => `${kind} ${name}: ${text}`);
};

describe('The migrations', () => {
  it('build everything, take all of it away again, and build the same once more', async () => {
    const own = await open((await workshop.database()).url);
    const queryRunner = own.dataSource.createQueryRunner();
    try {
      const built = await describeSchema(own.dataSource);
      for (const kind of ['column', 'default', 'constraint', 'index', 'trigger', 'function']) {
        expect(built.some((line) => line.startsWith(kind))).toBe(true);
      }
      for (const _ of own.dataSource.migrations) await own.dataSource.undoLastMigration({ transaction: 'all' });
      expect(await describeSchema(own.dataSource)).toEqual([]);
      expect(await own.dataSource.query('select * from migrations')).toEqual([]);

      expect(await migrate(own.dataSource, queryRunner)).toHaveLength(own.dataSource.migrations.length);
      expect(await describeSchema(own.dataSource)).toEqual(built);
      expect(await migrate(own.dataSource, queryRunner)).toEqual([]);
    } finally {
      await queryRunner.release();
      await own.close();
    }
  });

  it("leave nothing for TypeORM's schema builder to change", async () => {
    process.env.DATABASE_URL = new Sql(dataSource).url; // before the module is loaded, which reads it
    const { default: own } = await import('../../ormconfig.js');
    await own.initialize();
    try {
      const mapped = own.entityMetadatas.map(({ tableName }) => tableName);
      const tables = await sql<{ name: string }>(`select relname as name from pg_class where oid in ${OWN}`);
      expect(mapped.toSorted()).toEqual(tables.map(({ name }) => name).toSorted());
      const { upQueries, downQueries } = await own.driver.createSchemaBuilder().log();
      expect([upQueries, downQueries]).toEqual([[], []]);
    } finally {
      delete process.env.DATABASE_URL;
      await own.destroy();
    }
  });

  it('are all there is: nothing is synchronised, dropped or run by TypeORM on its own', () => {
    const { synchronize, dropSchema = false, migrationsRun = false } = dataSource.options;
    expect({ synchronize, dropSchema, migrationsRun }).toEqual({
      synchronize: false,
      dropSchema: false,
      migrationsRun: false,
    });
  });

  it('can run many times at once', async () => {
    const { url } = await workshop.database();
    const instances = await Promise.all(Array.from({ length: 4 }, () => open(url)));
    const [{ count }] = await instances[0]!.dataSource.query('select count(*) from migrations');
    expect(count).toBe(dataSource.migrations.length);
    await Promise.all(instances.map((instance) => instance.close()));
  });
});

interface Constraint {
  name: string;
  type: 'c' | 'f' | 'p' | 'u';
  table: string;
  columns: string[];
  target: string | null;
  target_columns: string[] | null;
}

/** The constraints of the schema; those on `not null` columns, which have no names to speak of, aside. */
const constraints = () =>
  sql<Constraint>(`
    select conname as name, contype as type, conrelid::regclass::text as table,
      (select array_agg(attname::text order by at) from unnest(conkey) with ordinality as k (attnum, at)
        join pg_attribute a using (attnum) where a.attrelid = conrelid) as columns,
      nullif(confrelid, 0)::regclass::text as target,
      (select array_agg(attname::text order by at) from unnest(confkey) with ordinality as k (attnum, at)
        join pg_attribute a using (attnum) where a.attrelid = confrelid) as target_columns
    from pg_constraint where conrelid in ${OWN} and contype <> 'n'`);

/** The indexes that no constraint made. */
const indexes = () =>
  sql<{ name: string; table: string; unique: boolean; first: string; columns: string[] }>(`
    select indexrelid::regclass::text as name, indrelid::regclass::text as table, indisunique as unique,
      pg_get_indexdef(indexrelid, 1, true) as first,
      (select array_agg(attname::text) from pg_attribute where attrelid = indrelid and attnum > 0) as columns
    from pg_index i where indrelid in ${OWN} and not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u'))`);

describe('The keys', () => {
  const ofUsers = ['api_tokens', 'deletions', 'idempotency_keys', 'spaces', 'tags', 'win_tags', 'wins'];

  it("of every user's table begin with user_id", async () => {
    const tables = await sql<{ name: string }>(
      `select attrelid::regclass::text as name from pg_attribute where attrelid in ${OWN} and attname = 'user_id' order by 1`,
    );
    expect(tables.map(({ name }) => name)).toEqual(ofUsers);
    const keys = (await constraints()).filter(({ type, table }) => type === 'p' && ofUsers.includes(table));
    expect(keys.map(({ table }) => table).toSorted()).toEqual(ofUsers);
    for (const { columns } of keys) expect(columns[0]).toBe('user_id');
  });

  it("of one user's table that refer to another carry user_id to user_id", async () => {
    const keys = (await constraints()).filter(({ type, table }) => type === 'f' && ofUsers.includes(table));
    expect(keys.length).toBeGreaterThanOrEqual(ofUsers.length);
    for (const { name, columns, target, target_columns } of keys) {
      const carried = { name, from: columns[0], to: target_columns![0] };
      expect(carried).toEqual({ name, from: 'user_id', to: target === 'users' ? 'id' : 'user_id' });
    }
  });

  it("make every unique index local to one user, but for the users' own emails", async () => {
    const unique = (await indexes()).filter((index) => index.unique);
    expect(unique.map(({ name, first }) => [name, first])).toEqual(
      expect.arrayContaining([
        ['uq_tags_name', 'user_id'],
        ['uq_users_email', 'lower(email)'],
      ]),
    );
    for (const { name, first } of unique) if (name !== 'uq_users_email') expect(first).toBe('user_id');
  });

  it('and checks and indexes are named by hand, by one rule', async () => {
    const prefixes = { p: 'pk', f: 'fk', u: 'uq', c: 'ck' };
    const named = [
      ...(await constraints()).map((one) => ({ ...one, prefix: prefixes[one.type] })),
      ...(await indexes()).map((one) => ({ ...one, prefix: one.unique ? 'uq' : 'idx' })),
    ];
    expect(named.length).toBeGreaterThan(30);
    for (const { name, table, columns, prefix } of named) {
      const allowed = prefix === 'pk' ? [`pk_${table}`] : columns.map((column) => `${prefix}_${table}_${column}`);
      expect(allowed).toContain(name);
    }
  });

  it.each([
    ['fk_wins_space_id', (a: World, b: World) => a.win(b.space)],
    ['fk_win_tags_tag_id', async (a: World, b: World) => a.tagWin(await a.win(a.space), b.tag)],
    ['fk_win_tags_win_id', async (a: World, b: World) => a.tagWin(await b.win(b.space), a.tag)],
    ['fk_wins_space_id', async (a: World, b: World) => a.move(await a.win(a.space), b.space)],
    ['fk_win_tags_win_id', async (a: World, b: World) => a.give(await a.win(a.space, [a.tag]), b)],
  ])("let no row refer to another user's row (%s)", async (constraint, write) => {
    const [ann, bob] = [await World.make(), await World.make()];
    await expect(write(ann, bob)).rejects.toMatchObject({ driverError: { constraint } });
    await expectExactCounts();
  });
});

describe('The refusals of the database', () => {
  /** What no request can cause, and why. */
  const UNREACHABLE = {
    ck_plans_max_spaces: 'plans are written by migrations',
    ck_api_tokens_digest: 'a SHA-256 has 32 bytes',
    ck_api_tokens_scope: 'the scope is one of a list',
    ck_spaces_wins_count: 'triggers count',
    ck_tags_wins_count: 'triggers count',
    ck_users_tags_count: 'triggers count',
    uq_wins_occurred_on: 'it contains the primary key, whose ids the database makes',
    ck_deletions_kind: 'triggers write it',
    fk_deletions_user_id: "the user's row is locked first",
    ck_idempotency_keys_key: 'keys are checked before',
    fk_win_tags_win_id: 'a win is locked, or new, while its tags are written',
    fk_win_tags_tag_id: "whoever links or deletes a tag has locked the user's row first",
  };

  it('are each translated for clients, or can not be caused by them', async () => {
    const raised = await sql<{ name: string }>(`
      select (regexp_matches(prosrc, 'constraint = ''(\\w+)''', 'g'))[1] as name
      from pg_proc where pronamespace = 'public'::regnamespace and prolang <> (select oid from pg_language where lanname = 'c')`);
    const names = [
      ...(await constraints()).filter(({ type }) => type !== 'p'),
      ...(await indexes()).filter(({ unique }) => unique),
      ...raised,
    ].map(({ name }) => name);
    expect(names).toContain('ck_spaces_plan_limit');
    expect([...Object.keys(ALL_REFUSALS), ...Object.keys(UNREACHABLE)].toSorted()).toEqual(names.toSorted());
  });

  it('come at the lengths that requests are checked for', async () => {
    const { id } = await World.make();
    const tag = (name: string) => sql('insert into tags (user_id, name) values ($1, $2)', [id, name]);
    const space = (name: string) => sql('insert into spaces (user_id, name) values ($1, $2)', [id, name]);
    const token = (name: string) =>
      sql(
        `insert into api_tokens (user_id, digest, name, scope) values ($1, decode(repeat('00', 32), 'hex'), $2, 'read')`,
        [id, name],
      );
    const win = (body: string) =>
      sql(
        `insert into wins (user_id, space_id, body, occurred_on)
         select user_id, id, $2, now() from spaces where user_id = $1 limit 1`,
        [id, body],
      );
    for (const [write, limit, constraint] of [
      [tag, MAX_TAG_NAME, 'ck_tags_name'],
      [space, MAX_SPACE_NAME, 'ck_spaces_name'],
      [token, MAX_TOKEN_NAME, 'ck_api_tokens_name'],
      [win, MAX_BODY, 'ck_wins_body'],
    ] as const) {
      for (const character of ['x', '🚀']) {
        await write(character.repeat(limit));
        for (const wrong of [character.repeat(limit + 1), '']) {
          await expect(write(wrong)).rejects.toMatchObject({ driverError: { constraint } });
        }
      }
    }
    expect([MAX_TAG_NAME, MAX_SPACE_NAME, MAX_BODY]).toEqual([30, 100, 10_000]);
  });
});

const [{ version }] = await serverVersion();

async function serverVersion(): Promise<[{ version: number }]> {
  const probe = await open(process.env.TEST_DATABASE_URL!);
  try {
    return await probe.dataSource.query(`select current_setting('server_version_num')::int as version`);
  } finally {
    await probe.close();
  }
}

/** What a folding by PostgreSQL 18 itself would be. */
const casefold = (text: string) => `normalize(casefold(normalize(${text}) collate pg_unicode_fast))`;

const fold = async (text: string) =>
  (await sql<{ folded: string }>('select fold_case($1) as folded', [text]))[0]!.folded;

describe('fold_case()', () => {
  it.each([
    ['Launch', 'lAUNCH'],
    ['caf\u00e9', 'CAFE\u0301'],
    ['Straße', 'STRASSE'],
    ['ὈΔΥΣΣΕΎΣ', 'ὀδυσσεύς'],
    ['\ufb03', 'FFI'],
    ['\u1e9e', 'ss'],
    ['\u0345', '\u03b9'],
    ['Ç', 'c\u0327'],
    ['ÇA,', 'ça,'],
  ])('folds %j and %j alike', async (one, other) => {
    expect(await fold(one)).toBe(await fold(other));
  });

  it.each([
    ['ı', 'i'],
    ['İ', 'i'],
    ['e', 'é'],
    ['s', 'z'],
    ['１', '1'],
  ])('keeps %j and %j apart', async (one, other) => {
    expect(await fold(one)).not.toBe(await fold(other));
  });

  if (version >= 180_000) {
    it("agrees with PostgreSQL's own casefold() over all code points", async () => {
      // Two foldings tell the same apart if each, applied to what the other made, makes what it makes of the original.
      // Runs of code points are compared first, with commas between them so that each is on its own.
      // Letters younger than the server's ICU stay as they are: it knows no capitals of them.
      const differ = `(fold_case(theirs) <> ours or ${casefold('ours')} <> theirs)`;
      const differing = await sql<{ hex: string }>(`
        with
          runs as materialized (
            select first, (select string_agg(chr(n), ',') from generate_series(first, first + 255) n
              where n > 0 and n not between 55296 and 57343) as text
            from generate_series(0, 1114111, 256) first),
          folded_runs as materialized (select first, fold_case(text) as ours, ${casefold('text')} as theirs from runs),
          points as materialized (
            select n, chr(n) as c
            from folded_runs, generate_series(greatest(first, 1), first + 255) n where ${differ}),
          folded as materialized (select n, c, fold_case(c) as ours, ${casefold('c')} as theirs from points)
        select to_hex(n) as hex from folded
        where ${differ} and (c !~ '[[:graph:]]' collate pg_unicode_fast or c ~ '[[:graph:]]' collate "und-x-icu")
        order by n`);
      // The dotless i stands behind the control character 1, which no name may contain.
      expect(differing.map(({ hex }) => hex)).toEqual(['131']);
    });
  } else {
    console.info(`PostgreSQL ${version} has no casefold() to compare fold_case() with; that needs 18.`);
  }
});

/** A user with two spaces and two tags, and ways to write wins by SQL. */
class World {
  static async make(source = dataSource): Promise<World> {
    const [{ id }] = await source.query(`insert into users (email, plan) values ($1, 'pro') returning id`, [
      `${randomUUID()}@example.com`,
    ]);
    const ids = async (query: string, count: number): Promise<[number, number, ...number[]]> =>
      (await source.query(query, [id, count])).map((row: { id: number }) => row.id);
    const spaces = `insert into spaces (user_id, name) select $1, 'Space ' || n from generate_series(1, $2) n returning id`;
    const tags = `insert into tags (user_id, name) select $1, 'Tag ' || n from generate_series(1, $2) n returning id`;
    return new World(source, id, await ids(spaces, 4), await ids(tags, 6));
  }

  private constructor(
    private readonly source: DataSource,
    readonly id: number,
    readonly spaces: [number, number, ...number[]],
    readonly tags: [number, number, ...number[]],
  ) {}

  get space(): number {
    return this.spaces[0];
  }
  get other(): number {
    return this.spaces[1];
  }
  get tag(): number {
    return this.tags[0];
  }

  /** @returns the id of a new win that carries the tags */
  async win(space: number, tags: number[] = [], runner?: QueryRunner): Promise<number> {
    const [{ id }] = await this.source.query(
      `insert into wins (user_id, space_id, body, occurred_on) values ($1, $2, 'x', '2026-01-31') returning id`,
      [this.id, space],
      runner,
    );
    if (tags.length > 0) await this.tagWin(id, tags, runner);
    return id;
  }

  tagWin(win: number, tags: number | number[], runner?: QueryRunner): Promise<unknown> {
    return this.source.query(
      `insert into win_tags (user_id, win_id, tag_id, occurred_on)
       select $1, $2, tag_id, '2026-01-31' from unnest($3::bigint[]) tag_id`,
      [this.id, win, [tags].flat()],
      runner,
    );
  }

  move(win: number, space: number): Promise<unknown> {
    return this.run('update wins set space_id = $3 where user_id = $1 and id = $2', win, space);
  }

  give(win: number, { id }: World): Promise<unknown> {
    return this.run('update win_tags set user_id = $3 where user_id = $1 and win_id = $2', win, id);
  }

  /** Runs a statement whose first parameter is this user's id. */
  run(query: string, ...parameters: unknown[]): Promise<unknown> {
    return this.source.query(query, [this.id, ...parameters]);
  }

  /** The stored counts, spaces and tags in the order they were made. */
  async counts(): Promise<{ spaces: number[]; tags: number[] }> {
    const of = async (table: string) =>
      (await this.source.query(`select wins_count from ${table} where user_id = $1 order by id`, [this.id])).map(
        (row: { wins_count: number }) => row.wins_count,
      );
    return { spaces: await of('spaces'), tags: await of('tags') };
  }
}

/** Holds every stored count in the database against the rows. */
async function expectExactCounts(source = dataSource): Promise<void> {
  const wrong = await source.query(`
    select 'space' as what, id, wins_count from spaces s
    where wins_count <> (select count(*) from wins w where (w.user_id, w.space_id) = (s.user_id, s.id))
    union all
    select 'tag', id, wins_count from tags t
    where wins_count <> (select count(*) from win_tags l where (l.user_id, l.tag_id) = (t.user_id, t.id))`);
  expect(wrong).toEqual([]);
}

async function expectUntouched(bob: World): Promise<void> {
  expect(await bob.counts()).toEqual({ spaces: [1, 0, 0, 0], tags: [1, 0, 0, 0, 0, 0] });
}

describe('wins_count', () => {
  let ann: World;
  let bob: World;

  beforeEach(async () => {
    [ann, bob] = [await World.make(), await World.make()];
    await bob.win(bob.space, [bob.tag]);
  });
  afterEach(async () => {
    await expectExactCounts();
    await expectUntouched(bob);
  });

  it('follows inserts of one row and of many', async () => {
    await ann.win(ann.space);
    await ann.win(ann.other, ann.tags);
    await ann.run(
      `insert into wins (user_id, space_id, body, occurred_on)
       select $1, case when n % 3 = 0 then $2::bigint else $3 end, 'x', now() from generate_series(1, 9) n`,
      ann.space,
      ann.other,
    );
    expect(await ann.counts()).toEqual({ spaces: [4, 7, 0, 0], tags: [1, 1, 1, 1, 1, 1] });
  });

  it('follows an insert of a win and its tags in one statement', async () => {
    await ann.run(
      `with new as (insert into wins (user_id, space_id, body, occurred_on) values ($1, $2, 'x', now()) returning *)
       insert into win_tags (user_id, win_id, tag_id, occurred_on) select user_id, id, $3, occurred_on from new`,
      ann.space,
      ann.tag,
    );
    expect(await ann.counts()).toMatchObject({ spaces: [1, 0, 0, 0], tags: [1, 0, 0, 0, 0, 0] });
  });

  it('counts nothing for a statement that writes nothing, or was refused', async () => {
    await ann.run('delete from wins where user_id = $1');
    await ann.run(`update wins set body = 'y' where user_id = $1`);
    await expect(
      ann.run(
        `insert into wins (user_id, space_id, body, occurred_on)
         select $1, $2, case when n = 3 then '' else 'x' end, now() from generate_series(1, 3) n`,
        ann.space,
      ),
    ).rejects.toMatchObject({ driverError: { constraint: 'ck_wins_body' } });
    expect(await ann.counts()).toEqual({ spaces: [0, 0, 0, 0], tags: [0, 0, 0, 0, 0, 0] });
  });

  it('counts a win that was inserted twice, the second time in vain, once', async () => {
    const win = await ann.win(ann.space, [ann.tag]);
    await ann.run(
      `insert into win_tags (user_id, win_id, tag_id, occurred_on)
       select $1, $2, unnest($3::bigint[]), '2026-01-31' on conflict do nothing`,
      win,
      ann.tags,
    );
    expect(await ann.counts()).toEqual({ spaces: [1, 0, 0, 0], tags: [1, 1, 1, 1, 1, 1] });
  });

  it('follows moves of one win, of many and in both directions at once', async () => {
    const wins = [await ann.win(ann.space), await ann.win(ann.space), await ann.win(ann.space)];
    await ann.move(wins[0]!, ann.other);
    expect((await ann.counts()).spaces).toEqual([2, 1, 0, 0]);
    await ann.run(
      'update wins set space_id = case space_id when $2 then $3::bigint else $2 end where user_id = $1',
      ann.space,
      ann.other,
    );
    expect((await ann.counts()).spaces).toEqual([1, 2, 0, 0]);
    await ann.run('update wins set space_id = $2 where user_id = $1', ann.spaces[3]);
    expect((await ann.counts()).spaces).toEqual([0, 0, 0, 3]);
  });

  it('stays as it is when a win changes in any other way, its date among them', async () => {
    const win = await ann.win(ann.space, [ann.tag]);
    await ann.run(`update wins set body = 'y', occurred_on = '2020-02-29' where user_id = $1`);
    expect(await ann.counts()).toEqual({ spaces: [1, 0, 0, 0], tags: [1, 0, 0, 0, 0, 0] });
    const links = await sql('select occurred_on::text from win_tags where user_id = $1 and win_id = $2', [ann.id, win]);
    expect(links).toEqual([{ occurred_on: '2020-02-29' }]);
  });

  it('follows deletes of wins, of one and of many, with their tags', async () => {
    const win = await ann.win(ann.space, ann.tags);
    for (const space of ann.spaces) await ann.win(space, [ann.tag]);
    await ann.run('delete from wins where user_id = $1 and id = $2', win);
    expect(await ann.counts()).toEqual({ spaces: [1, 1, 1, 1], tags: [4, 0, 0, 0, 0, 0] });
    await ann.run('delete from wins where user_id = $1');
    expect(await ann.counts()).toEqual({ spaces: [0, 0, 0, 0], tags: [0, 0, 0, 0, 0, 0] });
  });

  it('follows tags that are put on, exchanged and taken off', async () => {
    const win = await ann.win(ann.space, ann.tags.slice(0, 3));
    await ann.run('update win_tags set tag_id = $2 where user_id = $1 and tag_id = $3', ann.tags[5], ann.tag);
    expect((await ann.counts()).tags).toEqual([0, 1, 1, 0, 0, 1]);
    await ann.run('delete from win_tags where user_id = $1 and win_id = $2', win);
    expect(await ann.counts()).toEqual({ spaces: [1, 0, 0, 0], tags: [0, 0, 0, 0, 0, 0] });
  });

  it('follows the delete of a tag, which leaves its wins', async () => {
    await ann.win(ann.space, ann.tags);
    await ann.run('delete from tags where user_id = $1 and id = $2', ann.tag);
    expect(await ann.counts()).toEqual({ spaces: [1, 0, 0, 0], tags: [1, 1, 1, 1, 1] });
  });

  it('follows the delete of a space, which takes its wins along', async () => {
    for (const space of [ann.space, ann.space, ann.other]) await ann.win(space, ann.tags);
    await ann.run('delete from spaces where user_id = $1 and id = $2', ann.space);
    expect(await ann.counts()).toEqual({ spaces: [1, 0, 0], tags: [1, 1, 1, 1, 1, 1] });
  });

  it('goes with the user, who takes everything along', async () => {
    await ann.win(ann.space, ann.tags);
    await sql('delete from users where id = $1', [ann.id]);
    for (const table of ['api_tokens', 'spaces', 'tags', 'wins', 'win_tags']) {
      expect(await sql(`select from ${table} where user_id = $1`, [ann.id])).toEqual([]);
    }
  });

  it('is taken back with the transaction', async () => {
    const runner = dataSource.createQueryRunner();
    await runner.startTransaction();
    await ann.win(ann.space, ann.tags, runner);
    await runner.rollbackTransaction();
    await runner.release();
    expect(await ann.counts()).toEqual({ spaces: [0, 0, 0, 0], tags: [0, 0, 0, 0, 0, 0] });
  });

  it('never becomes negative', async () => {
    for (const table of ['spaces', 'tags']) {
      await expect(ann.run(`update ${table} set wins_count = -1 where user_id = $1`)).rejects.toMatchObject({
        driverError: { constraint: `ck_${table}_wins_count` },
      });
    }
  });

  it('is zero after TRUNCATE', async () => {
    const own = await open((await workshop.database()).url);
    try {
      for (const truncate of ['truncate win_tags', 'truncate wins cascade']) {
        const carl = await World.make(own.dataSource);
        await carl.win(carl.space, carl.tags);
        await own.dataSource.query(truncate);
        const spaces = [truncate === 'truncate win_tags' ? 1 : 0, 0, 0, 0];
        expect(await carl.counts()).toEqual({ spaces, tags: [0, 0, 0, 0, 0, 0] });
        await expectExactCounts(own.dataSource);
      }
    } finally {
      await own.close();
    }
  });
});

/** Does something sixteen times at once, and waits for all of them whatever becomes of one. */
async function sixteen(action: () => Promise<unknown>): Promise<void> {
  const endings = await Promise.allSettled(Array.from({ length: 16 }, action));
  expect(endings.filter(({ status }) => status === 'rejected')).toEqual([]);
}

describe('Sixteen writers at once', () => {
  type Write = (run: (query: string, ...parameters: unknown[]) => Promise<{ id: number }[]>) => Promise<unknown>;

  const SOME_WIN = '(select id from wins where user_id = $1 order by random() limit 1)';
  const TAG = `insert into win_tags (user_id, win_id, tag_id, occurred_on)
    select $1, $2, id, '2026-01-31' from tags where user_id = $1 and random() < 0.5`;

  /** What a writer of wins does: a transaction for each win. */
  const writes: Record<string, Write> = {
    insert: async (run) => {
      const [win] = await run(`
        insert into wins (user_id, space_id, body, occurred_on)
        select user_id, id, 'x', '2026-01-31' from spaces where user_id = $1 order by random() limit 1 returning id`);
      await run(TAG, win!.id);
    },
    move: (run) =>
      run(`update wins set space_id = (select id from spaces where user_id = $1 order by random() limit 1)
        where user_id = $1 and id = ${SOME_WIN}`),
    retag: async (run) => {
      const [win] = await run(`select id from wins where user_id = $1 and id = ${SOME_WIN} for update`);
      if (win === undefined) return;
      await run('delete from win_tags where user_id = $1 and win_id = $2', win.id);
      await run(TAG, win.id);
    },
    delete: (run) => run(`delete from wins where user_id = $1 and id = ${SOME_WIN}`),
  };

  /** What locks the user's row first, since it takes away what others are about to refer to. */
  const removals: Record<string, Write> = {
    tag: async (run) => {
      await run('delete from tags where (user_id, id) in (select user_id, id from tags where user_id = $1 limit 1)');
      await run('insert into tags (user_id, name) values ($1, gen_random_uuid()::text::varchar(30))');
    },
    space: async (run) => {
      await run(
        'delete from spaces where (user_id, id) in (select user_id, id from spaces where user_id = $1 limit 1)',
      );
      await run(`insert into spaces (user_id, name) values ($1, 'New')`);
    },
  };

  async function write(world: World, kinds: Write[], firstOfAll?: string): Promise<void> {
    const runner = dataSource.createQueryRunner();
    const run = async (query: string, ...parameters: unknown[]) =>
      (await runner.query(query, [world.id, ...parameters], true)).records ?? [];
    try {
      for (let n = 0; n < 15; n++) {
        await runner.startTransaction();
        if (firstOfAll !== undefined) await run(firstOfAll);
        await kinds[Math.floor(Math.random() * kinds.length)]!(run);
        await runner.commitTransaction();
      }
    } finally {
      if (runner.isTransactionActive) await runner.rollbackTransaction();
      await runner.release();
    }
  }

  const { insert, ...others } = writes;

  it('who lock nothing on their own never meet in a deadlock, and leave exact counts', async () => {
    const ann = await World.make();
    const kinds = [insert!, insert!, insert!, ...Object.values(others)];
    await sixteen(() => write(ann, kinds));
    await expectExactCounts();
    expect((await ann.counts()).spaces.reduce((sum, count) => sum + count)).toBeGreaterThan(0);
  });

  it('who delete tags and spaces too, and so lock the user first, do not either', async () => {
    const ann = await World.make();
    const kinds = [insert!, insert!, insert!, ...Object.values(others), ...Object.values(removals)];
    const lock = 'select from users where id = $1 for no key update';
    await sixteen(() => write(ann, kinds, lock));
    await expectExactCounts();
  });

  it('for many users in one statement each do not either', async () => {
    const worlds = await Promise.all(Array.from({ length: 6 }, () => World.make()));
    const insertForAll = `insert into wins (user_id, space_id, body, occurred_on)
      select user_id, id, 'x', '2026-01-31' from spaces where user_id = any ($1) order by random()`;
    const ids = worlds.map(({ id }) => id);
    await sixteen(() => sql(insertForAll, [ids]));
    await expectExactCounts();
    for (const world of worlds) expect((await world.counts()).spaces).toEqual([16, 16, 16, 16]);
  });
});

describe('DELETE /api/v1/tags/:id', () => {
  it('keeps the wins of the tag, with their other tags', async () => {
    const app = await startApp();
    try {
      const person = await app.make.person();
      const api = app.as(person);
      const { body: space } = await api.post<{ id: number }>('/api/v1/spaces', { space: { name: 'Work' } });
      const [gone, kept] = await Promise.all(
        ['Gone', 'Kept'].map(
          async (name) => (await api.post<{ id: number }>('/api/v1/tags', { tag: { name } })).body.id,
        ),
      );
      const wins = await app.make.wins(person, space.id, { count: 3, tagIds: [gone!, kept!] });

      expect((await api.delete(`/api/v1/tags/${gone}`)).status).toBe(204);
      expect((await api.get(`/api/v1/tags/${kept}`)).body).toMatchObject({ wins_count: 3 });
      expect((await api.get(`/api/v1/spaces/${space.id}`)).body).toMatchObject({ wins_count: 3 });
      const rows = await app.dataSource.query('select id from wins where user_id = $1 order by id', [person.id]);
      expect(rows).toEqual(wins.map((id) => ({ id })));
    } finally {
      await app.close();
    }
  });
});

const expectNow = (time: string) => {
  expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(Math.abs(Date.parse(time) - Date.now())).toBeLessThan(2_000);
};
describe('Times', () => {
  it('are right, and in UTC, where process and database live in New York', async () => {
    const { url, query } = await workshop.database({ timezone: 'America/New_York' });
    const own = await open(url);
    try {
      expect(await query('show timezone')).toEqual([{ TimeZone: 'America/New_York' }]);
      const { id, token } = await new Factory(own.dataSource).person();
      const server = await workshop.serve({ DATABASE_URL: url, TZ: 'America/New_York', LOG_LEVEL: 'silent' });
      const { body: tag } = await server.call('POST', '/api/v1/tags', { token, json: { tag: { name: 'x' } } });
      const { body: space } = await server.call('POST', '/api/v1/spaces', { token, json: { space: { name: 'x' } } });
      for (const time of [tag.created_at, space.created_at, space.updated_at]) expectNow(time);
      expect((await server.call('GET', `/api/v1/tags/${tag.id}`, { token })).body).toEqual(tag);
      expect((await server.call('GET', '/api/v1/spaces', { token })).body).toEqual([space]);

      const { body: renamed } = await server.call('PATCH', `/api/v1/spaces/${space.id}`, {
        token,
        json: {
          space: { name: 'y' },
        },
      });
      expectNow(renamed.updated_at);
      expect(renamed.created_at).toBe(space.created_at);
      expect(renamed.updated_at > space.updated_at).toBe(true);

      const expires_at = '2100-07-01T12:00:00.000Z';
      const made = await server.call('POST', '/api/v1/tokens', { token, json: { token: { name: 'x', expires_at } } });
      expect(made.body).toMatchObject({ expires_at });
      const soon = await new Factory(own.dataSource).token(id, { expiresAt: new Date(Date.now() + 60_000) });
      expect((await server.call('GET', '/api/v1/me', { token: soon })).status).toBe(200);
      const past = await new Factory(own.dataSource).token(id, { expiresAt: new Date(Date.now() - 60_000) });
      expect((await server.call('GET', '/api/v1/me', { token: past })).status).toBe(401);
      await server.stop();
    } finally {
      await own.close();
    }
  });
});

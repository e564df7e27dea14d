import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { loadConfig } from '../../../src/config/config.js';
import { openDatabase } from '../../../src/database/database.js';
import { SCHEMA } from '../../../src/database/migrations/schema.js';
import { readSchema } from '../../../src/database/schema.js';
import { Workshop, type Ending } from '../../harness/processes.js';

const MIGRATIONS = 'src/database/migrations';

/** The files of released migrations, which nobody edits any more: databases out there were made by them. */
const RELEASED = {
  '1764000000000-initial.ts': '6566e81982e06e0616ba6569a1317bf99a159e9fe546231c0896ab15d920e19c',
  '1764500000000-limits.ts': '361827b4f71a4c533628ee86f324b9983c5f612467348da16da722f8dde1534d',
  '1765000000000-revisions.ts': '7afb1f55047dc3f8b3f11f1da59f625d66762c9f03b73a911acbcbc6490e0003',
  '1766000000000-statistics.ts': '586eff6497bdb6e1648fffafcc545e68fc816191f2fb0ed3fddbbcde5c8a4c8f',
  '1767000000000-moves.ts': '0fdc2524f14607b3ff2f5a65aa32118804b599338b414fecc48bb92ffd58e395',
  '1768000000000-cheaper-triggers.ts': 'cdf4659dcc2077a749cc6d4518b12fcf9711a1cfac67e126ea6daf1e05d9735d',
  '1769000000000-spread-triggers.ts': '14065dccdee52eecc2ea9832fce7e6859be8f73ff4242de84a204a61dbf5e729',
};

const workshop = new Workshop();
afterAll(() => workshop.clean());

describe('Released migrations', () => {
  it('are never edited', async () => {
    const files = (await readdir(MIGRATIONS)).filter((name) => name in RELEASED);
    const sums = files.map(async (name) => [
      name,
      createHash('sha256')
        .update(await readFile(`${MIGRATIONS}/${name}`))
        .digest('hex'),
    ]);
    expect(Object.fromEntries(await Promise.all(sums))).toEqual(RELEASED);
  });
});

describe('The description of the schema', () => {
  it('is what the migrations make: else run "npm run schema"', async () => {
    const { database } = await workshop.migrated();
    const runner = database.dataSource.createQueryRunner();
    const lines = await readSchema(database.dataSource, runner).finally(() => runner.release());
    await database.close();
    expect(SCHEMA.trim().split('\n')).toEqual(lines);
  });
});

const start = async (change: string, ...args: string[]): Promise<Ending> => {
  const { url, database } = await workshop.migrated();
  await database.dataSource.query(change);
  await database.close();
  const env = { DATABASE_URL: url, LOG_LEVEL: 'silent' };
  return args.length === 0 ? workshop.failToServe(env) : workshop.cli(env, ...args);
};

const refusal = (missing: string) =>
  `The database schema differs from what the migrations create. Missing, changed or disabled: ${missing}. ` +
  `Undo manual changes, restore a backup, or start with an empty database.\n`;

describe('A start on a schema that its migrations did not make', () => {
  it.each([
    ['drop index uq_tags_name', 'unique index uq_tags_name on tags (user_id, expression)'],
    ['drop index idx_wins_occurred_on', 'index idx_wins_occurred_on on wins (user_id, occurred_on, id)'],
    [
      'drop index idx_tags_name; create index idx_tags_name on tags (name)',
      'index idx_tags_name on tags (user_id, name)',
    ],
    ['drop trigger trg_wins_insert on wins', 'trigger trg_wins_insert on wins'],
    ['alter table tags disable trigger trg_tags_insert', 'trigger trg_tags_insert on tags'],
    ['alter table wins drop constraint ck_wins_body', 'constraint ck_wins_body on wins'],
    ['alter table spaces alter column name drop not null', 'column spaces.name text not null'],
    ['alter table plans alter column max_spaces type bigint', 'column plans.max_spaces integer'],
  ])('is refused in one line that names it: %s', async (change, missing) => {
    const { code, stderr } = await start(change);
    expect({ code, stderr }).toEqual({ code: 1, stderr: refusal(missing) });
  });

  it('is refused for a changed function, by "migration run" too', async () => {
    const change = `create or replace function touch_updated_at() returns trigger language plpgsql as 'begin return new; end'`;
    const { code, stderr } = await start(change, 'migration', 'run');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The database schema differs .* disabled: function touch_updated_at [0-9a-f]{32}\. .*\n$/);
  });

  it('names the first of many', async () => {
    const { stderr } = await start('drop table api_tokens cascade');
    expect(stderr).toMatch(/^The database schema .* column api_tokens\.\w+ .*, and \d+ more\. .*\n$/);
  });
});

describe('A start goes on', () => {
  it.each([
    [
      'an index, a column, a table and a function of the operator',
      `
      create index idx_theirs on wins (user_id, created_at);
      alter table wins add column theirs text;
      create table theirs (id int);
      create function theirs() returns int language sql return 1`,
    ],
    ['a limit that is lifted for a while', 'alter table users disable trigger trg_tags_limit'],
    [
      "a newer version's schema",
      `
      insert into migrations (timestamp, name) values (9999999999999, 'Newer9999999999999');
      alter table tags rename column name to title`,
    ],
  ])('with %s', async (_, change) => {
    const { url, database } = await workshop.migrated();
    await database.dataSource.query(change);
    await database.close();
    await (await openDatabase(loadConfig({ NODE_ENV: 'test', DATABASE_URL: url, MIGRATIONS: 'off' }))).close();
  });

  it('in a schema of another name', async () => {
    const { url, query } = await workshop.database();
    await query('create schema "my wins"');
    await query(
      `do $$ begin execute format('alter database %I set search_path = "my wins", public', current_database()); end $$`,
    );
    const database = await openDatabase(loadConfig({ NODE_ENV: 'test', DATABASE_URL: url }));
    expect(await database.dataSource.query(`select '"my wins".tags'::regclass::text as name`)).toEqual([
      { name: 'tags' },
    ]);
    await database.close();
  });
});

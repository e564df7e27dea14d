import { loadConfig } from '../../src/config/config.js';
import { openDatabase } from '../../src/database/database.js';
import { createDatabase, type FreshDatabase } from '../harness/fresh-database.js';

let database: FreshDatabase;

beforeAll(async () => {
  database = await createDatabase();
  await (await openDatabase(loadConfig({ NODE_ENV: 'test', DATABASE_URL: database.url }))).close();
});
afterAll(() => database.drop());

/** Definitions by name, as PostgreSQL writes them, on one line and without the schema's name. */
async function definitions(text: string): Promise<Record<string, string>> {
  const rows = await database.query<{ name: string; text: string }>(text);
  return Object.fromEntries(rows.map((row) => [row.name, row.text.replaceAll('public.', '').replace(/\s+/g, ' ')]));
}

const insertUser = (email: string) => database.query('insert into users (email) values ($1) returning 1', [email]);

/**
 * What the service relies on, name by name: the comparison with the entities misses what is dropped from both, and the
 * one of two migrations what both lack. A new object needs no line here to pass; a lost or changed one fails.
 */
describe('The schema has', () => {
  it('its indexes', async () => {
    const indexes = await definitions(
      `select indexname as name, indexdef as text from pg_indexes where schemaname = 'public'`,
    );
    expect(indexes).toMatchObject({
      uq_users_email: 'CREATE UNIQUE INDEX uq_users_email ON users USING btree (lower(email))',
      idx_api_tokens_digest: 'CREATE INDEX idx_api_tokens_digest ON api_tokens USING btree (digest)',
      idx_spaces_position: 'CREATE INDEX idx_spaces_position ON spaces USING btree (user_id, "position", id)',
      uq_tags_name: 'CREATE UNIQUE INDEX uq_tags_name ON tags USING btree (user_id, fold_case(name))',
      idx_tags_name: 'CREATE INDEX idx_tags_name ON tags USING btree (user_id, name)',
      idx_wins_occurred_on: 'CREATE INDEX idx_wins_occurred_on ON wins USING btree (user_id, occurred_on, id)',
      idx_wins_space_id: 'CREATE INDEX idx_wins_space_id ON wins USING btree (user_id, space_id, occurred_on, id)',
      idx_wins_folded_body: 'CREATE INDEX idx_wins_folded_body ON wins USING gin (user_id, folded_body gin_trgm_ops)',
      idx_win_tags_tag_id:
        'CREATE INDEX idx_win_tags_tag_id ON win_tags USING btree (user_id, tag_id, occurred_on, win_id)',
    });
  });

  it('its keys and checks', async () => {
    const constraints = await definitions(
      `select conname as name, pg_get_constraintdef(oid) as text from pg_constraint
       where connamespace = 'public'::regnamespace`,
    );
    const ofUser = 'FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE';
    expect(constraints).toMatchObject({
      pk_plans: 'PRIMARY KEY (name)',
      pk_users: 'PRIMARY KEY (id)',
      pk_api_tokens: 'PRIMARY KEY (user_id, id)',
      pk_spaces: 'PRIMARY KEY (user_id, id)',
      pk_tags: 'PRIMARY KEY (user_id, id)',
      pk_wins: 'PRIMARY KEY (user_id, id)',
      pk_win_tags: 'PRIMARY KEY (user_id, win_id, tag_id)',
      uq_wins_occurred_on: 'UNIQUE (user_id, id, occurred_on) INCLUDE (space_id)',
      fk_users_plan: 'FOREIGN KEY (plan) REFERENCES plans(name)',
      fk_api_tokens_user_id: ofUser,
      fk_spaces_user_id: ofUser,
      fk_tags_user_id: ofUser,
      fk_wins_user_id: ofUser,
      fk_wins_space_id: 'FOREIGN KEY (user_id, space_id) REFERENCES spaces(user_id, id) ON DELETE CASCADE',
      fk_win_tags_win_id:
        'FOREIGN KEY (user_id, win_id, occurred_on) REFERENCES wins(user_id, id, occurred_on) ON UPDATE CASCADE ON DELETE CASCADE',
      fk_win_tags_tag_id: 'FOREIGN KEY (user_id, tag_id) REFERENCES tags(user_id, id) ON DELETE CASCADE',
      ck_plans_max_spaces: 'CHECK ((max_spaces >= 0))',
      ck_spaces_wins_count: 'CHECK ((wins_count >= 0))',
      ck_tags_wins_count: 'CHECK ((wins_count >= 0))',
      ck_spaces_emoji: 'CHECK (((char_length(emoji) >= 1) AND (char_length(emoji) <= 32)))',
    });
  });

  it('its triggers, for each operation', async () => {
    const rows = await database.query<{ name: string; text: string }>(`
      select tgname as name, concat_ws(' ',
        case when tgtype & 2 > 0 then 'before' else 'after' end,
        case when tgtype & 4 > 0 then 'insert' end,
        case when tgtype & 16 > 0 then 'update' end,
        (select 'of ' || string_agg(attname, ',' order by attname) from unnest(tgattr) number
         join pg_attribute on attrelid = tgrelid and attnum = number having count(*) > 0),
        case when tgtype & 8 > 0 then 'delete' end,
        case when tgtype & 32 > 0 then 'truncate' end,
        'on', tgrelid::regclass,
        case when tgtype & 1 > 0 then 'row' else 'statement' end,
        case when tgenabled <> 'O' then 'off' end
      ) as text
      from pg_trigger where not tgisinternal`);
    expect(Object.fromEntries(rows.map(({ name, text }) => [name, text]))).toMatchObject({
      trg_api_tokens_notify: 'after update delete on api_tokens row',
      trg_api_tokens_notify_truncate: 'after truncate on api_tokens statement',
      trg_wins_insert: 'after insert on wins statement',
      trg_wins_update: 'after update on wins statement',
      trg_wins_delete: 'after delete on wins statement',
      trg_wins_truncate: 'after truncate on wins statement',
      trg_win_tags_insert: 'after insert on win_tags statement',
      trg_win_tags_update: 'after update on win_tags statement',
      trg_win_tags_delete: 'after delete on win_tags statement',
      trg_win_tags_truncate: 'after truncate on win_tags statement',
      trg_spaces_limit: expect.stringContaining('before insert'),
      trg_spaces_place: expect.stringContaining('before insert'),
      trg_tags_limit: expect.stringContaining('before update'),
      trg_api_tokens_limit: expect.stringContaining('before insert'),
      trg_wins_fold: 'before insert update of body,folded_body on wins row',
      trg_spaces_touch: 'before update of emoji,name,position on spaces row',
      trg_wins_touch: 'before update of body,occurred_on,space_id on wins row',
    });
  });

  it('its plans, extensions and the statistic that plans are made by', async () => {
    expect(await database.query('select name, max_spaces from plans order by name')).toEqual([
      { name: 'free', max_spaces: 3 },
      { name: 'pro', max_spaces: null },
    ]);
    const extensions = await database.query<{ extname: string }>('select extname from pg_extension');
    const names = extensions.map(({ extname }) => extname);
    for (const name of ['btree_gin', 'pg_trgm']) expect(names).toContain(name);
    expect(
      await database.query(
        `select attrelid::regclass::text as name, attoptions from pg_attribute
         where attoptions is not null and attname = 'user_id' order by 1`,
      ),
    ).toEqual([
      { name: 'tags', attoptions: ['n_distinct=-0.01'] },
      { name: 'win_tags', attoptions: ['n_distinct=-0.0001'] },
      { name: 'wins', attoptions: ['n_distinct=-0.0001'] },
    ]);
  });

  it('what a row is filled with that names nothing but what it must', async () => {
    const [user] = await database.query<{ id: string; plan: string }>(
      `insert into users (email) values ('ann@example.com') returning id, plan`,
    );
    expect(user!.plan).toBe('free');
    const spaces = await database.query(
      `insert into spaces (user_id, name) values ($1, 'a'), ($1, 'b')
       returning emoji, position, wins_count, created_at = updated_at and created_at = now()::timestamptz(3) as is_now`,
      [user!.id],
    );
    expect(spaces).toEqual([
      { emoji: null, position: 0, wins_count: 0, is_now: true },
      { emoji: null, position: 1, wins_count: 0, is_now: true },
    ]);
  });

  it('emails of up to 254 characters, each taken once in any case', async () => {
    const longest = `${'x'.repeat(242)}@example.com`;
    expect(longest).toHaveLength(254);
    await insertUser(longest);
    await insertUser('Bob@example.com');
    await expect(insertUser('bOB@example.com')).rejects.toMatchObject({ constraint: 'uq_users_email' });
    for (const wrong of [`x${longest}`, 'nobody', '@example.com', 'a b@example.com', 'a@b@example.com', '']) {
      await expect(insertUser(wrong)).rejects.toMatchObject({ constraint: 'ck_users_email' });
    }
  });
});

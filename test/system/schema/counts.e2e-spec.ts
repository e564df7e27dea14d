import { Pool } from 'pg';
import { LIMITS } from '../../../src/auth/limits.js';
import { startApp, type TestApp } from '../../harness/app.js';
import { createDatabase, type FreshDatabase } from '../../harness/fresh-database.js';

/** Users whose count of tags, spaces whose or tags whose count of wins is not that of the rows. */
const WRONG = `
  select 'user' as kind, id, tags_count as count from users
    where tags_count <> (select count(*) from tags where user_id = users.id)
  union all
  select 'space', id, wins_count from spaces s
    where wins_count <> (select count(*) from wins where user_id = s.user_id and space_id = s.id)
  union all
  select 'tag', id, wins_count from tags t
    where wins_count <> (select count(*) from win_tags where user_id = t.user_id and tag_id = t.id)`;

describe.each(['read committed', 'repeatable read', 'serializable'])('Where transactions are %s', (isolation) => {
  let database: FreshDatabase;
  let app: TestApp;
  /** Sessions outside the service, which sets the isolation of its own. */
  let outside: Pool;
  beforeAll(async () => {
    database = await createDatabase({ default_transaction_isolation: isolation });
    outside = new Pool({ connectionString: database.url, max: 16 });
    app = await startApp({ DATABASE_URL: database.url, DATABASE_POOL_SIZE: '16' });
  });
  afterAll(async () => {
    await app.close();
    await outside.end();
    await database.drop();
  });

  /** Statements of writers outside the service, all at once. @returns how many were done */
  const atOnce = async (count: number, text: string, values: unknown[]) => {
    const endings = await Promise.allSettled(
      Array.from({ length: count }, (_, n) => outside.query(text, [...values, n])),
    );
    return endings.filter(({ status }) => status === 'fulfilled').length;
  };
  const countOf = async (table: string, id: number): Promise<number> =>
    (await app.dataSource.query(`select count(*)::int as n from ${table} where user_id = $1`, [id]))[0].n;

  it('the plan never has a space too many, though 16 are created at once', async () => {
    for (let round = 0; round < 5; round++) {
      const ann = await app.make.person();
      await atOnce(16, `insert into spaces (user_id, name) values ($1, 'Space ' || $2::int)`, [ann.id]);
      expect(await countOf('spaces', ann.id)).toBeLessThanOrEqual(3);
      expect(await countOf('spaces', ann.id)).toBeGreaterThan(0);
    }
  });

  it('nobody has a token too many', async () => {
    const ann = await app.make.person();
    const insert = `insert into api_tokens (user_id, digest, name, scope)
      select $1, sha256(random()::text::bytea), 'Test', 'read' from generate_series(1, $2::int)`;
    await app.dataSource.query(insert, [ann.id, LIMITS.tokens - 3]);
    const one = insert.replace('$2::int', 'sign($2::int + 1)::int');
    await atOnce(16, one, [ann.id]);
    expect(await countOf('api_tokens', ann.id)).toBeLessThanOrEqual(LIMITS.tokens);
  });

  it('tags and wins are counted exactly, though 16 are written at once', async () => {
    const ann = await app.make.person();
    const tags = await atOnce(16, `insert into tags (user_id, name) values ($1, 'Tag ' || $2::int)`, [ann.id]);
    expect(await countOf('tags', ann.id)).toBe(tags);
    const [space] = await app.dataSource.query(
      `insert into spaces (user_id, name, position) values ($1, 'x', 1) returning id`,
      [ann.id],
    );
    await atOnce(
      16,
      `insert into wins (user_id, space_id, body, occurred_on) values ($1, $2, 'Win ' || $3::int, '2026-01-31')`,
      [ann.id, space.id],
    );
    await atOnce(16, 'delete from tags where user_id = $1 and id % 3 = $2::int % 3', [ann.id]);
    expect(await app.dataSource.query(WRONG)).toEqual([]);
  });

  it('the service still does all it is asked, and counts it', async () => {
    const ann = await app.make.person({ plan: 'pro' });
    const made = await Promise.all(
      Array.from({ length: 12 }, (_, n) => app.as(ann).post('/api/v1/tags', { tag: { name: `Tag ${n}` } })),
    );
    expect(made.filter(({ status }) => status === 201).length).toBeGreaterThan(0);
    for (const { status } of made) expect([201, 503]).toContain(status);
    expect(await app.dataSource.query(WRONG)).toEqual([]);
  });

  it('truncating counted rows leaves exact counts, or is refused', async () => {
    const ann = await app.make.person();
    await app.dataSource.query(`insert into tags (user_id, name) values ($1, 'x')`, [ann.id]);
    const truncate = outside.query('truncate tags cascade');
    if (isolation === 'read committed') await truncate;
    else await expect(truncate).rejects.toMatchObject({ code: '0A000' });
    expect(await app.dataSource.query(WRONG)).toEqual([]);
  });
});

/** The shortest of three times that a body takes to be written, in milliseconds. */
const cost = async (app: TestApp, body: string) => {
  const ann = await app.make.person();
  await app.dataSource.query(`insert into spaces (user_id, name) values ($1, 'x')`, [ann.id]);
  const times: number[] = [];
  for (let n = 0; n < 3; n++) {
    const start = performance.now();
    await app.dataSource
      .query(
        `insert into wins (user_id, space_id, body, occurred_on)
       select user_id, id, $2, '2026-01-31' from spaces where user_id = $1`,
        [ann.id, body],
      )
      .catch(() => undefined);
    times.push(performance.now() - start);
  }
  return Math.min(...times);
};

describe('By SQL', () => {
  let database: FreshDatabase;
  let app: TestApp;
  beforeAll(async () => {
    database = await createDatabase();
    app = await startApp({ DATABASE_URL: database.url });
  });
  afterAll(async () => {
    await app.close();
    await database.drop();
  });
  const sql = (text: string, values: unknown[] = []) => app.dataSource.query(text, values);

  it('a row that moves to another user is counted there', async () => {
    const [ann, bob] = [await app.make.person(), await app.make.person()];
    await sql(`insert into tags (user_id, name) select $1, 'Tag ' || n from generate_series(1, 5) n`, [ann.id]);
    await sql(`update tags set user_id = $2 where user_id = $1 and name <> 'Tag 1'`, [ann.id, bob.id]);
    const counts = await sql('select tags_count from users where id = any ($1) order by id', [[ann.id, bob.id]]);
    expect(counts).toEqual([{ tags_count: 1 }, { tags_count: 4 }]);
    expect(await sql(WRONG)).toEqual([]);
  });

  it.each([
    ['spaces', 'ck_spaces_plan_limit', `insert into spaces (user_id, name) select $1, 'x' from generate_series(1, 3)`],
    [
      'tags',
      'ck_tags_limit',
      `insert into tags (user_id, name) select $1, 'Tag ' || n from generate_series(1, ${LIMITS.tags}) n`,
    ],
    [
      'api_tokens',
      'ck_api_tokens_limit',
      `insert into api_tokens (user_id, digest, name, scope)
       select $1, sha256(random()::text::bytea), 'x', 'read' from generate_series(1, ${LIMITS.tokens - 1})`,
    ],
  ])('a row of %s that moves to another user counts against their limit', async (table, constraint, fill) => {
    const [ann, bob] = [await app.make.person(), await app.make.person()];
    await sql(fill, [bob.id]);
    const one = { spaces: `'x'`, tags: `'One'` };
    if (table !== 'api_tokens') {
      await sql(`insert into ${table} (user_id, name) values ($1, ${one[table as keyof typeof one]})`, [ann.id]);
    }
    const move = sql(`update ${table} set user_id = $2 where user_id = $1`, [ann.id, bob.id]);
    await expect(move).rejects.toMatchObject({ driverError: { constraint } });
    expect(await sql(WRONG)).toEqual([]);
  });

  it('counts that come with rows are made anew', async () => {
    const ann = await app.make.person();
    await sql(`insert into users (email, tags_count) values ('counted@example.com', 7)`);
    await sql(`insert into tags (user_id, name, wins_count) values ($1, 'x', 7)`, [ann.id]);
    await sql(`insert into spaces (user_id, name, wins_count) values ($1, 'x', 7)`, [ann.id]);
    expect(await sql(WRONG)).toEqual([]);
  });

  it('everything works with an empty search_path', async () => {
    const ann = await app.make.person();
    const runner = app.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query(`set local search_path = ''`);
    const [space] = await runner.query(`insert into public.spaces (user_id, name) values ($1, 'x') returning id`, [
      ann.id,
    ]);
    const [win] = await runner.query(
      `insert into public.wins (user_id, space_id, body, occurred_on) values ($1, $2, 'X', '2026-01-31')
       returning id, folded_body`,
      [ann.id, space.id],
    );
    const [tag] = await runner.query(`insert into public.tags (user_id, name) values ($1, 'x') returning id`, [ann.id]);
    await runner.query(
      `insert into public.win_tags (user_id, win_id, tag_id, occurred_on) values ($1, $2, $3, '2026-01-31')`,
      [ann.id, win.id, tag.id],
    );
    await runner.query(
      `insert into public.api_tokens (user_id, digest, name, scope) values ($1, sha256('x'), 'x', 'read')`,
      [ann.id],
    );
    await runner.query('update public.wins set body = $2 where user_id = $1', [ann.id, 'Y']);
    await runner.commitTransaction();
    await runner.release();
    expect(win.folded_body).toBe('x');
    expect(await sql(WRONG)).toEqual([]);
  });

  describe('a body', () => {
    const honest = 'Gro\u0308\u00dfe, cafe\u0301 '.repeat(770).slice(0, 9_999);

    it.each([
      ['alternating marks', '\u0315\u0316'.repeat(5_000)],
      ['many marks of a kind, then of another', `a${'\u0315'.repeat(5_000)}${'\u0316'.repeat(4_999)}`],
      ['marks beyond the basic plane', '\u{1D165}\u{1D16D}'.repeat(5_000)],
      ['marks of other scripts', '\u05b0\u05b1\u064b\u0e38\u0f71\u3099'.repeat(1_666)],
      ['far more than a body may have', '\u0315\u0316'.repeat(500_000)],
    ])('costs about as much with %s as without', async (_, body) => {
      expect(await cost(app, body)).toBeLessThan(20 * (await cost(app, honest)) + 50);
    });

    it.each([
      ['composed', 'Größe'],
      ['decomposed', 'Gro\u0308\u00dfe'],
      ['decomposed, with emoji, lines and symbols', `e\u0301 ${'🎉'.repeat(80)} ${'─'.repeat(80)} ${'='.repeat(80)}`],
      ['with as many marks as anyone needs', `Z${'\u0316\u0315'.repeat(15)}algo`],
      ['in Greek, decomposed', '\u039f\u0394\u03a5\u03a3\u03a3\u0395\u03a5\u0301\u03a3'],
      ['in Chinese, without spaces', '\u6771\u4eac\u7279\u8a31'.repeat(500)],
      ['in Hangul, decomposed', '\ud55c\uae00'.normalize('NFD').repeat(200)],
    ])('%s is folded as ever', async (_, body) => {
      const ann = await app.make.person();
      await sql(`insert into spaces (user_id, name) values ($1, 'x')`, [ann.id]);
      const [row] = await sql(
        `insert into wins (user_id, space_id, body, occurred_on)
         select user_id, id, $2, '2026-01-31' from spaces where user_id = $1
         returning folded_body = fold_case(body) as same`,
        [ann.id, body],
      );
      expect(row).toEqual({ same: true });
    });

    it('a name that is too long is refused before it is folded', async () => {
      const ann = await app.make.person();
      const insert = sql('insert into tags (user_id, name) values ($1, $2)', [ann.id, '\u0315\u0316'.repeat(500_000)]);
      await expect(insert).rejects.toMatchObject({ driverError: { constraint: 'ck_tags_name' } });
    });
  });
});

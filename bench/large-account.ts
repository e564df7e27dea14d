import type { Client } from 'pg';

/** How large the account is that everything is measured on. */
export const WINS = Number(process.env.BENCH_WINS ?? 1_000_000);

/** Tags by how many of the wins carry them. */
export const FREQUENT_TAG = 'Frequent 1';
export const RARE_TAG = 'Rare';
const RARE_WINS = 10;

/** Words by how many bodies have them: every one, or a few. */
export const COMMON_WORD = 'shipped';
export const RARE_WORD = 'zebra';

const CHUNK = 100_000;

/** Counts as the triggers would have left them. */
const COUNTS = `
  update spaces set wins_count = n
    from (select user_id, space_id, count(*) as n from wins group by 1, 2) c
    where spaces.user_id = c.user_id and id = space_id;
  update tags set wins_count = n
    from (select user_id, tag_id, count(*) as n from win_tags group by 1, 2) c
    where tags.user_id = c.user_id and id = tag_id`;

export interface Account {
  userId: number;
  spaceId: number;
}

/**
 * Makes the large account, a small one with as many tags and spaces but 10 wins, and a thousand ordinary ones, so that
 * statistics don't tell the planner that a user has a million wins. To load in minutes, foreign keys and triggers are
 * off and the search index is built at the end; so it takes a superuser's `client`.
 */
export async function load(client: Client): Promise<{ large: Account; small: Account }> {
  await client.query(
    `insert into users (email, plan) select 'user-' || n || '@example.com', 'pro' from generate_series(1, 1002) n`,
  );
  await client.query(`
    insert into spaces (user_id, name)
      select u.id, 'Space ' || n from users u, generate_series(1, case when u.id <= 2 then 20 else 5 end) n order by u.id, n;
    insert into tags (user_id, name)
      select u.id, name from users u, (
        select 'Frequent ' || n, n from generate_series(1, 3) n
        union all select 'Tag ' || n, 3 + n from generate_series(1, 50) n
        union all select 'Seldom ' || n, 53 + n from generate_series(1, 100) n
        union all select '${RARE_TAG}', 154) names (name, place)
      where u.id <= 2 or place between 4 and 13 order by u.id, place;
  `);
  const spaces = await client.query<{ id: number }>(
    'select min(id)::int as id from spaces where user_id <= 2 group by user_id order by user_id',
  );
  const [large, small] = spaces.rows.map(({ id }, index) => ({ userId: index + 1, spaceId: id }));
  const [index] = (
    await client.query<{ sql: string }>(`select pg_get_indexdef('idx_wins_folded_body'::regclass) as sql`)
  ).rows;
  await client.query(`
    set session_replication_role = replica;
    alter table wins enable always trigger trg_wins_fold;
    drop index idx_wins_folded_body`);
  for (let from = 1; from <= WINS; from += CHUNK) await fill(client, large!, from, Math.min(from + CHUNK - 1, WINS));
  await fill(client, small!, 1, 10);
  await client.query(`
    with made as (
      insert into wins (user_id, space_id, body, occurred_on)
      select user_id, id, 'Shipped number ' || n, date '2026-12-31' - n * 7
      from spaces, generate_series(1, 20) n where user_id > 2
      returning user_id, id, occurred_on
    )
    insert into win_tags (user_id, win_id, tag_id, occurred_on)
    select made.user_id, made.id, tags.id, made.occurred_on
    from made join tags on tags.user_id = made.user_id and (tags.id + made.id) % 4 = 0`);
  await client.query(`
    set session_replication_role = origin;
    alter table wins enable trigger trg_wins_fold;
    set maintenance_work_mem = '512MB';
    ${index!.sql};
    ${COUNTS}`);
  await client.query('vacuum analyze');
  return { large: large!, small: small! };
}

/** Wins of 12 to 24 words and three tags each, over ten years. */
async function fill(client: Client, { userId, spaceId }: Account, from: number, to: number): Promise<void> {
  await client.query(
    `with made as (
       insert into wins (user_id, space_id, body, occurred_on)
       select $1, $2,
         'Shipped ' || (
           select string_agg(word, ' ') from (
             select case when n % (${WINS} / ${RARE_WINS}) = 7 and w = 1 then '${RARE_WORD}'
               else substr(md5((hashint4(n * 31 + w) % 3000)::text), 1, 3 + w % 7) end as word
             from generate_series(1, 12 + n % 13) w) words),
         date '2026-12-31' - (hashint4(n)::bigint % 1825 + 1825)::int
       from generate_series($3::int, $4::int) n
       returning id, occurred_on
     ), numbered as (
       select id, occurred_on, row_number() over (order by id) + $3 - 1 as n from made
     ), known as (
       select array_agg(id order by id) as ids from tags where user_id = $1
     )
     insert into win_tags (user_id, win_id, tag_id, occurred_on)
     select $1, numbered.id, ids[place], occurred_on from numbered, known, unnest(array[
       1 + n % 3, 4 + n % 50, case when n % (${WINS} / ${RARE_WINS}) = 0 then 154 else 54 + n % 100 end]) place`,
    [userId, spaceId, from, to],
  );
}

import type { Client } from 'pg';
import { createToken, digestOf } from '../src/auth/token.js';

/** How much each user has. */
export interface Amounts {
  tags: number;
  spaces: number;
  wins: number;
  tagsPerWin: number;
}

/** A user whose requests are measured. */
export interface Person {
  userId: number;
  /** A token that may write, and one that may only read. */
  token: string;
  readToken: string;
  tags: { id: number; name: string }[];
  spaceIds: number[];
  /** Some of the wins. */
  winIds: number[];
}

const array = (texts: string[]) => `array[${texts.map((text) => `$$${text}$$`).join(', ')}]`;
const pick = (texts: string[], index: string) => `(${array(texts)})[1 + (${index})::bigint % ${texts.length}]`;

const TOPICS = (
  'Launch, Team, Équipe, Customer, Growth, Hiring, Mentoring, Design, Refactoring, Incident, Über-Release, Performance, ' +
  'Security, Sales, Fundraising, Writing, Health, Family, Learning, On-call, Documentation, Research, Savings, ' +
  'Ärger vermieden, zero bugs'
).split(', ');
const SPACES = 'Work, Side project, Personal, Volunteering, Studies'.split(', ');
const EMOJI = ['🚀', '🧪', '🏡', '🤝', '🎓'];
const BEGINNINGS =
  'Shipped, Finished, Presented, Untangled, Sped up, Wrote, Negotiated, Fixed, Automated, Planned, Reviewed, Led'.split(
    ', ',
  );
const SUBJECTS = (
  'the **new onboarding**, the quarterly report, the search page, our deploy pipeline, the data migration, ' +
  'the billing integration, a talk on testing, the mobile layout, the hiring loop, the incident review, ' +
  'the café partnership, the accessibility audit, a guide for newcomers, the import of old notes, the budget'
).split(', ');
const OUTCOMES = [
  'two days before the date we had promised.',
  'with the whole team in the room.',
  'and nobody noticed the switch.',
  'after three attempts that went nowhere.',
  'which saves about four hours every week.',
  'on the first try.',
  'and support tickets went down by a third.',
  'together with Zoë and Łukasz.',
  'although the scope kept moving.',
  'while on call.',
  'and wrote down what I would do differently next time.',
];
const DETAILS = [
  'What helped: small steps, a checklist, and asking early instead of guessing.',
  '- the numbers were checked twice\n- the rollback was rehearsed\n- everyone knew whom to call',
  'I had put this off since spring. It took an afternoon. Remember this the next time something feels too big to begin.',
  'Feedback: “This is the first time I understood the whole flow.” That made my week.',
];

const BODY = `
  ${pick(BEGINNINGS, 'n')} || ' ' || ${pick(SUBJECTS, 'n / 12')} || ' ' || ${pick(OUTCOMES, 'n * 7')} ||
  case when n % 3 = 0 then e'\\n\\n' || ${pick(DETAILS, 'n / 3')} else '' end`;

/**
 * Makes users with tags, spaces and wins, set by set: triggers and foreign keys are left out, and the counts they would
 * have kept are written at the end.
 *
 * @param prefix begins the emails @returns the first and the last id
 */
export async function seedUsers(
  client: Client,
  { prefix, count, plan }: { prefix: string; count: number; plan: string },
  { tags, spaces, wins, tagsPerWin }: Amounts,
): Promise<[number, number]> {
  await client.query('begin');
  await client.query('set local session_replication_role = replica');
  const users = await client.query<{ first: number; last: number }>(
    `with made as (
       insert into users (email, plan) select $1 || n || '@example.com', $2 from generate_series(1, $3::int) n returning id
     )
     select min(id)::int as first, max(id)::int as last from made`,
    [prefix, plan, count],
  );
  const { first, last } = users.rows[0]!;
  await client.query(
    `insert into tags (user_id, name)
     select u, ${pick(TOPICS, 'n')} || case when n < ${TOPICS.length} then '' else ' ' || 1 + n / ${TOPICS.length} end
     from generate_series($1::bigint, $2) u, generate_series(0, $3 - 1) n`,
    [first, last, tags],
  );
  await client.query(
    `insert into spaces (user_id, name, emoji, position)
     select u, ${pick(SPACES, 'n')}, ${pick(EMOJI, 'n')}, n
     from generate_series($1::bigint, $2) u, generate_series(0, $3 - 1) n`,
    [first, last, spaces],
  );
  await client.query(
    `insert into wins (user_id, space_id, body, folded_body, occurred_on)
     select user_id, ids[1 + n % cardinality(ids)], body, fold_case(body), date '2026-06-30' - (n % 1500)
     from (select user_id, array_agg(id order by id) from spaces where user_id between $1 and $2 group by 1) s (user_id, ids),
       (select n, ${BODY} as body from generate_series(1, $3::int) n) texts`,
    [first, last, wins],
  );
  await client.query(
    `insert into win_tags (user_id, win_id, tag_id, occurred_on)
     select w.user_id, w.id, ids[1 + (w.id + 31 * n) % cardinality(ids)], w.occurred_on
     from wins w
     join (select user_id, array_agg(id order by id) from tags where user_id between $1 and $2 group by 1) t (user_id, ids)
       on t.user_id = w.user_id, generate_series(1, $3::int) n
     where w.user_id between $1 and $2`,
    [first, last, tagsPerWin],
  );
  for (const [table, column, links] of [
    ['spaces', 'space_id', 'wins'],
    ['tags', 'tag_id', 'win_tags'],
  ]) {
    await client.query(
      `update ${table} counted set wins_count = n
       from (select user_id, ${column} as id, count(*) as n from ${links} where user_id between $1 and $2 group by 1, 2) c
       where counted.user_id = c.user_id and counted.id = c.id`,
      [first, last],
    );
  }
  await client.query('update users set tags_count = $3 where id between $1 and $2', [first, last, tags]);
  await client.query('commit');
  return [first, last];
}

/** Makes one user with tokens, and what is to be measured of theirs. */
export async function seedPerson(client: Client, name: string, amounts: Amounts): Promise<Person> {
  const [userId] = await seedUsers(client, { prefix: name, count: 1, plan: 'pro' }, amounts);
  const [token, readToken] = [createToken(userId), createToken(userId)];
  await client.query(
    `insert into api_tokens (user_id, digest, name, scope) values ($1, $2, 'Bench', 'write'), ($1, $3, 'Bench', 'read')`,
    [userId, digestOf(token), digestOf(readToken)],
  );
  const tags = await client.query<{ id: number; name: string }>(
    'select id::int, name from tags where user_id = $1 order by id',
    [userId],
  );
  const spaces = await client.query<{ id: number }>('select id::int from spaces where user_id = $1 order by id', [
    userId,
  ]);
  const wins = await client.query<{ id: number }>('select id::int from wins where user_id = $1 order by id limit 64', [
    userId,
  ]);
  const [spaceIds, winIds] = [spaces, wins].map(({ rows }) => rows.map(({ id }) => id)) as [number[], number[]];
  return { userId, token, readToken, tags: tags.rows, spaceIds, winIds };
}

/** Loads many rows faster: the index for searches, which no list uses, is built once at the end. */
export async function withoutSearchIndex(client: Client, load: () => Promise<void>): Promise<void> {
  const { rows } = await client.query<{ indexdef: string }>(
    `select indexdef from pg_indexes where schemaname = current_schema and indexname = 'idx_wins_body'`,
  );
  await client.query(`set maintenance_work_mem = '512MB'`);
  await client.query('drop index if exists idx_wins_body');
  await load();
  for (const { indexdef } of rows) await client.query(indexdef);
}

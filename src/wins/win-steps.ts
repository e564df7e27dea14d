import { RAISE_REVISION } from '../database/revision.js';
import type { Sql } from '../database/sql.js';
import type { WinInput } from './dto/win.js';
import type { WinUpdate } from './dto/win-batch.js';

/**
 * How wins are recorded and their tags changed on a cluster, step by step in a transaction: there an insert can't be part of
 * another statement. Does what `INSERT_WINS` and `CHANGE_TAGS` do, which take fewer round trips. Each statement is one
 * user's (`$1`), on one machine, and sees what the ones before it did.
 */

/** The wins of some ids that a tag is asked for by name: each pair in the parameters `$m` and `$n`. */
const pairs = (ids: string, names: string) => `unnest(${ids}::bigint[], ${names}::text[])`;

const INSERT = `
  insert into wins as win (user_id, space_id, body, occurred_on, revision)
  select spaces.user_id, spaces.id, given.body, coalesce(given.occurred_on, (now() at time zone 'UTC')::date), $3
  from unnest($2::json[]) with ordinality as item (json, place)
  cross join json_to_record(json) as given (space_id bigint, body text, occurred_on date)
  join spaces on spaces.user_id = $1 and spaces.id = given.space_id
  order by place returning win.id`;

/** The first spelling of a new name wins. Whoever creates it at the same time, past the service, is waited for. */
const CREATE_TAGS = `
  insert into tags (user_id, name, revision)
  select distinct on (fold_case(given.name)) users.id, given.name, users.revision
  from users cross join unnest($2::text[]) with ordinality as given (name, nth)
  where users.id = $1 and not exists (
    select from tags where tags.user_id = $1 and fold_case(tags.name) = fold_case(given.name)
  )
  order by fold_case(given.name), nth
  on conflict (user_id, fold_case(name)) do nothing`;

const LINK = `
  insert into win_tags as link (user_id, win_id, tag_id, occurred_on)
  select distinct wins.user_id, wins.id, tags.id, wins.occurred_on
  from ${pairs('$2', '$3')} as asked (win_id, name)
  join wins on wins.user_id = $1 and wins.id = asked.win_id
  join tags on tags.user_id = $1 and fold_case(tags.name) = fold_case(asked.name)
  on conflict do nothing returning link.win_id`;

/** What names in a pair of parameters stand for: wins, and the tags that each names. */
const named = (ids: string, names: string) => `
  select given.win_id, tags.id from ${pairs(ids, names)} as given (win_id, name)
  join tags on tags.user_id = $1 and fold_case(tags.name) = fold_case(given.name)`;

/** Of the wins `$2` all tags go, of the wins `$3` those named in `$4`; but none that is asked for in `$5` and `$6`. */
const UNLINK = `
  delete from win_tags
  where user_id = $1 and win_id = any ($2::bigint[] || $3::bigint[])
    and (win_id = any ($2::bigint[]) or (win_id, tag_id) in (${named('$3', '$4')}))
    and (win_id, tag_id) not in (${named('$5', '$6')})
  returning win_id`;

const TOUCH = `
  update wins set updated_at =
    greatest(now() at time zone 'UTC', updated_at at time zone 'UTC' + interval '1 millisecond') at time zone 'UTC'
  where user_id = $1 and id = any ($2::bigint[])`;

interface Pairs {
  ids: number[];
  names: string[];
}

function pairsOf(namesOfWins: [id: number, names?: string[]][]): Pairs {
  const all = namesOfWins.flatMap(([id, names = []]) => names.map((name) => ({ id, name })));
  return { ids: all.map(({ id }) => id), names: all.map(({ name }) => name) };
}

async function link(sql: Sql, userId: number, { ids, names }: Pairs): Promise<number[]> {
  if (ids.length === 0) return [];
  await sql.query(CREATE_TAGS, [userId, names]);
  return winIdsOf(await sql.query(LINK, [userId, ids, names]));
}

const winIdsOf = (rows: { win_id: number }[]) => rows.map(({ win_id }) => win_id);

/** Records wins, their tags and their links. @returns their ids, in order, but for those in a space that is not there */
export async function recordInSteps(sql: Sql, userId: number, inputs: WinInput[]): Promise<number[]> {
  const writer = await sql.first<{ revision: number }>(RAISE_REVISION, [userId]);
  if (writer === undefined) return [];
  const given = inputs.map((input) => JSON.stringify(input));
  const created = await sql.query<{ id: number }>(INSERT, [userId, given, writer.revision]);
  const ids = created.map(({ id }) => id);
  await link(sql, userId, pairsOf(ids.map((id, n) => [id, inputs[n]!.tag_names])));
  return ids;
}

/**
 * Replaces the tags of wins, or adds some and removes some; a name among both is added. A win changes when its tags do.
 * The user's revision has been raised already.
 */
export async function changeTagsInSteps(sql: Sql, userId: number, updates: WinUpdate[]): Promise<void> {
  const asked = pairsOf(updates.map(({ id, tag_names, add_tag_names }) => [id, tag_names ?? add_tag_names]));
  const removed = pairsOf(updates.map(({ id, remove_tag_names }) => [id, remove_tag_names]));
  const replaced = updates.filter(({ tag_names }) => tag_names !== undefined).map(({ id }) => id);
  const values = [userId, replaced, removed.ids, removed.names, asked.ids, asked.names];
  const unlinked = winIdsOf(await sql.query<{ win_id: number }>(UNLINK, values));
  const linked = await link(sql, userId, asked);
  const changed = [...new Set([...unlinked, ...linked])];
  if (changed.length > 0) await sql.query(TOUCH, [userId, changed]);
}

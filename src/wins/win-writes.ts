import { RAISE_REVISION } from '../database/revision.js';
import { columns, WIN } from './win-lists.js';

/**
 * How wins are written: set by set, of one win or a hundred. `$1` is the user, `$2` an array of JSON, what to write to each
 * win. Names of tags match in any case; the first spelling of a new one wins, and no race creates two.
 */

/**
 * What is given as rows, with their `place`. An array is planned as ten rows, so that each win is looked up by its key;
 * a list within JSON is planned as a hundred, and all wins of the user would be read.
 *
 * @param fields names and types
 */
const givenOf = (fields: Record<string, string>) => {
  const types = Object.entries(fields).map(([name, type]) => `${name} ${type}`);
  return `given as materialized (
    select fields.*, place
    from unnest($2::json[]) with ordinality as item (json, place), json_to_record(json) as fields (${types.join(', ')})
  )`;
};

/**
 * The tags with the names of `asked`, created if missing. Existing ones are locked. That never waits, since the
 * user's row is locked already, but shows them as they are now, and not as they were when the statement began. One that
 * was created since then is found by `on conflict`. Each name is looked up by itself: a join could fold the names of all
 * tags of the user.
 *
 * @param owner a row with `user_id` and `revision`, of the user whose row is locked; without one, no tag is created
 */
const taggedAs = (owner: string) => `
  wanted as (select distinct on (folded) name, folded from asked order by folded, place, nth),
  known as materialized (
    select tag.id, tag.name, folded from ${owner} owner cross join wanted cross join lateral (
      select id, name from tags where tags.user_id = $1 and tags.user_id = owner.user_id and fold_case(tags.name) = folded
      for no key update
    ) tag
  ),
  made as (
    insert into tags (user_id, name, revision) select owner.user_id, name, owner.revision from wanted, ${owner} owner
    where folded not in (select folded from known)
    on conflict (user_id, fold_case(name)) do update set name = tags.name
    returning id, name, fold_case(name) as folded
  ),
  tagged as (select id, name, folded from known union all table made)`;

/** Records wins, their tags and their links. Yields `id` and `json` of each in order, but for those in a space that is not there. */
export const INSERT_WINS = `
  with writer as (${RAISE_REVISION}),
  ${givenOf({ space_id: 'bigint', body: 'text', occurred_on: 'date', tag_names: 'text[]' })},
  item as (
    insert into wins (user_id, space_id, body, occurred_on, revision)
    select $1, spaces.id, given.body, coalesce(given.occurred_on, (now() at time zone 'UTC')::date), writer.revision
    from writer cross join given join spaces on spaces.user_id = $1 and spaces.id = given.space_id
    order by place
    returning *
  ),
  placed as (select id, occurred_on, row_number() over (order by id) as place from item),
  asked as (
    select placed.id as win_id, placed.occurred_on, name, fold_case(name) as folded, place, nth
    from given join placed using (place) cross join unnest(tag_names) with ordinality as named (name, nth)
  ),
  ${taggedAs('writer')},
  linked as (
    insert into win_tags (user_id, win_id, tag_id, occurred_on)
    select distinct $1::bigint, win_id, tagged.id, occurred_on from asked join tagged using (folded)
    returning win_id, tag_id
  ),
  tag_of_win as (select win_id, id, name from linked join tagged on tagged.id = tag_id)
  select id, (select row_to_json(r)::text from (
    select ${columns('select id, name from tag_of_win where win_id = item.id')}
  ) r) as json from item order by id`;

/** Changes what is given of the win `$2`, but for its tags, and yields it. */
export const UPDATE_WIN = `
  with writer as (${RAISE_REVISION}), item as (
    update wins set
      space_id = coalesce($3, space_id), body = coalesce($4, body), occurred_on = coalesce($5, occurred_on),
      revision = writer.revision
    from writer where wins.user_id = $1 and wins.id = $2
    returning wins.*
  )
  select ${WIN} as json from item`;

/** Changes what is given of wins, but for their tags. Yields the `id` of each that is there. */
export const UPDATE_WINS = `
  with ${givenOf({ id: 'bigint', space_id: 'bigint', body: 'text', occurred_on: 'date' })}
  update wins set
    space_id = coalesce(given.space_id, wins.space_id),
    body = coalesce(given.body, wins.body),
    occurred_on = coalesce(given.occurred_on, wins.occurred_on)
  from given where wins.user_id = $1 and wins.id = given.id
  returning wins.id`;

/**
 * Replaces the tags of wins, or adds some and removes some; a name among both is added. A win changes when its tags do.
 * The user's revision has been raised already.
 */
export const CHANGE_TAGS = `
  with ${givenOf({ id: 'bigint', tag_names: 'text[]', add_tag_names: 'text[]', remove_tag_names: 'text[]' })},
  item as materialized (
    select wins.id, wins.occurred_on, tag_names, add_tag_names, remove_tag_names, place
    from given join wins on wins.user_id = $1 and wins.id = given.id
  ),
  asked as (
    select id as win_id, name, fold_case(name) as folded, place, nth
    from item cross join unnest(coalesce(tag_names, add_tag_names)) with ordinality as named (name, nth)
  ),
  ${taggedAs('(select id as user_id, revision from users where id = $1)')},
  wanted_link as (select distinct win_id, tagged.id as tag_id from asked join tagged using (folded)),
  unwanted_link as (
    select win_id, tag_id from win_tags join item on item.id = win_id and tag_names is not null where win_tags.user_id = $1
    union
    select item.id, tags.id from item cross join unnest(remove_tag_names) removed
    join tags on tags.user_id = $1 and fold_case(tags.name) = fold_case(removed)
    except
    table wanted_link
  ),
  unlinked as (
    delete from win_tags using unwanted_link
    where win_tags.user_id = $1 and win_tags.win_id = unwanted_link.win_id and win_tags.tag_id = unwanted_link.tag_id
    returning win_tags.win_id
  ),
  linked as (
    insert into win_tags (user_id, win_id, tag_id, occurred_on)
    select $1, win_id, tag_id, occurred_on from wanted_link join item on item.id = win_id
    on conflict do nothing returning win_id
  )
  update wins set updated_at = greatest(clock_timestamp(), updated_at + interval '1 millisecond')
  from item where wins.user_id = $1 and wins.id = item.id
    and item.id in (select win_id from unlinked union all select win_id from linked)`;

/** Deletes the wins of `$2`, and their links with them. */
export const DELETE_WINS = 'delete from wins where user_id = $1 and id = any ($2::bigint[])';

/** Which wins of `$2` have more tags than `$3`. */
export const WITH_MORE_TAGS = `
  select win_id as id from win_tags where user_id = $1 and win_id = any ($2::bigint[]) group by 1 having count(*) > $3`;

/** Which of the wins of `$2` and of the spaces of `$3` are there. */
export const KNOWN = `
  select
    array_to_json(array(select id from wins where user_id = $1 and id = any ($2::bigint[]))) as wins,
    array_to_json(array(select id from spaces where user_id = $1 and id = any ($3::bigint[]))) as spaces`;

/** The wins of `$2`. */
export const WINS = `select id, ${WIN} as json from wins item where user_id = $1 and id = any ($2::bigint[])`;

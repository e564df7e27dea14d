import { Injectable } from '@nestjs/common';
import { BATCH, deleteOld } from '../database/delete-old.js';
import { jsonArray, jsonRow } from '../database/json.js';
import { Sql, type Owner } from '../database/sql.js';
import { SPACE_COLUMNS } from '../spaces/spaces.repository.js';
import { TAG_COLUMNS } from '../tags/tags.repository.js';
import { COLUMNS as WIN_COLUMNS } from '../wins/win-lists.js';

/**
 * Where a client is in a user's changes. They are put in order by revision, then by kind, then by id: what a revision
 * has deleted comes last.
 */
export interface Place {
  /** Renames and deletions up to this revision are of no use to the client. */
  floor: number;
  revision: number;
  /**
   * 1 spaces, 2 tags, 3 wins, 4 wins of a renamed tag, 5 of a renamed space, 6 to 8 deleted spaces, tags and wins, 9 the
   * end.
   */
  kind: number;
  id: number;
  /** Of a win whose tag or space was renamed, its day and id. */
  day: string | null;
  win: number | null;
}

/** Before everything; the floor is then the revision of the first page. */
export const BEGIN = { floor: null, revision: -1, kind: 0, id: 0, day: null, win: null };

/** After everything of a revision. */
export const endOf = (revision: number): Place => ({ floor: revision, revision, kind: 9, id: 0, day: null, win: null });

/** One page of changes, each part as JSON. */
export interface ChangesRow {
  spaces: string;
  tags: string;
  wins: string;
  deleted: string;
  /** Where the page ends, if there is more. */
  last: Omit<Place, 'floor'> | null;
  /** The user's revision, and up to which one deletions are forgotten. */
  revision: number;
  forgotten: number;
}

/** The id to begin after within the revision `$4`, for a kind. */
const after = (kind: number) => `case when $5 < ${kind} then -1 when $5 = ${kind} then $6 else 9223372036854775807 end`;

/** Rows of a table that changed. */
const changed = (kind: number, table: string) => `
  select revision, ${kind} as kind, id, null::date as day, null::bigint as win from ${table}
  where user_id = $1 and (revision, id) > ($4, ${after(kind)})
  order by revision, id limit $2 + 1`;

/** Wins that look different because what they show was renamed, each found by an index in the order of days. */
const renamed = (kind: number, table: string, wins: string, day: string, win: string) => `
  select named.name_revision, ${kind}, named.id, found.day, found.win from (
    select id, name_revision from ${table}
    where user_id = $1 and name_revision > coalesce($3, (select revision from head)) and (name_revision, id) >= ($4, ${after(kind)})
    order by name_revision, id offset 0
  ) named cross join lateral (
    select ${day} as day, ${win} as win from ${wins} = named.id
      and (${day}, ${win}) > (
        case when (named.name_revision, named.id) > ($4, ${after(kind)}) then '-infinity' else coalesce($7::date, '-infinity') end,
        case when (named.name_revision, named.id) > ($4, ${after(kind)}) then -1 else coalesce($8::bigint, -1) end
      )
    order by ${day}, ${win} limit $2 + 1
  ) found
  order by 1, 3, 4, 5 limit $2 + 1`;

const DELETED = ['space', 'tag', 'win'];
const FIRST_DELETED = 6;
const kindOfDeleted = DELETED.map((name, n) => `when '${name}' then ${FIRST_DELETED + n}`).join(' ');
const deletedOfKind = DELETED.map((name, n) => `when $5 = ${FIRST_DELETED + n} then '${name}'`).join(' ');

const deletions = `
  select revision, case kind ${kindOfDeleted} end, id, null, null from deletions
  where user_id = $1 and revision > coalesce($3, (select revision from head))
    and (moved_revision is null or moved_revision > coalesce($3, (select revision from head)))
    and (revision, kind, id) > ($4, case ${deletedOfKind} when $5 < ${FIRST_DELETED} then '' else 'z' end, $6)
  order by revision, deletions.kind, id limit $2 + 1`;

const arrayOf = (json: string, from: string, condition: string, order: string) =>
  jsonArray(`select ${json} from ${from} where ${condition} order by ${order}`);

const idsOf = (kind: number) => `array(select id from page where kind = ${kind} and place <= $2 order by place)`;

const isIn = (ids: string) => `user_id = $1 and item.id = any ((${ids})::bigint[])`;

/** `$1` the user, `$2` the limit, `$3` and on the place. */
const PAGE = `
  with head as (select revision, forgotten_revision from users where id = $1),
  page as materialized (
    select row_number() over (order by revision, kind, id, day, win) as place, changes.* from (
      (${changed(1, 'spaces')}) union all (${changed(2, 'tags')}) union all (${changed(3, 'wins')})
      union all (${renamed(4, 'tags', 'win_tags where user_id = $1 and tag_id', 'occurred_on', 'win_id')})
      union all (${renamed(5, 'spaces', 'wins where user_id = $1 and space_id', 'occurred_on', 'wins.id')})
      union all (${deletions})
    ) changes order by revision, kind, id, day, win limit $2 + 1
  )
  select
    ${arrayOf(jsonRow(SPACE_COLUMNS), 'spaces item', isIn(idsOf(1)), 'position, id')} as spaces,
    ${arrayOf(jsonRow(TAG_COLUMNS), 'tags item', isIn(idsOf(2)), 'id')} as tags,
    ${arrayOf(
      jsonRow(WIN_COLUMNS),
      'wins item',
      isIn('array(select case kind when 3 then id else win end from page where kind in (3, 4, 5) and place <= $2)'),
      'id',
    )} as wins,
    json_build_object(${DELETED.map((name, n) => `'${name}_ids', ${idsOf(FIRST_DELETED + n)}`).join(', ')})::text as deleted,
    (select row_to_json(last) from (
      select revision, kind, id, day, win from page where place = $2 and exists (select from page where place > $2)
    ) last) as last,
    head.revision, head.forgotten_revision as forgotten
  from head`;

@Injectable()
export class ChangesRepository {
  constructor(private readonly sql: Sql) {}

  /** @returns the changes after a place; `undefined` if there is no such user any more */
  find(owner: Owner, place: Place | typeof BEGIN, limit: number): Promise<ChangesRow | undefined> {
    const { floor, revision, kind, id, day, win } = place;
    return this.sql.of(owner).first<ChangesRow>(PAGE, [owner.userId, limit, floor, revision, kind, id, day, win]);
  }

  /**
   * Forgets some of the deletions that are 90 days old, user by user; other instances may do the same at the same time.
   * Clients that don't know them yet have to start over.
   *
   * @returns whether there may be more
   */
  forgetDeletions(): Promise<boolean> {
    const text = `
      with old as (
        select kind, id, revision from deletions where user_id = $1 and deleted_at < now() - interval '90 days'
        order by deleted_at limit ${BATCH} for update skip locked
      ),
      forgotten as (
        update users set forgotten_revision = greatest(forgotten_revision, (select max(revision) from old)) where id = $1
      )
      delete from deletions using old
      where deletions.user_id = $1 and deletions.kind = old.kind and deletions.id = old.id
      returning 1`;
    return deleteOld(this.sql, `deletions where deleted_at < now() - interval '90 days' order by deleted_at`, text);
  }
}

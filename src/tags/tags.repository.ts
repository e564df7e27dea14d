import { Injectable } from '@nestjs/common';
import type { Created, CursorPage, Json, Page } from '../common/json.js';
import { escapeLike, jsonRow, withTimes } from '../database/json.js';
import { jsonPage, jsonPageAfter, orderBy, type SortTerm } from '../database/pages.js';
import { RAISE_REVISION, ifUnchanged } from '../database/revision.js';
import { Sql, type Owner } from '../database/sql.js';
import type { TagQuery, TagSort } from './dto/tag-query.js';
import type { Tag } from './dto/tag.js';

const FIELDS = 'id, name, wins_count, created_at';
/** What clients see of a row. */
export const TAG_COLUMNS = withTimes(FIELDS);
const TAG = jsonRow(TAG_COLUMNS);

/** What lists are sorted by. */
const BY = {
  rank: { column: 'rank', type: 'integer' },
  name: { column: 'name', type: 'text collate "und-x-icu"' },
  winsCount: { column: 'wins_count', type: 'integer' },
  createdAt: { column: 'created_at', type: 'timestamptz' },
  id: { column: 'id', type: 'bigint' },
} satisfies Record<string, SortTerm>;

const descending = (term: SortTerm): SortTerm => ({ ...term, isDescending: true });

/** Alphabetically, as the column's collation has it. No two names of a user are the same. */
const LIST = jsonPage({
  columns: TAG_COLUMNS,
  from: 'tags where user_id = $1',
  order: 'name',
  isRevised: true,
  total: 'select coalesce(sum(tags_count), 0) from users where id = $1',
});

const listAfter = (term: SortTerm) =>
  jsonPageAfter({ columns: TAG_COLUMNS, from: 'tags where user_id = $1', terms: [term] });

/** All tags from cursor to cursor, in the orders of which there is an index: the last page costs what the first does. */
export const LIST_AFTER: { [Sort in TagSort]?: ReturnType<typeof listAfter> } = {
  name: listAfter(BY.name),
  '-name': listAfter(descending(BY.name)),
};

const FOLDED = '(select fold_case($4))'; // once, not for each tag

/**
 * What a name is searched for, in `$4`; whether the tag is used, in `$5`. `rank` is 0 for names that begin with it. It ends
 * with a condition, since pages add theirs.
 */
const FILTERED = `(
    select *, case when fold_case(name) like ${FOLDED} || '%' then 0 else 1 end as rank from tags
    where user_id = $1
      and ($4::text is null or fold_case(name) like '%' || ${FOLDED} || '%')
      and ($5::boolean is null or (wins_count > 0) = $5)
  ) tags where true`;

/** The lists in an order. @param terms besides the id, which makes the order total */
function sorted(...terms: SortTerm[]) {
  const all = [BY.rank, ...terms, BY.id];
  return {
    page: jsonPage({ columns: TAG_COLUMNS, from: FILTERED, order: orderBy(all), isRevised: true }),
    after: jsonPageAfter({ columns: TAG_COLUMNS, from: FILTERED, terms: all }),
  };
}

const SORTED: Record<TagSort, ReturnType<typeof sorted>> = {
  name: sorted(BY.name),
  '-name': sorted(descending(BY.name)),
  wins_count: sorted(BY.winsCount, BY.name),
  '-wins_count': sorted(descending(BY.winsCount), BY.name),
  created_at: sorted(BY.createdAt, BY.name),
  '-created_at': sorted(descending(BY.createdAt), BY.name),
};

/** Milliseconds that each step of a merge may take: enough for some millions of wins. */
const MERGE_TIMEOUT = 120_000;

const LINK_TO_OTHER = `
  insert into win_tags (user_id, win_id, tag_id, occurred_on)
  select user_id, win_id, $3, occurred_on from win_tags where user_id = $1 and tag_id = $2
  on conflict do nothing`;

@Injectable()
export class TagsRepository {
  constructor(private readonly sql: Sql) {}

  list(owner: Owner, query: TagQuery): Promise<Page<Tag> | CursorPage<Tag>> {
    const { q, used, sort = 'name', after, per_page } = query;
    const isAll = q === undefined && used === undefined;
    if (isAll && sort === 'name' && after === undefined) return this.sql.page(LIST, owner, query);
    const values = [q === undefined ? null : escapeLike(q), used === undefined ? null : used === 'true'];
    const shared = this.sql.sharedLong(owner);
    if (after === undefined) return this.sql.page(SORTED[sort].page, owner, query, values, shared);
    const place = { per_page, cursor: after, view: JSON.stringify([sort, ...values]) };
    const listed = isAll ? LIST_AFTER[sort] : undefined;
    if (listed !== undefined) return this.sql.pageAfter(listed, owner, place, [], this.sql.shared(owner));
    return this.sql.pageAfter(SORTED[sort].after, owner, place, values, shared);
  }

  find(owner: Owner, id: number): Promise<Json<Tag> | undefined> {
    const text = `select ${TAG} as json from tags where user_id = $1 and id = $2`;
    return this.sql.shared(owner).json(text, [owner.userId, id]);
  }

  /** Runs `write` only if it still matches the `If-Match`, as `ifUnchanged()` does. */
  ifUnchanged<Result>(
    owner: Owner,
    id: number,
    ifMatch: string | undefined,
    write: (owner: Owner) => Promise<Result>,
  ): Promise<Result> {
    return ifUnchanged(this.sql, owner, ifMatch, (within) => this.find(within, id), write);
  }

  /** @returns the id of the tag with this name, in any case */
  async findByName(owner: Owner, name: string): Promise<number | undefined> {
    const text = 'select id from tags where user_id = $1 and fold_case(name) = (select fold_case($2))';
    return (await this.sql.shared(owner).first<{ id: number }>(text, [owner.userId, name]))?.id;
  }

  /** Without a user the foreign key rejects the tag. */
  insert(owner: Owner, name: string): Promise<Created<Tag>> {
    const text = `
      with writer as (${RAISE_REVISION})
      insert into tags (user_id, name, revision)
      select $1, $2, coalesce(revision, 0) from (select) one left join writer on true returning ${FIELDS}`;
    return this.sql.writes(owner).created(text, [owner.userId, name]);
  }

  rename(owner: Owner, id: number, name: string): Promise<Json<Tag> | undefined> {
    const text = `
      with writer as (${RAISE_REVISION}), tag as (
        update tags set name = $3, revision = writer.revision, name_revision = writer.revision
        from writer where tags.user_id = $1 and tags.id = $2 returning tags.*
      )
      select ${TAG} as json from tag`;
    return this.sql.writes(owner).json(text, [owner.userId, id, name]);
  }

  /** @returns whether there was one */
  delete(owner: Owner, id: number): Promise<boolean> {
    const text = `
      with writer as (${RAISE_REVISION})
      delete from tags using writer where tags.user_id = $1 and tags.id = $2 returning tags.id`;
    return this.sql.of(owner).did(text, [owner.userId, id]); // takes its links along, however many
  }

  /**
   * Puts the wins of a tag under another, set by set, and deletes it.
   *
   * @returns the other tag; `undefined` if one of them is not there, `isGone` says which
   */
  merge(owner: Owner, id: number, intoId: number): Promise<{ isGone: boolean; merged?: Json<Tag> }> {
    return this.sql.transaction(
      async (sql) => {
        const { userId } = owner;
        await sql.query(RAISE_REVISION, [userId]);
        const found = await sql.query<{ id: number }>('select id from tags where user_id = $1 and id in ($2, $3)', [
          userId,
          id,
          intoId,
        ]);
        const isGone = !found.some((tag) => tag.id === id);
        if (found.length < 2) return { isGone };
        await sql.query(LINK_TO_OTHER, [userId, id, intoId]);
        await sql.query('delete from win_tags where user_id = $1 and tag_id = $2', [userId, id]);
        await sql.query('delete from tags where user_id = $1 and id = $2', [userId, id]);
        return { isGone, merged: await new TagsRepository(sql).find(owner, intoId) };
      },
      { owner, timeout: MERGE_TIMEOUT },
    );
  }

  /** Deletes the tags that no win uses. @returns how many there were */
  async deleteUnused(owner: Owner): Promise<number> {
    const text = `
      with writer as (${RAISE_REVISION}), gone as (
        delete from tags using writer where tags.user_id = $1 and wins_count = 0 returning tags.id
      )
      select count(*)::integer as count from gone`;
    return (await this.sql.of(owner).one<{ count: number }>(text, [owner.userId])).count;
  }
}

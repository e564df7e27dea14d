import { Injectable } from '@nestjs/common';
import { Created, type CursorPage, type Json, type Page } from '../common/json.js';
import { jsonRow, type JsonRow } from '../database/json.js';
import { RAISE_REVISION, whileCurrent } from '../database/revision.js';
import { Sql, type Owner } from '../database/sql.js';
import type { WinQuery } from './dto/win-query.js';
import type { Win, WinChanges, WinInput } from './dto/win.js';
import { columns, pageAfterOf, pageOf, selectSorted, WIN } from './win-lists.js';

/**
 * The tags with the given names, created if missing: the first spelling wins, and no race creates two.
 *
 * @param names the parameter with the names @param owner a row with `user_id` and `revision`; without one, no tag is created
 */
const tagsOf = (names: string, owner: string) => `
  wanted as (
    select distinct on (fold_case(name)) name from unnest(${names}::text[]) with ordinality as given (name, place)
    order by fold_case(name), place
  ),
  tagged as (
    insert into tags (user_id, name, revision) select owner.user_id, wanted.name, owner.revision from wanted, ${owner} owner
    on conflict (user_id, fold_case(name)) do update set name = tags.name
    returning id, name
  )`;

@Injectable()
export class WinsRepository {
  constructor(private readonly sql: Sql) {}

  list(owner: Owner, query: WinQuery): Promise<Page<Win> | CursorPage<Win>> {
    const { sort = '-occurred_on', after, per_page } = query;
    const { way, values, isCounted } = selectSorted(query, sort);
    const shared = isCounted ? this.sql.sharedLong(owner) : this.sql.heavy(owner); // the others take long to count
    if (after === undefined) return this.sql.page(pageOf(way, sort), owner, query, values, shared);
    const view = JSON.stringify([sort, ...values]);
    return this.sql.pageAfter(pageAfterOf(way, sort), owner, { per_page, cursor: after, view }, values, shared);
  }

  find(owner: Owner, id: number): Promise<Json<Win> | undefined> {
    const text = `select ${WIN} as json from wins item where user_id = $1 and id = $2`;
    return this.sql.shared(owner).json(text, [owner.userId, id]);
  }

  /** Changes one only if it still is what the client saw, as `whileCurrent()` does. */
  whileCurrent<Result>(
    owner: Owner,
    id: number,
    ifMatch: string | undefined,
    write: (owner: Owner) => Promise<Result>,
  ): Promise<Result> {
    return whileCurrent(this.sql, owner, ifMatch, (within) => this.find(within, id), write);
  }

  /**
   * Records a win, its tags and their links in one statement.
   *
   * @returns `undefined` if the user has no such space
   */
  async insert(owner: Owner, input: WinInput): Promise<Created<Win> | undefined> {
    const text = `
      with writer as (${RAISE_REVISION}),
      item as (
        insert into wins (user_id, space_id, body, occurred_on, revision)
        select $1, spaces.id, $3, coalesce($4::date, (now() at time zone 'UTC')::date), writer.revision
        from writer join spaces on spaces.user_id = $1 and spaces.id = $2
        returning *
      ),
      ${tagsOf('$5', 'item')},
      linked as (
        insert into win_tags (user_id, win_id, tag_id, occurred_on)
        select item.user_id, item.id, tagged.id, item.occurred_on from item, tagged
      )
      select id, ${jsonRow(columns('select id, name from tagged'))} as json from item`;
    const { space_id, body, occurred_on = null, tag_names = [] } = input;
    const row = await this.sql
      .writes(owner)
      .first<JsonRow & { id: number }>(text, [owner.userId, space_id, body, occurred_on, tag_names]);
    return row && new Created(row.json, row.id);
  }

  /** Only what is given changes; tag names replace the tags. */
  update(owner: Owner, id: number, changes: WinChanges): Promise<Json<Win> | undefined> {
    const { space_id = null, body = null, occurred_on = null, tag_names } = changes;
    return this.sql.transaction(
      async (sql) => {
        await sql.query(RAISE_REVISION, [owner.userId]);
        const own = `
          update wins set
            space_id = coalesce($3, space_id), body = coalesce($4, body), occurred_on = coalesce($5::date, occurred_on)
          where user_id = $1 and id = $2 returning id`;
        if ((await sql.first(own, [owner.userId, id, space_id, body, occurred_on])) === undefined) return undefined;
        if (tag_names !== undefined) await sql.query(REPLACE_TAGS, [owner.userId, id, tag_names]);
        return new WinsRepository(sql).find(owner, id);
      },
      { owner },
    );
  }

  /**
   * Its links are deleted with it.
   *
   * @returns whether there was one
   */
  delete(owner: Owner, id: number): Promise<boolean> {
    const text = `
      with writer as (${RAISE_REVISION})
      delete from wins using writer where wins.user_id = writer.user_id and wins.id = $2 returning wins.id`;
    return this.sql.writes(owner).did(text, [owner.userId, id]);
  }
}

/** The win changes when its tags do. */
const REPLACE_TAGS = `
  with ${tagsOf('$3', '(select id as user_id, revision from users where id = $1)')},
  unlinked as (
    delete from win_tags where user_id = $1 and win_id = $2 and tag_id not in (select id from tagged) returning tag_id
  ),
  linked as (
    insert into win_tags (user_id, win_id, tag_id, occurred_on)
    select $1, $2, tagged.id, wins.occurred_on from tagged, wins where wins.user_id = $1 and wins.id = $2
    on conflict do nothing returning tag_id
  )
  update wins set updated_at = greatest(clock_timestamp(), updated_at + interval '1 millisecond')
  where user_id = $1 and id = $2 and (exists (select from unlinked) or exists (select from linked))`;

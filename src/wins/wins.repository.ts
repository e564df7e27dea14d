import { Injectable } from '@nestjs/common';
import { Created, Json, type CursorPage, type Page } from '../common/json.js';
import type { JsonRow } from '../database/json.js';
import { RAISE_REVISION, ifUnchanged } from '../database/revision.js';
import { Sql, type Owner } from '../database/sql.js';
import { MAX_PER_PAGE } from '../http/pagination.js';
import type { SummaryQuery, WinFilter, WinQuery } from './dto/win-query.js';
import type { WinsCount } from './dto/wins-count.js';
import type { BatchInput, WinUpdate, WrittenWins } from './dto/win-batch.js';
import { MAX_TAGS, type SpaceOfWin, type Win, type WinChanges, type WinInput } from './dto/win.js';
import { look, pageAfterOf, pageOf, selectSorted, WIN } from './win-lists.js';
import { changeTagsInSteps, recordInSteps } from './win-steps.js';
import { summaryOf } from './win-summaries.js';
import {
  CHANGE_TAGS,
  DELETE_WINS,
  INSERT_WINS,
  KNOWN,
  UPDATE_WIN,
  UPDATE_WINS,
  WINS,
  WITH_MORE_TAGS,
} from './win-writes.js';

/** Those wins and spaces of a batch that exist. */
export interface KnownIds {
  wins: number[];
  spaces: number[];
}

/** The checks of a batch. Each throws if it fails, and runs while the user's row is locked. */
export interface BatchChecks {
  known(known: KnownIds): void;
  /** @param id of a win that would have more tags than `MAX_TAGS` */
  overfull(id: number): void;
}

@Injectable()
export class WinsRepository {
  constructor(private readonly sql: Sql) {}

  async list(owner: Owner, query: WinQuery): Promise<Page<Win> | CursorPage<Win>> {
    const { sort = '-occurred_on', after, per_page } = query;
    const { way, values, isCounted } = selectSorted(query, sort);
    const shared = isCounted ? this.sql.sharedLong(owner) : this.sql.heavy(owner); // the others take long to count
    if (after === undefined) return this.sql.page(pageOf(way, sort), owner, query, values, shared);
    const place = { per_page, cursor: after, view: JSON.stringify([sort, ...values]) };
    const looked = look(query, sort);
    if (looked !== undefined) {
      const page = await this.sql.pageAfter<Win>(pageAfterOf(looked.way, sort), owner, place, looked.values, shared);
      if (page.isFull || page.next === undefined || !looked.isIndexed) return page;
    }
    return this.sql.pageAfter(pageAfterOf(way, sort), owner, place, values, shared);
  }

  /** @returns the counts as JSON, newest or largest first */
  async summary(owner: Owner, { by, ...filter }: SummaryQuery): Promise<Json<WinsCount[]>> {
    const { text, values, isCounted } = summaryOf(filter, by);
    const queries = isCounted ? this.sql.sharedLong(owner) : this.sql.heavy(owner);
    return new Json((await queries.one<JsonRow>(text, [owner.userId, ...values])).json);
  }

  /** Reads the wins of a filter, newest first, page by page and only as fast as they are taken. */
  async *pages(owner: Owner, filter: WinFilter): AsyncGenerator<Win[]> {
    for (let after: string | undefined = ''; after !== undefined;) {
      const query: WinQuery = { ...filter, page: 1, per_page: MAX_PER_PAGE, after };
      const page = (await this.list(owner, query)) as CursorPage<Win>;
      yield JSON.parse(page.text) as Win[];
      after = page.next;
    }
  }

  /** The user's spaces with wins in their order, or those of some ids, and the user's revision. */
  async spacesOf(owner: Owner, ids: number[] | null = null): Promise<{ revision: number; spaces: SpaceOfWin[] }> {
    const text = `
      select revision, array_to_json(array(select row_to_json(s) from (
        select id, name, emoji from spaces where user_id = $1 and wins_count > 0 and ($2::bigint[] is null or id = any ($2))
        order by position, id
      ) s)) as spaces from users where id = $1`;
    const found = await this.sql
      .shared(owner)
      .first<{ revision: number; spaces: SpaceOfWin[] }>(text, [owner.userId, ids]);
    return found ?? { revision: 0, spaces: [] };
  }

  find(owner: Owner, id: number): Promise<Json<Win> | undefined> {
    const text = `select ${WIN} as json from wins item where user_id = $1 and id = $2`;
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

  /**
   * Records a win, its tags and their links: in one statement, or on a cluster step by step.
   *
   * @returns `undefined` if the user has no such space
   */
  async insert(owner: Owner, input: WinInput): Promise<Created<Win> | undefined> {
    const [row] = this.sql.isSpread
      ? await this.sql.transaction((sql) => record(sql, owner.userId, [input]), { owner })
      : await this.sql.writes(owner).query<WinRow>(INSERT_WINS, [owner.userId, asJson([input])]);
    return row && new Created(row.json, row.id);
  }

  /**
   * Only what is given changes.
   *
   * @param overfull throws if the win would have more tags than `MAX_TAGS`
   */
  update(owner: Owner, id: number, changes: WinChanges, overfull: () => void): Promise<Json<Win> | undefined> {
    if (!changesTags(changes)) {
      const { space_id, body, occurred_on } = changes;
      const values = [owner.userId, id, space_id ?? null, body ?? null, occurred_on ?? null];
      return this.sql.writes(owner).json(UPDATE_WIN, values);
    }
    return this.sql.transaction(
      async (sql) => {
        await sql.query(RAISE_REVISION, [owner.userId]);
        const [updated] = await change(sql, owner, [{ ...changes, id }], overfull);
        return updated && new Json<Win>(updated.json);
      },
      { owner },
    );
  }

  /** Creates, changes and deletes wins, all or none, set by set. @returns what it did, in order */
  batch(owner: Owner, batch: BatchInput, checks: BatchChecks): Promise<Json<WrittenWins>> {
    const { create = [], update = [], delete: gone = [] } = batch;
    return this.sql.transaction(
      async (sql) => {
        const { userId } = owner;
        await sql.query(RAISE_REVISION, [userId]);
        const wins = [...update.map(({ id }) => id), ...gone];
        const spaces = [...create, ...update].flatMap(({ space_id }) => space_id ?? []);
        checks.known(await sql.one<KnownIds>(KNOWN, [userId, wins, spaces]));
        const created = create.length === 0 ? [] : await record(sql, userId, create);
        const updated = await change(sql, owner, update, checks.overfull);
        if (gone.length > 0) await sql.query(DELETE_WINS, [userId, gone]);
        return new Json(
          `{"created":${arrayOf(created)},"updated":${arrayOf(updated)},"deleted":${JSON.stringify(gone)}}`,
        );
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
      delete from wins using writer where wins.user_id = $1 and wins.id = $2 returning wins.id`;
    return this.sql.writes(owner).did(text, [owner.userId, id]);
  }
}

interface WinRow extends JsonRow {
  id: number;
}

const arrayOf = (rows: JsonRow[]) => `[${rows.map(({ json }) => json).join(',')}]`;

const asJson = (items: object[]): string[] => items.map((item) => JSON.stringify(item));

const changesTags = ({ tag_names, add_tag_names, remove_tag_names }: WinChanges): boolean =>
  (tag_names ?? add_tag_names ?? remove_tag_names) !== undefined;

/** Records wins within a transaction. @returns them, in order, but for those in a space that is not there */
async function record(sql: Sql, userId: number, inputs: WinInput[]): Promise<WinRow[]> {
  if (!sql.isSpread) return sql.query<WinRow>(INSERT_WINS, [userId, asJson(inputs)]);
  return winsOf(sql, userId, await recordInSteps(sql, userId, inputs));
}

/** The wins of some ids that are there, in the order of the ids. */
async function winsOf(sql: Sql, userId: number, ids: number[]): Promise<WinRow[]> {
  const rows = new Map((await sql.query<WinRow>(WINS, [userId, ids])).map((row) => [row.id, row]));
  return ids.flatMap((id) => rows.get(id) ?? []);
}

/** Changes wins within a transaction. @returns those that are there, in order */
async function change(
  sql: Sql,
  { userId }: Owner,
  updates: WinUpdate[],
  overfull: (id: number) => void,
): Promise<WinRow[]> {
  if (updates.length === 0) return [];
  const given = asJson(updates);
  if (!(await sql.did(UPDATE_WINS, [userId, given]))) return [];
  const names = updates.filter(changesTags);
  if (names.length > 0) {
    if (sql.isSpread) await changeTagsInSteps(sql, userId, names);
    else await sql.query(CHANGE_TAGS, [userId, given]);
  }
  const added = names.filter(({ add_tag_names }) => add_tag_names).map(({ id }) => id);
  if (added.length > 0) {
    const tooMany = await sql.query<{ id: number }>(WITH_MORE_TAGS, [userId, added, MAX_TAGS]);
    tooMany.forEach(({ id }) => overfull(id));
  }
  return winsOf(
    sql,
    userId,
    updates.map(({ id }) => id),
  );
}

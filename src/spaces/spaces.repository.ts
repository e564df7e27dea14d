import { Injectable } from '@nestjs/common';
import { Json, type Created, type Page } from '../common/json.js';
import { arrayOfRows, jsonRow, withTimes, type JsonRow } from '../database/json.js';
import { jsonPage, type PageRequest } from '../database/pages.js';
import { RAISE_REVISION, ifUnchanged } from '../database/revision.js';
import { Sql, type Owner } from '../database/sql.js';
import type { Space, SpaceChanges, SpaceInput } from './dto/space.js';

const FIELDS = 'id, name, emoji, position, wins_count, created_at, updated_at';
/** What clients see of a row. */
export const SPACE_COLUMNS = withTimes(FIELDS);
const SPACE = jsonRow(SPACE_COLUMNS);

const LIST = jsonPage({
  columns: SPACE_COLUMNS,
  from: 'spaces where user_id = $1',
  order: 'position, id',
  isRevised: true,
});

/** What is deleted with a space is not remembered by itself, once the space is. */
const REMEMBER = `
  insert into deletions (user_id, kind, id, revision)
  select user_id, 'space', id, $3 from spaces where user_id = $1 and id = $2`;

/** Milliseconds that each step of deleting a space may take: enough for some millions of wins. */
const DELETE_TIMEOUT = 120_000;

/** Positions from 0, written only where they change. */
const REORDER = `
  update spaces set position = array_position($2::bigint[], id) - 1
  where user_id = $1 and id = any ($2) and position <> array_position($2::bigint[], id) - 1`;

const ALL = arrayOfRows(`select ${SPACE_COLUMNS} from spaces where user_id = $1 order by position, id`);

@Injectable()
export class SpacesRepository {
  constructor(private readonly sql: Sql) {}

  list(owner: Owner, page: PageRequest): Promise<Page<Space>> {
    return this.sql.page(LIST, owner, page);
  }

  find(owner: Owner, id: number): Promise<Json<Space> | undefined> {
    const text = `select ${SPACE} as json from spaces where user_id = $1 and id = $2`;
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

  /** Without a position the space goes last. Triggers see to that and to the limits. */
  insert(owner: Owner, { name, emoji, position }: SpaceInput): Promise<Created<Space>> {
    const text = `
      insert into spaces (user_id, name, emoji, position) values ($1, $2, $3, $4) returning ${FIELDS}`;
    const values = [owner.userId, name, emoji ?? null, position ?? null];
    return this.sql.writes(owner).created(text, values);
  }

  /** Only what is given changes; an emoji of `null` is given, and means none. */
  update(owner: Owner, id: number, { name, emoji, position }: SpaceChanges): Promise<Json<Space> | undefined> {
    const text = `
      with writer as (${RAISE_REVISION}), space as (
        update spaces set
          name = coalesce($3, name),
          emoji = case when $4 then $5 else emoji end,
          position = coalesce($6, position)
        from writer where spaces.user_id = $1 and spaces.id = $2 returning spaces.*
      )
      select ${SPACE} as json from space`;
    const values = [owner.userId, id, name ?? null, emoji !== undefined, emoji ?? null, position ?? null];
    return this.sql.writes(owner).json(text, values);
  }

  /**
   * Deletes a space with its wins, all or nothing.
   *
   * @returns whether there was one
   */
  async delete(owner: Owner, id: number): Promise<boolean> {
    return (await this.#deleteEmpty(owner, id)) || (await this.#deleteWithWins(owner, id));
  }

  /** One statement is enough where there is no win. A win that comes at the same moment changes the count first. */
  #deleteEmpty(owner: Owner, id: number): Promise<boolean> {
    const text = `
      with writer as (${RAISE_REVISION})
      delete from spaces using writer
      where spaces.user_id = $1 and spaces.id = $2 and wins_count = 0 returning spaces.id`;
    return this.sql.writes(owner).did(text, [owner.userId, id]);
  }

  /**
   * Links, wins and space go set by set: left to the foreign keys, a large space would go row by row.
   */
  #deleteWithWins(owner: Owner, id: number): Promise<boolean> {
    return this.sql.transaction(
      async (sql) => {
        const { userId } = owner;
        const raised = await sql.first<{ revision: number }>(RAISE_REVISION, [userId]);
        await sql.query(REMEMBER, [userId, id, raised?.revision ?? 0]);
        await sql.query(
          `delete from win_tags
           where user_id = $1 and win_id = any (array(select id from wins where user_id = $1 and space_id = $2))`,
          [userId, id],
        );
        await sql.query('delete from wins where user_id = $1 and space_id = $2', [userId, id]);
        const text = 'delete from spaces where user_id = $1 and id = $2 returning id';
        return sql.did(text, [userId, id]);
      },
      { owner, timeout: DELETE_TIMEOUT },
    );
  }

  /**
   * Puts the spaces in an order.
   *
   * @param check is given the ids of all the user's spaces, once no other can come, and throws if the order is not of these
   * @returns all spaces in their new order
   */
  reorder(owner: Owner, ids: number[], check: (all: number[]) => void): Promise<Json<Space[]>> {
    return this.sql.transaction(
      async (sql) => {
        const { userId } = owner;
        await sql.query(RAISE_REVISION, [userId]);
        const all = await sql.query<{ id: number }>('select id from spaces where user_id = $1 order by id', [userId]);
        check(all.map(({ id }) => id));
        await sql.query(REORDER, [userId, ids]);
        return new Json<Space[]>((await sql.one<JsonRow>(ALL, [userId])).json);
      },
      { owner },
    );
  }

  /**
   * Moves the wins of a space to another, set by set, and deletes it.
   *
   * @returns `false` if there is no such space, `undefined` if there is no such other space
   */
  deleteAfterMove(owner: Owner, id: number, otherId: number): Promise<boolean | undefined> {
    return this.sql.transaction(
      async (sql) => {
        const { userId } = owner;
        const { revision } = await sql.one<{ revision: number }>(RAISE_REVISION, [userId]);
        const both = 'select id from spaces where user_id = $1 and id in ($2, $3)';
        const found = await sql.query<{ id: number }>(both, [userId, id, otherId]);
        if (!found.some((space) => space.id === id)) return false;
        if (found.length < 2) return undefined;
        const move = 'update wins set space_id = $3, revision = $4 where user_id = $1 and space_id = $2';
        await sql.query(move, [userId, id, otherId, revision]);
        return sql.did('delete from spaces where user_id = $1 and id = $2 returning id', [userId, id]);
      },
      { owner, timeout: DELETE_TIMEOUT },
    );
  }
}

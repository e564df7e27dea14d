import { Injectable } from '@nestjs/common';
import type { Created, Json, Page } from '../common/json.js';
import { jsonRow, jsonTime } from '../database/json.js';
import { jsonPage, type PageRequest } from '../database/pages.js';
import { Sql } from '../database/sql.js';
import { LOCK_USER } from '../auth/users.repository.js';
import type { Space, SpaceChanges, SpaceInput } from './dto/space.js';

const COLUMNS = `
  id, name, emoji, position, wins_count,
  ${jsonTime('created_at')} as created_at, ${jsonTime('updated_at')} as updated_at`;
const SPACE = jsonRow(COLUMNS);

const LIST = jsonPage({ columns: COLUMNS, from: 'spaces where user_id = $1', order: 'position, id' });

/** Milliseconds that each step of deleting a space may take: enough for some millions of wins. */
const DELETE_TIMEOUT = 120_000;

@Injectable()
export class SpacesRepository {
  constructor(private readonly sql: Sql) {}

  list(userId: number, page: PageRequest): Promise<Page<Space>> {
    return this.sql.page(LIST, userId, page);
  }

  find(userId: number, id: number): Promise<Json<Space> | undefined> {
    const text = `select ${SPACE} as json from spaces where user_id = $1 and id = $2`;
    return this.sql.shared(userId).json(text, [userId, id]);
  }

  /** Without a position the space goes last. Triggers see to that and to the limits. */
  insert(userId: number, { name, emoji, position }: SpaceInput): Promise<Created<Space>> {
    const text = `
      insert into spaces (user_id, name, emoji, position) values ($1, $2, $3, $4) returning id, ${SPACE} as json`;
    const values = [userId, name, emoji ?? null, position ?? null];
    return this.sql.writes(userId).created(text, values);
  }

  /** Only what is given changes; an emoji of `null` is given, and means none. */
  update(userId: number, id: number, { name, emoji, position }: SpaceChanges): Promise<Json<Space> | undefined> {
    const text = `
      update spaces set
        name = coalesce($3, name),
        emoji = case when $4 then $5 else emoji end,
        position = coalesce($6, position)
      where user_id = $1 and id = $2 returning ${SPACE} as json`;
    const values = [userId, id, name ?? null, emoji !== undefined, emoji ?? null, position ?? null];
    return this.sql.writes(userId).json(text, values);
  }

  /**
   * Deletes a space with its wins, all or nothing.
   *
   * @returns whether there was one
   */
  async delete(userId: number, id: number): Promise<boolean> {
    return (await this.#deleteEmpty(userId, id)) || (await this.#deleteWithWins(userId, id));
  }

  /** One statement is enough where there is no win. A win that comes at the same moment changes the count first. */
  #deleteEmpty(userId: number, id: number): Promise<boolean> {
    const text = 'delete from spaces where user_id = $1 and id = $2 and wins_count = 0 returning id';
    return this.sql.writes(userId).did(text, [userId, id]);
  }

  /**
   * The user's row is locked first, as by every change of wins. Links, wins and space go set by set: left to the foreign
   * keys, a large space would go row by row.
   */
  #deleteWithWins(userId: number, id: number): Promise<boolean> {
    return this.sql.transaction(
      async (sql) => {
        await sql.query(LOCK_USER, [userId]);
        await sql.query(
          `delete from win_tags using wins
           where wins.user_id = $1 and wins.space_id = $2 and win_tags.user_id = $1 and win_tags.win_id = wins.id`,
          [userId, id],
        );
        await sql.query('delete from wins where user_id = $1 and space_id = $2', [userId, id]);
        const text = 'delete from spaces where user_id = $1 and id = $2 returning id';
        return sql.did(text, [userId, id]);
      },
      { userId, timeout: DELETE_TIMEOUT },
    );
  }
}

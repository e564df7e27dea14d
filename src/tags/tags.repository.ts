import { Injectable } from '@nestjs/common';
import { LOCK_USER } from '../auth/users.repository.js';
import type { Created, Json, Page } from '../common/json.js';
import { jsonRow, jsonTime } from '../database/json.js';
import { jsonPage, type PageRequest } from '../database/pages.js';
import { Sql } from '../database/sql.js';
import type { Tag } from './dto/tag.js';

const COLUMNS = `id, name, wins_count, ${jsonTime('created_at')} as created_at`;
const TAG = jsonRow(COLUMNS);

/** Alphabetically, as the column's collation has it. No two names of a user are the same. */
const LIST = jsonPage({
  columns: COLUMNS,
  from: 'tags where user_id = $1',
  order: 'name',
  total: 'select coalesce(sum(tags_count), 0) from users where id = $1',
});

@Injectable()
export class TagsRepository {
  constructor(private readonly sql: Sql) {}

  list(userId: number, page: PageRequest): Promise<Page<Tag>> {
    return this.sql.page(LIST, userId, page);
  }

  find(userId: number, id: number): Promise<Json<Tag> | undefined> {
    const text = `select ${TAG} as json from tags where user_id = $1 and id = $2`;
    return this.sql.shared(userId).json(text, [userId, id]);
  }

  /** @returns the id of the tag with this name, in any case */
  async findByName(userId: number, name: string): Promise<number | undefined> {
    const text = 'select id from tags where user_id = $1 and fold_case(name) = (select fold_case($2))';
    return (await this.sql.shared(userId).first<{ id: number }>(text, [userId, name]))?.id;
  }

  /**
   * The user's row is locked first, as by every change of tags: counting the tag would lock it later, with the name in
   * hand, and so could wait for a win that waits for the name. Without a user the foreign key rejects the tag.
   */
  insert(userId: number, name: string): Promise<Created<Tag>> {
    const text = `
      insert into tags (user_id, name)
      values (coalesce((${LOCK_USER}), $1), $2)
      returning id, ${TAG} as json`;
    return this.sql.writes(userId).created(text, [userId, name]);
  }

  /**
   * The user's row is locked against writers of wins: else this, with one name in hand and waiting for another, and a win
   * that creates tags of both could wait for each other. Renames go side by side; should two of them swap names, PostgreSQL
   * ends one and it is retried.
   */
  rename(userId: number, id: number, name: string): Promise<Json<Tag> | undefined> {
    const text = `
      with writer as (select id as user_id from users where id = $1 for share), tag as (
        update tags set name = $3 from writer where tags.user_id = writer.user_id and tags.id = $2 returning tags.*
      )
      select ${TAG} as json from tag`;
    return this.sql.writes(userId).json(text, [userId, id, name]);
  }

  /**
   * The user's row is locked first, so that this and a change of a win's tags can't wait for each other.
   *
   * @returns whether there was one
   */
  delete(userId: number, id: number): Promise<boolean> {
    const text = `
      with writer as (${LOCK_USER})
      delete from tags using writer where tags.user_id = writer.id and tags.id = $2 returning tags.id`;
    return this.sql.of(userId).did(text, [userId, id]); // takes its links along, however many
  }
}

import { Injectable } from '@nestjs/common';
import type { Created, Json, Page } from '../common/json.js';
import { jsonRow, jsonTime } from '../database/json.js';
import { jsonPage, type PageRequest } from '../database/pages.js';
import { RAISE_REVISION, whileCurrent } from '../database/revision.js';
import { Sql, type Owner } from '../database/sql.js';
import type { Tag } from './dto/tag.js';

const COLUMNS = `id, name, wins_count, ${jsonTime('created_at')} as created_at`;
const TAG = jsonRow(COLUMNS);

/** Alphabetically, as the column's collation has it. No two names of a user are the same. */
const LIST = jsonPage({
  columns: COLUMNS,
  from: 'tags where user_id = $1',
  order: 'name',
  isRevised: true,
  total: 'select coalesce(sum(tags_count), 0) from users where id = $1',
});

@Injectable()
export class TagsRepository {
  constructor(private readonly sql: Sql) {}

  list(owner: Owner, page: PageRequest): Promise<Page<Tag>> {
    return this.sql.page(LIST, owner, page);
  }

  find(owner: Owner, id: number): Promise<Json<Tag> | undefined> {
    const text = `select ${TAG} as json from tags where user_id = $1 and id = $2`;
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

  /** @returns the id of the tag with this name, in any case */
  async findByName(owner: Owner, name: string): Promise<number | undefined> {
    const text = 'select id from tags where user_id = $1 and fold_case(name) = (select fold_case($2))';
    return (await this.sql.shared(owner).first<{ id: number }>(text, [owner.userId, name]))?.id;
  }

  /** Without a user the foreign key rejects the tag. */
  insert(owner: Owner, name: string): Promise<Created<Tag>> {
    const text = `
      with writer as (${RAISE_REVISION})
      insert into tags (user_id, name, revision) values ($1, $2, coalesce((select revision from writer), 0))
      returning id, ${TAG} as json`;
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
      delete from tags using writer where tags.user_id = writer.user_id and tags.id = $2 returning tags.id`;
    return this.sql.of(owner).did(text, [owner.userId, id]); // takes its links along, however many
  }
}

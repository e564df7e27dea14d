import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Created, Json, jsonArray, jsonRow, jsonTime, type Page } from '../common/json.js';
import type { PageQuery } from '../common/pagination.js';
import type { Tag } from './dto/tag.js';

const TAG = jsonRow(`id, name, wins_count, ${jsonTime('created_at')} as created_at`);

@Injectable()
export class TagsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Alphabetically, as the column's collation has it; ties by id. */
  async list(userId: number, page: PageQuery): Promise<Page<Tag>> {
    const [row] = await this.dataSource.query<[{ total: number; json: string }]>(
      `select
         (select count(*) from tags where user_id = $1) as total,
         ${jsonArray(`select ${TAG} from tags where user_id = $1 order by name, id limit $2 offset $3`)} as json`,
      [userId, page.limit, page.offset],
    );
    return page.of(row);
  }

  async find(userId: number, id: number): Promise<Json<Tag> | undefined> {
    const [row] = await this.dataSource.query<{ json: string }[]>(
      `select ${TAG} as json from tags where user_id = $1 and id = $2`,
      [userId, id],
    );
    return row && new Json(row.json);
  }

  async insert(userId: number, name: string): Promise<Created<Tag>> {
    const [row] = await this.dataSource.query<[{ id: number; json: string }]>(
      `insert into tags (user_id, name) values ($1, $2) returning id, ${TAG} as json`,
      [userId, name],
    );
    return new Created(row.json, row.id);
  }

  async rename(userId: number, id: number, name: string): Promise<Json<Tag> | undefined> {
    const [[row]] = await this.dataSource.query<[{ json: string }[], number]>(
      `update tags set name = $3 where user_id = $1 and id = $2 returning ${TAG} as json`,
      [userId, id, name],
    );
    return row && new Json(row.json);
  }

  /** The user's row is locked first, so that this and a change of a win's tags can't wait for each other. */
  async delete(userId: number, id: number): Promise<boolean> {
    const [, count] = await this.dataSource.query<[unknown, number]>(
      `with writer as (select id from users where id = $1 for no key update)
       delete from tags using writer where tags.user_id = writer.id and tags.id = $2`,
      [userId, id],
    );
    return count > 0;
  }
}

import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Created, Json, jsonArray, jsonRow, jsonTime, type Page } from '../common/json.js';
import type { PageQuery } from '../common/pagination.js';
import type { Space, SpaceChanges, SpaceInput } from './dto/space.js';

const SPACE = jsonRow(`
  id, name, emoji, position, wins_count,
  ${jsonTime('created_at')} as created_at, ${jsonTime('updated_at')} as updated_at`);

@Injectable()
export class SpacesRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** By position; ties by id. */
  async list(userId: number, page: PageQuery): Promise<Page<Space>> {
    const [row] = await this.dataSource.query<[{ total: number; json: string }]>(
      `select
         (select count(*) from spaces where user_id = $1) as total,
         ${jsonArray(`select ${SPACE} from spaces where user_id = $1 order by position, id limit $2 offset $3`)} as json`,
      [userId, page.limit, page.offset],
    );
    return page.of(row);
  }

  async find(userId: number, id: number): Promise<Json<Space> | undefined> {
    const [row] = await this.dataSource.query<{ json: string }[]>(
      `select ${SPACE} as json from spaces where user_id = $1 and id = $2`,
      [userId, id],
    );
    return row && new Json(row.json);
  }

  /** Without a position the space goes last; the trigger `trg_spaces_admit` sees to that and to the plan's limit. */
  async insert(userId: number, { name, emoji, position }: SpaceInput): Promise<Created<Space>> {
    const [row] = await this.dataSource.query<[{ id: number; json: string }]>(
      `insert into spaces (user_id, name, emoji, position) values ($1, $2, $3, $4) returning id, ${SPACE} as json`,
      [userId, name, emoji ?? null, position ?? null],
    );
    return new Created(row.json, row.id);
  }

  /** Only what is given changes; an emoji of `null` is given, and means none. */
  async update(userId: number, id: number, { name, emoji, position }: SpaceChanges): Promise<Json<Space> | undefined> {
    const [[row]] = await this.dataSource.query<[{ json: string }[], number]>(
      `update spaces set
         name = coalesce($3, name),
         emoji = case when $4 then $5 else emoji end,
         position = coalesce($6, position)
       where user_id = $1 and id = $2 returning ${SPACE} as json`,
      [userId, id, name ?? null, emoji !== undefined, emoji ?? null, position ?? null],
    );
    return row && new Json(row.json);
  }

  /**
   * Deletes a space with its wins, all or nothing. The user's row is locked first, as by every change of wins.
   * Links, wins and space go set by set: left to the foreign keys, a large space would go row by row.
   */
  async delete(userId: number, id: number): Promise<boolean> {
    return this.dataSource.transaction(async (manager) => {
      await manager.query('select from users where id = $1 for no key update', [userId]);
      await manager.query(
        `delete from win_tags using wins
         where wins.user_id = $1 and wins.space_id = $2 and win_tags.user_id = $1 and win_tags.win_id = wins.id`,
        [userId, id],
      );
      await manager.query('delete from wins where user_id = $1 and space_id = $2', [userId, id]);
      const [, count] = await manager.query<[unknown, number]>('delete from spaces where user_id = $1 and id = $2', [
        userId,
        id,
      ]);
      return count > 0;
    });
  }
}

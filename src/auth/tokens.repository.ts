import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Created, Json, jsonArray, jsonRow, jsonTime, type Page } from '../common/json.js';
import type { PageQuery } from '../common/pagination.js';
import { ApiToken, type Scope } from './api-token.entity.js';
import type { Caller } from './caller.js';
import type { Token } from './dto/token.js';

const FIELDS = `id, name, scope, ${jsonTime('expires_at')} as expires_at, ${jsonTime('created_at')} as created_at`;

/** What a new token is made with. */
export interface NewToken {
  name: string;
  scope: Scope;
  expiresAt: Date | null;
}

/** The digests of API tokens. */
@Injectable()
export class TokensRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** The caller whose token has this digest, unless it has expired. */
  async findCaller(digest: Buffer): Promise<Caller | undefined> {
    const [caller] = await this.dataSource.query<Caller[]>(
      `select user_id as "userId", id as "tokenId", scope, expires_at as "expiresAt"
       from api_tokens where digest = $1 and (expires_at is null or expires_at > now())`,
      [digest],
    );
    return caller;
  }

  /** All tokens of a user, oldest first. */
  async all(userId: number): Promise<Omit<ApiToken, 'digest' | 'user'>[]> {
    return this.dataSource.getRepository(ApiToken).find({
      select: { id: true, name: true, scope: true, expiresAt: true, createdAt: true },
      where: { userId },
      order: { id: 'asc' },
    });
  }

  async list(userId: number, page: PageQuery): Promise<Page<Token>> {
    const [row] = await this.dataSource.query<[{ total: number; json: string }]>(
      `select
         (select count(*) from api_tokens where user_id = $1) as total,
         ${jsonArray(`select ${jsonRow(FIELDS)} from api_tokens where user_id = $1 order by id limit $2 offset $3`)} as json`,
      [userId, page.limit, page.offset],
    );
    return page.of(row);
  }

  async find(userId: number, id: number): Promise<Json<Token> | undefined> {
    const [row] = await this.dataSource.query<{ json: string }[]>(
      `select ${jsonRow(FIELDS)} as json from api_tokens where user_id = $1 and id = $2`,
      [userId, id],
    );
    return row && new Json(row.json);
  }

  /** Stores a token by its digest. */
  async insert(userId: number, digest: Buffer, made: NewToken): Promise<Created<Token>> {
    const [row] = await this.dataSource.query<[{ id: number; json: string }]>(
      `insert into api_tokens (user_id, digest, name, scope, expires_at) values ($1, $2, $3, $4, $5)
       returning id, ${jsonRow(FIELDS)} as json`,
      [userId, digest, made.name, made.scope, made.expiresAt],
    );
    return new Created(row.json, row.id);
  }

  /** @returns whether there was one */
  async delete(userId: number, id: number): Promise<boolean> {
    const [, count] = await this.dataSource.query<[unknown, number]>(
      'delete from api_tokens where user_id = $1 and id = $2',
      [userId, id],
    );
    return count > 0;
  }
}

import { Injectable } from '@nestjs/common';
import type { Caller, Scope } from '../common/caller.js';
import type { Created, Json, Page } from '../common/json.js';
import { ReadOnlyServerError } from '../database/errors.js';
import { jsonRow, withTimes } from '../database/json.js';
import { jsonPage, type PageRequest } from '../database/pages.js';
import { NOBODY, Sql, type Owner } from '../database/sql.js';
import type { Token } from './dto/token.js';

const FIELDS = 'id, name, scope, expires_at, created_at';
const COLUMNS = withTimes(FIELDS);
const TOKEN = jsonRow(COLUMNS);

const LIST = jsonPage({ columns: COLUMNS, from: 'api_tokens where user_id = $1', order: 'id' });

/** In milliseconds, at most a day, so that it is a number even where `expires_at` is infinite. */
const LIFETIME = `
  case when expires_at is not null then
    least(greatest(floor(1000 * (extract(epoch from expires_at) - extract(epoch from now()))), 1), 86400000)::float8
  end`;

const CALLER = `
  select is_standby as "isStandby", user_id as "userId", id as "tokenId", scope,
    nullif(expires_at, 'infinity') as "expiresAt", ${LIFETIME} as lifetime
  from pg_is_in_recovery() is_standby
  left join api_tokens on digest = $1 and (expires_at is null or expires_at > now())`;
const CALLER_OF_USER = `${CALLER} and user_id = $2`;

/** A caller as they were looked up. */
export interface FoundCaller extends Caller {
  /** Milliseconds until the token expires, at least 1; `null` is never. */
  lifetime: number | null;
}

export interface NewToken {
  name: string;
  scope: Scope;
  expiresAt: Date | null;
}

/** What an operator sees of a token. */
export interface TokenSummary {
  id: number;
  name: string;
  scope: Scope;
  expiresAt: Date | null;
  createdAt: Date;
}

/** API tokens, by their digests. */
@Injectable()
export class TokensRepository {
  constructor(private readonly sql: Sql) {}

  /**
   * The caller whose token has this digest, unless it has expired.
   *
   * @param userId of the user who is said to have it; if omitted, it is looked for among those of all users
   * @throws ReadOnlyServerError from a standby, which may not know yet what was created or revoked
   */
  async findCaller(digest: Buffer, userId?: number): Promise<FoundCaller | undefined> {
    const [text, values] = userId === undefined ? [CALLER, [digest]] : [CALLER_OF_USER, [digest, userId]];
    const { isStandby, ...caller } = await this.sql
      .shared(NOBODY)
      .one<FoundCaller & { isStandby: boolean }>(text, values);
    if (isStandby) throw new ReadOnlyServerError();
    return caller.userId === null ? undefined : caller;
  }

  /** All tokens of a user, oldest first. */
  all(userId: number): Promise<TokenSummary[]> {
    const text = `
      select id, name, scope, expires_at as "expiresAt", created_at as "createdAt"
      from api_tokens where user_id = $1 order by id`;
    return this.sql.query<TokenSummary>(text, [userId]);
  }

  list(owner: Owner, page: PageRequest): Promise<Page<Token>> {
    return this.sql.page(LIST, owner, page);
  }

  find(owner: Owner, id: number): Promise<Json<Token> | undefined> {
    const text = `select ${TOKEN} as json from api_tokens where user_id = $1 and id = $2`;
    return this.sql.shared(owner).json(text, [owner.userId, id]);
  }

  insert(owner: Owner, digest: Buffer, { name, scope, expiresAt }: NewToken): Promise<Created<Token>> {
    const text = `
      insert into api_tokens (user_id, digest, name, scope, expires_at) values ($1, $2, $3, $4, $5) returning ${FIELDS}`;
    return this.sql.writes(owner).created(text, [owner.userId, digest, name, scope, expiresAt]);
  }

  /** @returns whether there was one */
  delete(owner: Owner, id: number): Promise<boolean> {
    const text = 'delete from api_tokens where user_id = $1 and id = $2 returning id';
    return this.sql.writes(owner).did(text, [owner.userId, id]);
  }
}

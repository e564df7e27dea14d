import { Injectable } from '@nestjs/common';
import type { Json } from '../common/json.js';
import { jsonRow, jsonTime } from '../database/json.js';
import { RAISE_REVISION } from '../database/revision.js';
import { Sql, type Owner } from '../database/sql.js';
import type { Account } from './dto/account.js';
import { LIMITS } from './limits.js';

/** What an operator sees of a user. */
export interface UserSummary {
  id: number;
  email: string;
  plan: string;
  createdAt: Date;
}

/** @param max the SQL of how many there may be @param used that of how many there are */
const limit = (max: string, used: string) => `json_build_object('max', ${max}, 'used', ${used})`;

const ACCOUNT = jsonRow(`
  u.email, u.plan,
  json_build_object(
    'spaces', ${limit(`least(p.max_spaces, ${LIMITS.spaces})`, '(select count(*) from spaces where user_id = $1)')},
    'tags', ${limit(`${LIMITS.tags}`, 'u.tags_count')},
    'tokens', ${limit(
      `${LIMITS.tokens}`,
      '(select count(*) from api_tokens where user_id = $1 and (expires_at is null or expires_at > now()))',
    )}
  ) as limits,
  ${jsonTime('u.created_at')} as created_at`);

/** What users have, children before what they refer to. What is missing here would go too, only slower. */
const OWNED = ['win_tags', 'wins', 'tags', 'spaces', 'deletions', 'idempotency_keys', 'api_tokens'];

/** Wins of a deleted space are not remembered one by one, and nobody will ask for those of a deleted user. */
const REMEMBER_SPACES = `
  insert into deletions (user_id, kind, id, revision) select user_id, 'space', id, 0 from spaces where user_id = $1
  on conflict do nothing`;

/** Milliseconds that each step of deleting a user may take, also to wait for what that user does at the moment. */
const DELETE_TIMEOUT = 3_600_000;

/** Where no index sees all users, who has an email is told by a table of its own. */
const CLAIM_EMAIL = 'insert into emails (email, user_id) values (lower($1), $2)';
const FREE_EMAIL = 'delete from emails where email = lower($1) and user_id = $2';

/** Milliseconds after which the user of a claim is there, or never will be. */
const CLAIM_SETTLES = 600_000;

const SUMMARY = 'id, email, plan, created_at as "createdAt"';

/** Users, for themselves and for the operator. */
@Injectable()
export class UsersRepository {
  constructor(private readonly sql: Sql) {}

  /** What a user sees of their own account; `undefined` if they were deleted a moment ago. */
  findAccount(owner: Owner): Promise<Json<Account> | undefined> {
    const text = `select ${ACCOUNT} as json from users u join plans p on p.name = u.plan where u.id = $1`;
    return this.sql.shared(owner).json(text, [owner.userId]);
  }

  /** @param email in any case */
  findByEmail(email: string): Promise<UserSummary | undefined> {
    return this.sql.first(`select ${SUMMARY} from users where lower(email) = lower($1)`, [email]);
  }

  list(): Promise<UserSummary[]> {
    return this.sql.query(`select ${SUMMARY} from users order by id`);
  }

  async insert(email: string, plan: string): Promise<UserSummary> {
    if (this.sql.isSpread) await this.#freeEmailOfNobody(email);
    return this.sql.transaction(async (sql) => {
      const text = `insert into users (email, plan) values ($1, $2) returning ${SUMMARY}`;
      const user = await sql.one<UserSummary>(text, [email, plan]);
      if (sql.isSpread) await sql.query(CLAIM_EMAIL, [email, user.id]);
      return user;
    });
  }

  /**
   * In case that deleting its user was cut off just before the end. A claim whose user is not there yet is young: machines
   * commit one after the other, after a crash up to a minute.
   */
  async #freeEmailOfNobody(email: string): Promise<void> {
    const text = 'select user_id from emails where email = lower($1) and claimed_at < $2';
    const claim = await this.sql.first<{ user_id: number }>(text, [email, new Date(Date.now() - CLAIM_SETTLES)]);
    if (claim === undefined || (await this.sql.did('select id from users where id = $1', [claim.user_id]))) return;
    await this.sql.query(FREE_EMAIL, [email, claim.user_id]);
  }

  async setPlan(id: number, plan: string): Promise<void> {
    await this.sql.query('update users set plan = $2 where id = $1', [id, plan]);
  }

  /** Lets no other transaction write the user's wins, tags and spaces until this one ends. */
  async lock(id: number): Promise<void> {
    await this.sql.query(RAISE_REVISION, [id]);
  }

  /**
   * Deletes a user with everything they have, all or nothing. Others are not affected; whoever writes for this user meanwhile
   * waits and gets a 503, or afterwards a 401. Everything goes set by set, children first: left to the foreign keys,
   * a large account would go row by row.
   */
  async delete(id: number): Promise<void> {
    const gone = await this.sql.transaction(
      async (sql) => {
        // The user's rows may be on another machine of a cluster, which is to wait as long.
        await sql.query(`set local citus.propagate_set_commands = 'local'; set local lock_timeout = ${DELETE_TIMEOUT}`);
        await sql.query('select from users where id = $1 for update', [id]);
        await sql.query(REMEMBER_SPACES, [id]);
        for (const table of OWNED) await sql.query(`delete from ${table} where user_id = $1`, [id]);
        return sql.first<{ email: string }>('delete from users where id = $1 returning email', [id]);
      },
      { timeout: DELETE_TIMEOUT },
    );
    // By itself: Citus can't commit on two machines what tells others of a revoked token.
    if (gone !== undefined && this.sql.isSpread) await this.sql.query(FREE_EMAIL, [gone.email, id]);
  }
}

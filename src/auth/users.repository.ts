import { Injectable } from '@nestjs/common';
import type { Json } from '../common/json.js';
import { jsonRow, jsonTime } from '../database/json.js';
import { Sql } from '../database/sql.js';
import type { Account } from './dto/account.js';

/** What an operator sees of a user. */
export interface UserSummary {
  id: number;
  email: string;
  plan: string;
  createdAt: Date;
}

const SPACES = 'p.max_spaces as max, (select count(*) from spaces s where s.user_id = u.id) as used';
const ACCOUNT = jsonRow(`
  u.email, u.plan,
  (select row_to_json(limits) from (select (select row_to_json(s) from (select ${SPACES}) s) as spaces) limits) as limits,
  ${jsonTime('u.created_at')} as created_at`);

const SUMMARY = 'id, email, plan, created_at as "createdAt"';

/** Users, for themselves and for the operator. */
@Injectable()
export class UsersRepository {
  constructor(private readonly sql: Sql) {}

  /** What a user sees of their own account; `undefined` if they were deleted a moment ago. */
  findAccount(userId: number): Promise<Json<Account> | undefined> {
    const text = `select ${ACCOUNT} as json from users u join plans p on p.name = u.plan where u.id = $1`;
    return this.sql.shared(userId).json(text, [userId]);
  }

  /** @param email in any case */
  findByEmail(email: string): Promise<UserSummary | undefined> {
    return this.sql.first(`select ${SUMMARY} from users where lower(email) = lower($1)`, [email]);
  }

  list(): Promise<UserSummary[]> {
    return this.sql.query(`select ${SUMMARY} from users order by id`);
  }

  insert(email: string, plan: string): Promise<UserSummary> {
    return this.sql.one(`insert into users (email, plan) values ($1, $2) returning ${SUMMARY}`, [email, plan]);
  }

  async setPlan(id: number, plan: string): Promise<void> {
    await this.sql.query('update users set plan = $2 where id = $1', [id, plan]);
  }

  /** Lets no other transaction write the user's wins, tags and spaces until this one ends. */
  async lock(id: number): Promise<void> {
    await this.sql.query('select from users where id = $1 for no key update', [id]);
  }

  /** Everything of the user goes too. */
  async delete(id: number): Promise<void> {
    await this.sql.query('delete from users where id = $1', [id]);
  }
}

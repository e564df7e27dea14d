import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Json, jsonRow, jsonTime } from '../common/json.js';
import type { Account } from './dto/account.js';
import { User } from './user.entity.js';

const ACCOUNT = jsonRow(`
  u.email, u.plan,
  (select row_to_json(limits) from (select
    (select row_to_json(spaces) from (select
      p.max_spaces as max, (select count(*) from spaces s where s.user_id = u.id) as used) spaces) as spaces) limits) as limits,
  ${jsonTime('u.created_at')} as created_at`);

/** Users, for sign-in and the operator. */
@Injectable()
export class UsersRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** What a user sees of their own account. */
  async findAccount(userId: number): Promise<Json<Account> | undefined> {
    const [row] = await this.dataSource.query<{ json: string }[]>(
      `select ${ACCOUNT} as json from users u join plans p on p.name = u.plan where u.id = $1`,
      [userId],
    );
    return row && new Json(row.json);
  }

  /** @param email in any case */
  async findByEmail(email: string): Promise<User | null> {
    return this.dataSource
      .createQueryBuilder(User, 'user')
      .where('lower(user.email) = lower(:email)', { email })
      .getOne();
  }

  async list(): Promise<User[]> {
    return this.dataSource.getRepository(User).find({ order: { id: 'asc' } });
  }

  async insert(email: string, plan: string): Promise<User> {
    return this.dataSource.getRepository(User).save({ email, plan });
  }

  async setPlan(id: number, plan: string): Promise<void> {
    await this.dataSource.getRepository(User).update({ id }, { plan });
  }

  /** Everything of the user goes too. */
  async delete(id: number): Promise<void> {
    await this.dataSource.getRepository(User).delete({ id });
  }
}

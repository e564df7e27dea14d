import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import type { Scope } from '../../src/common/caller.js';
import { AuthService } from '../../src/auth/auth.service.js';
import { TokensRepository } from '../../src/auth/tokens.repository.js';
import { UsersRepository } from '../../src/auth/users.repository.js';
import { Sql } from '../../src/database/sql.js';

/** A user and a token of theirs. */
export interface Person {
  id: number;
  email: string;
  token: string;
}

/** Makes fresh rows, so that no test meets another's. What the API does is not made here but by calls. */
export class Factory {
  readonly auth: AuthService;

  constructor(private readonly dataSource: DataSource) {
    const sql = new Sql(dataSource);
    this.auth = new AuthService(new UsersRepository(sql), new TokensRepository(sql));
  }

  async person({ plan = 'free', scope = 'write' as Scope } = {}): Promise<Person> {
    const email = `${randomUUID()}@example.com`;
    const { id } = await this.auth.createUser(email, plan);
    return { id, email, token: await this.token(id, { scope }) };
  }

  async token(userId: number, { scope = 'write' as Scope, expiresAt = null as Date | null } = {}): Promise<string> {
    return (await this.auth.issueToken({ userId }, { name: 'Test', scope, expiresAt })).token;
  }

  /** Wins written by SQL, as a writer outside the service would; each carries the tags. @returns their ids */
  async wins(
    person: Person,
    spaceId: number,
    { count = 1, tagIds = [] as number[], day = '2026-01-31' } = {},
  ): Promise<number[]> {
    const rows = await this.dataSource.query<{ id: number }[]>(
      `insert into wins (user_id, space_id, body, occurred_on)
       select $1, $2, 'Win ' || n, $4 from generate_series(1, $3) n returning id`,
      [person.id, spaceId, count, day],
    );
    const ids = rows.map(({ id }) => id);
    await this.dataSource.query(
      `insert into win_tags (user_id, win_id, tag_id, occurred_on)
       select $1, win_id, tag_id, $4 from unnest($2::bigint[]) win_id, unnest($3::bigint[]) tag_id`,
      [person.id, ids, tagIds, day],
    );
    return ids;
  }
}

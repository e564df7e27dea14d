import { Injectable } from '@nestjs/common';
import { BATCH, deleteOld } from '../database/delete-old.js';
import { Sql } from '../database/sql.js';

/** What a response has beside the status, which is that of the operation. */
export interface KeptResponse {
  location: string | null;
  /** `null` if it had a secret. */
  body: string | null;
}

/** A request that was done, and its response. */
export interface Done extends KeptResponse {
  fingerprint: Buffer;
}

/** Keys of requests, with their responses. */
@Injectable()
export class IdempotencyRepository {
  constructor(private readonly sql: Sql) {}

  /**
   * Claims a key for this transaction. If another transaction has it, waits for its end.
   *
   * @returns whether it was free
   */
  claim(userId: number, key: string, fingerprint: Buffer): Promise<boolean> {
    const text = `
      insert into idempotency_keys (user_id, key, fingerprint) values ($1, $2, $3)
      on conflict (user_id, key) do nothing returning key`;
    return this.sql.did(text, [userId, key, fingerprint]);
  }

  find(userId: number, key: string): Promise<Done | undefined> {
    const text = 'select fingerprint, location, body from idempotency_keys where user_id = $1 and key = $2';
    return this.sql.first<Done>(text, [userId, key]);
  }

  async complete(userId: number, key: string, status: number, { location, body }: KeptResponse): Promise<void> {
    const text = `
      update idempotency_keys set status = $3, location = $4, body = $5 where user_id = $1 and key = $2`;
    await this.sql.query(text, [userId, key, status, location, body]);
  }

  /**
   * Deletes some of the keys that have expired, user by user; other instances may do the same at the same time.
   *
   * @returns whether there may be more
   */
  deleteExpired(): Promise<boolean> {
    const text = `
      with expired as (
        select key from idempotency_keys where user_id = $1 and created_at < now() - interval '24 hours'
        order by created_at limit ${BATCH} for update skip locked
      )
      delete from idempotency_keys using expired
      where idempotency_keys.user_id = $1 and idempotency_keys.key = expired.key
      returning 1`;
    return deleteOld(
      this.sql,
      `idempotency_keys where created_at < now() - interval '24 hours' order by created_at`,
      text,
    );
  }
}

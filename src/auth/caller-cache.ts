import { hash } from 'node:crypto';
import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Listener } from '../database/listener.js';
import { Sql } from '../database/sql.js';
import { AuthService } from './auth.service.js';
import type { Caller } from './caller.js';

/** The channel on which the database tells that tokens of a user changed; the message is the user's id, or `EVERYBODY`. */
const CHANNEL = 'api_tokens';
const EVERYBODY = '';

/** How many callers are remembered; each takes some hundred bytes. */
const CAPACITY = 10_000;

/** What stands for a token here, so that the token itself is not kept. */
const keyOf = (token: string) => hash('sha256', token, 'base64');

/**
 * Remembers who a token stands for, so that most requests need no look-up. The database tells every instance the moment
 * a token changes, whoever changed it; what is remembered counts only while that is proven to be heard, so a token that
 * was revoked is refused within a second at the latest. Tokens themselves are not kept, only their digests; what is not
 * valid is not remembered.
 */
@Injectable()
export class CallerCache implements OnModuleInit, OnModuleDestroy {
  readonly #callers = new LRUCache<string, Caller>({ max: CAPACITY });
  readonly #listener: Listener;
  /** How many callers were found here, and how many had to be looked up. */
  hits = 0;
  misses = 0;

  /** Counts what was heard: a look-up that was under way meanwhile may have read the row as it was before. */
  #changes = 0;

  constructor(
    private readonly auth: AuthService,
    sql: Sql,
  ) {
    this.#listener = new Listener(sql.url, CHANNEL, {
      onMessage: (user) => this.#forget((caller) => user === EVERYBODY || caller.userId === Number(user)),
      onReconnect: () => this.#forget(() => true),
    });
  }

  onModuleInit(): void {
    this.#listener.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.#listener.stop();
  }

  /** The caller a token stands for, if that is remembered. */
  recall(token: string): Caller | undefined {
    const known = this.#listener.isCurrent ? this.#callers.get(keyOf(token)) : undefined;
    if (known === undefined || (known.expiresAt !== null && known.expiresAt.getTime() <= Date.now())) return undefined;
    this.hits++;
    return known;
  }

  /**
   * The caller a token stands for; `undefined` if it is malformed, unknown, expired or revoked.
   *
   * @throws ReadOnlyServerError while only a standby is reached
   */
  async find(token: string): Promise<Caller | undefined> {
    this.misses++;
    const changes = this.#changes;
    const caller = await this.auth.findCaller(token);
    if (caller !== undefined && changes === this.#changes) this.#callers.set(keyOf(token), caller);
    return caller;
  }

  #forget(isAffected: (caller: Caller) => boolean): void {
    this.#changes++;
    for (const [key, caller] of this.#callers.entries()) {
      if (isAffected(caller)) this.#callers.delete(key);
    }
  }
}

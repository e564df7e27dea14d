import { hash } from 'node:crypto';
import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../common/caller.js';
import { Listener } from '../database/listener.js';
import { Sql } from '../database/sql.js';
import { AuthService } from './auth.service.js';
import type { FoundCaller } from './tokens.repository.js';

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
  readonly #callers = new LRUCache<string, Caller>({
    max: CAPACITY,
    dispose: (caller, key) => this.#unlist(caller, key),
  });
  /** Which of them are a user's: many users may change at once, and looking through all for each would take seconds. */
  readonly #keys = new Map<number, Set<string>>();
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
      onMessage: (user) => (user === EVERYBODY ? this.#forgetAll() : this.#forget(Number(user))),
      onReconnect: () => this.#forgetAll(),
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
    if (known !== undefined) this.hits++;
    return known;
  }

  /**
   * The caller a token stands for; `undefined` if it is malformed, unknown, expired or revoked.
   *
   * @throws ReadOnlyServerError while only a standby is reached
   */
  async find(token: string): Promise<Caller | undefined> {
    this.misses++;
    const [changes, start] = [this.#changes, performance.now()];
    const found = await this.auth.findCaller(token);
    if (found !== undefined && changes === this.#changes) this.#remember(keyOf(token), found, start);
    return found;
  }

  /** Until the token expires: by the database's clock, since this machine's may be wrong, or be set. */
  #remember(key: string, { lifetime, ...caller }: FoundCaller, start: number): void {
    this.#callers.set(key, caller, { ttl: lifetime ?? 0, start });
    const keys = this.#keys.get(caller.userId) ?? new Set();
    this.#keys.set(caller.userId, keys.add(key));
  }

  #forget(userId: number): void {
    this.#changes++;
    for (const key of this.#keys.get(userId) ?? []) this.#callers.delete(key);
  }

  #forgetAll(): void {
    this.#changes++;
    this.#callers.clear();
  }

  #unlist({ userId }: Caller, key: string): void {
    const keys = this.#keys.get(userId);
    keys?.delete(key);
    if (keys?.size === 0) this.#keys.delete(userId);
  }
}

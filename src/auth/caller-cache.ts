import { hash } from 'node:crypto';
import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../common/caller.js';
import { NodeListeners } from '../database/node-listeners.js';
import { Sql } from '../database/sql.js';
import { AuthService } from './auth.service.js';
import type { FoundCaller } from './tokens.repository.js';

/** A trigger notifies this channel when a user's tokens change. The payload is the user's id, or `ALL_USERS`. */
const CHANNEL = 'api_tokens';
const ALL_USERS = '';

/** Cached callers, at a few hundred bytes each. */
const CAPACITY = 10_000;

/** The digest of a whole `Authorization` header: passport parses it once, and the token itself is not kept here. */
const keyOf = (header: string) => hash('sha256', header, 'base64');

/**
 * Caches the callers of valid tokens, so that most requests need no query. A database trigger notifies every instance
 * when a token changes, whoever changed it. The cache is used only while notifications are known to arrive, so a revoked
 * token is rejected within a second.
 */
@Injectable()
export class CallerCache implements OnModuleInit, OnModuleDestroy {
  readonly #callers = new LRUCache<string, Caller>({
    max: CAPACITY,
    dispose: (caller, key) => this.#unlist(caller, key),
  });
  /** The keys of each user: when many users change at once, scanning the whole cache for each would take seconds. */
  readonly #keys = new Map<number, Set<string>>();
  readonly #listener: NodeListeners;
  hits = 0;
  misses = 0;

  /** Counts notifications: a query that was running when one arrived may have read the row as it was before. */
  #changes = 0;

  constructor(
    private readonly auth: AuthService,
    sql: Sql,
  ) {
    this.#listener = new NodeListeners(sql, CHANNEL, {
      onNotification: (user) => (user === ALL_USERS ? this.#forgetAll() : this.#forget(Number(user))),
      onReconnect: () => this.#forgetAll(),
    });
  }

  onModuleInit(): void {
    this.#listener.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.#listener.stop();
  }

  /** The cached caller of an `Authorization` header, if there is one. */
  recall(header: string | undefined): Caller | undefined {
    if (header === undefined || !this.#listener.isCurrent) return undefined;
    const caller = this.#callers.get(keyOf(header));
    if (caller !== undefined) this.hits++;
    return caller;
  }

  /**
   * Looks up a token's caller in the database; `undefined` if the token is malformed, unknown, expired or revoked.
   *
   * @param header the `Authorization` header that had the token
   * @throws ReadOnlyServerError while only a standby is reachable
   */
  async find(header: string, token: string): Promise<Caller | undefined> {
    this.misses++;
    const [changes, start] = [this.#changes, performance.now()];
    const found = await this.auth.findCaller(token);
    if (found !== undefined && changes === this.#changes) this.#remember(keyOf(header), found, start);
    return found;
  }

  /** Caches a caller until the token expires by the database's clock: this machine's may be wrong. */
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

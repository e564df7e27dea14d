import { createClient } from '@redis/client';
import type { Logger } from 'pino';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';

/** Milliseconds that a request waits for Redis before it is counted without it. */
const TIMEOUT = 500;

/** Milliseconds between two pings, without a response until the client reconnects, and between two attempts at most. */
const PING_EVERY = 1_000;
const MAX_SILENCE = 3_000;
const MAX_RECONNECT_DELAY = 2_000;

export interface Limit {
  /** Requests. */
  points: number;
  /** Seconds. */
  duration: number;
}

/**
 * Counts in Redis, for all instances together. While Redis is unreachable or hangs, this instance counts on its own: the
 * first requests time out, later ones don't wait. Once Redis responds to a ping, it is used again.
 */
export class RedisLimiter {
  readonly #memory: RateLimiterMemory;
  readonly #shared: RateLimiterRedis;
  readonly #client;
  #isAvailable = true;
  #logged: 'available' | 'unavailable' | undefined;

  constructor(
    url: string,
    limit: Limit,
    private readonly logger: Logger,
  ) {
    this.#memory = new RateLimiterMemory(limit);
    this.#client = createClient({
      url,
      disableOfflineQueue: true,
      pingInterval: PING_EVERY,
      socket: {
        connectTimeout: MAX_SILENCE,
        socketTimeout: MAX_SILENCE,
        reconnectStrategy: (retries) => Math.min(retries * 100, MAX_RECONNECT_DELAY),
      },
    });
    this.#client.on('error', (error) => this.#onUnavailable(error));
    this.#client.on('ready', () => this.#onAvailable());
    this.#client.on('ping-interval', () => this.#onAvailable());
    this.#shared = new RateLimiterRedis({
      ...limit,
      storeClient: this.#client,
      useRedisPackage: true,
      keyPrefix: 'wins',
    });
    void this.#client.connect().catch(() => undefined); // the client emits `error` and retries
  }

  /** @throws RateLimiterRes if the limit is exceeded */
  consume(key: string): Promise<RateLimiterRes> {
    return this.#count((limiter) => limiter.consume(key));
  }

  reward(key: string): Promise<RateLimiterRes> {
    return this.#count((limiter) => limiter.reward(key));
  }

  stop(): void {
    if (this.#client.isOpen) this.#client.destroy();
  }

  async #count(change: (limiter: RateLimiterAbstract) => Promise<RateLimiterRes>): Promise<RateLimiterRes> {
    if (this.#client.isReady && this.#isAvailable) {
      try {
        return await withTimeout(change(this.#shared));
      } catch (error) {
        if (error instanceof RateLimiterRes) throw error;
        this.#onUnavailable(error);
      }
    }
    return change(this.#memory);
  }

  #onUnavailable(error: unknown): void {
    this.#isAvailable = false;
    if (this.#logged === 'unavailable') return;
    this.#logged = 'unavailable';
    this.logger.warn({ err: error }, 'redis unavailable, each instance counts on its own');
  }

  #onAvailable(): void {
    this.#isAvailable = true;
    if (this.#logged === 'unavailable') this.logger.info('redis available again, instances count together');
    this.#logged = 'available';
  }
}

async function withTimeout<T>(response: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No response within ${TIMEOUT} ms`)), TIMEOUT);
  });
  try {
    return await Promise.race([response, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

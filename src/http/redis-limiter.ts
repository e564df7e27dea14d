import { createClient } from '@redis/client';
import type { Logger } from 'pino';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';

/** Milliseconds that a request waits for Redis before it is counted without it. */
const PATIENCE = 500;

/** Milliseconds between two questions whether Redis answers, and without an answer until it is connected to anew. */
const PING_EVERY = 1_000;
const SILENCE = 3_000;

const RECONNECT_AT_MOST = 2_000;

/** What is counted, and in which window: requests, and seconds. */
export interface Limit {
  points: number;
  duration: number;
}

/**
 * Counts in Redis, for all instances together. While Redis can't be reached, or hangs, this instance counts for itself:
 * those requests that find out wait for `PATIENCE`, later ones don't wait. When Redis answers again, it counts again.
 */
export class RedisLimiter {
  readonly #memory: RateLimiterMemory;
  readonly #shared: RateLimiterRedis;
  readonly #client;
  #isAnswering = true;
  #wasTold: 'available' | 'unavailable' | undefined;

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
        connectTimeout: SILENCE,
        socketTimeout: SILENCE,
        reconnectStrategy: (retries) => Math.min(retries * 100, RECONNECT_AT_MOST),
      },
    });
    this.#client.on('error', (error) => this.#lose(error));
    this.#client.on('ready', () => this.#regain());
    this.#client.on('ping-interval', () => this.#regain());
    this.#shared = new RateLimiterRedis({
      ...limit,
      storeClient: this.#client,
      useRedisPackage: true,
      keyPrefix: 'wins',
    });
    void this.#client.connect().catch(() => undefined); // told as an `error` event, and tried again
  }

  /** Takes one off what a key has left. @throws RateLimiterRes if nothing was left */
  consume(key: string): Promise<RateLimiterRes> {
    return this.#ask((limiter) => limiter.consume(key));
  }

  /** Gives one back. */
  reward(key: string): Promise<RateLimiterRes> {
    return this.#ask((limiter) => limiter.reward(key));
  }

  /** Lets go of Redis, whether it answers or not. */
  stop(): void {
    if (this.#client.isOpen) this.#client.destroy();
  }

  async #ask(question: (limiter: RateLimiterAbstract) => Promise<RateLimiterRes>): Promise<RateLimiterRes> {
    if (this.#client.isReady && this.#isAnswering) {
      try {
        return await withPatience(question(this.#shared));
      } catch (error) {
        if (error instanceof RateLimiterRes) throw error;
        this.#lose(error);
      }
    }
    return question(this.#memory);
  }

  #lose(error: unknown): void {
    this.#isAnswering = false;
    if (this.#wasTold === 'unavailable') return;
    this.#wasTold = 'unavailable';
    this.logger.warn({ err: error }, 'redis unavailable, each instance counts for itself');
  }

  #regain(): void {
    this.#isAnswering = true;
    if (this.#wasTold === 'unavailable') this.logger.info('redis available again, instances count together');
    this.#wasTold = 'available';
  }
}

/** @throws Error if there was no answer in time */
async function withPatience<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${PATIENCE} ms`)), PATIENCE);
  });
  try {
    return await Promise.race([answer, silence]);
  } finally {
    clearTimeout(timer);
  }
}

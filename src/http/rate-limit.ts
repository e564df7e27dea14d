import type { FastifyReply } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { Logger } from 'pino';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { RateLimitError } from '../common/errors.js';
import type { Config } from '../config/config.js';

/** The window in which requests are counted, in seconds. It starts with the first request. */
const WINDOW = 60;

interface Limiter {
  consume(key: string): Promise<RateLimiterRes>;
  reward(key: string): Promise<RateLimiterRes>;
  stop?(): void;
}

/**
 * Counts requests with a valid token per user, whichever token they use, and failed sign-ins per address. With Redis, all
 * instances share one count; without it, or while it is unavailable, each instance has its own.
 */
export class RateLimit {
  private constructor(
    private readonly limiter: Limiter,
    private readonly points: number,
  ) {}

  /** @returns `undefined` if the limit is off */
  static async create(
    { RATE_LIMIT_PER_MINUTE: points, REDIS_URL }: Pick<Config, 'RATE_LIMIT_PER_MINUTE' | 'REDIS_URL'>,
    logger: Logger,
  ): Promise<RateLimit | undefined> {
    if (points === 0) return undefined;
    const limit = { points, duration: WINDOW };
    if (REDIS_URL === undefined) return new RateLimit(new RateLimiterMemory(limit), points);
    const { RedisLimiter } = await import('./redis-limiter.js'); // slow to load
    return new RateLimit(new RedisLimiter(REDIS_URL, limit, logger), points);
  }

  /**
   * Counts a request against a key, and sets the `X-RateLimit-*` headers.
   *
   * @throws RateLimitError if the limit is exceeded
   */
  async take(key: string, reply: FastifyReply): Promise<void> {
    const result = await this.limiter.consume(key).catch((reason: unknown) => {
      if (reason instanceof RateLimiterRes) return reason; // how the limiter says that the limit is exceeded
      throw reason;
    });
    reply.headers({
      'x-ratelimit-limit': this.points,
      'x-ratelimit-remaining': result.remainingPoints,
      'x-ratelimit-reset': Math.ceil((Date.now() + result.msBeforeNext) / 1000),
    });
    if (result.consumedPoints <= this.points) return;
    await this.limiter.reward(key); // otherwise rejected sign-ins would count as failed ones
    throw new RateLimitError(Math.ceil(result.msBeforeNext / 1000));
  }

  /** Undoes `take()` for a request that turned out not to count. */
  async giveBack(key: string, reply: FastifyReply): Promise<void> {
    await this.limiter.reward(key);
    for (const name of ['limit', 'remaining', 'reset']) reply.removeHeader(`x-ratelimit-${name}`);
  }

  stop(): void {
    this.limiter.stop?.();
  }
}

export const userKey = (userId: number): string => `user:${userId}`;

/**
 * The key for an address's failed sign-ins. Whoever has one IPv6 address has the 2^64 of its network, so these share a
 * key; so do an IPv4 address and its IPv6 form. A proxy may pass on anything: whatever isn't an address has one key too.
 */
export function addressKey(address: string): string {
  if (!ipaddr.isValid(address)) return 'address:unknown';
  const parsed = ipaddr.process(address);
  if (!('parts' in parsed)) return `address:${parsed.toString()}`;
  return `address:${parsed.parts.slice(0, 4).map((part) => part.toString(16)).join(':')}::/64`; // prettier-ignore
}

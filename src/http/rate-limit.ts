import type { FastifyReply } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { Logger } from 'pino';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { RateLimitError } from '../common/errors.js';
import type { Config } from '../config/config.js';

/** The window in which requests are counted, in seconds. It begins with the first request. */
const WINDOW = 60;

interface Limiter {
  consume(key: string): Promise<RateLimiterRes>;
  reward(key: string): Promise<RateLimiterRes>;
  stop?(): void;
}

/**
 * Counts requests: those with a valid token by user, whatever tokens they use, and those whose sign-in failed by address.
 * With Redis all instances share one count; without it, or while Redis is away, each counts for itself.
 */
export class RateLimit {
  private constructor(
    private readonly limiter: Limiter,
    private readonly points: number,
  ) {}

  /** @returns `undefined` where the limit is off */
  static async create(
    { RATE_LIMIT_PER_MINUTE: points, REDIS_URL }: Pick<Config, 'RATE_LIMIT_PER_MINUTE' | 'REDIS_URL'>,
    logger: Logger,
  ): Promise<RateLimit | undefined> {
    if (points === 0) return undefined;
    const limit = { points, duration: WINDOW };
    if (REDIS_URL === undefined) return new RateLimit(new RateLimiterMemory(limit), points);
    const { RedisLimiter } = await import('./redis-limiter.js'); // takes long to load
    return new RateLimit(new RedisLimiter(REDIS_URL, limit, logger), points);
  }

  /**
   * Takes one off what a key has left, and tells how much that is in the answer's headers.
   *
   * @throws RateLimitError if nothing was left
   */
  async take(key: string, reply: FastifyReply): Promise<void> {
    const result = await this.limiter.consume(key).catch((refusal: unknown) => {
      if (refusal instanceof RateLimiterRes) return refusal;
      throw refusal;
    });
    reply.headers({
      'x-ratelimit-limit': this.points,
      'x-ratelimit-remaining': result.remainingPoints,
      'x-ratelimit-reset': Math.ceil((Date.now() + result.msBeforeNext) / 1000),
    });
    if (result.consumedPoints <= this.points) return;
    await this.limiter.reward(key); // else sign-ins that were only tried at once would count as failed
    throw new RateLimitError(Math.ceil(result.msBeforeNext / 1000));
  }

  /** Gives back what was taken for something that turned out not to count. */
  async giveBack(key: string, reply: FastifyReply): Promise<void> {
    await this.limiter.reward(key);
    for (const name of ['limit', 'remaining', 'reset']) reply.removeHeader(`x-ratelimit-${name}`);
  }

  /** Lets go of Redis. */
  stop(): void {
    this.limiter.stop?.();
  }
}

/** What a user's requests are counted by. */
export const userKey = (userId: number): string => `user:${userId}`;

/**
 * What the failed sign-ins of an address are counted by. Who has one IPv6 address has the 2^64 of its network; and an IPv4
 * address is the same in IPv6's spelling. A proxy may name something that is no address: all of those are one.
 */
export function addressKey(address: string): string {
  if (!ipaddr.isValid(address)) return 'address:unknown';
  const parsed = ipaddr.process(address);
  if (!('parts' in parsed)) return `address:${parsed.toString()}`;
  return `address:${parsed.parts.slice(0, 4).map((part) => part.toString(16)).join(':')}::/64`; // prettier-ignore
}

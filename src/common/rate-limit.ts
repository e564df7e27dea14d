import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';
import type { Config } from '../config/config.js';
import { RateLimitError } from './errors.js';

/** The window in which requests are counted, in seconds. It begins with the first request. */
const WINDOW = 60;

/**
 * Counts requests: those with a valid token by token, those whose sign-in failed by address. With Redis all instances
 * share one count; without it, or while Redis is away, each counts for itself.
 */
export class RateLimit {
  private constructor(
    private readonly limiter: RateLimiterAbstract,
    private readonly close: () => Promise<unknown>,
  ) {}

  /** @returns `undefined` where the limit is off */
  static async create(
    { RATE_LIMIT_PER_MINUTE: points, REDIS_URL }: Config,
    logger: Logger,
  ): Promise<RateLimit | undefined> {
    if (points === 0) return undefined;
    const memory = new RateLimiterMemory({ points, duration: WINDOW });
    if (REDIS_URL === undefined) return new RateLimit(memory, async () => {});
    const { createClient } = await import('@redis/client');
    const client = createClient({ url: REDIS_URL, disableOfflineQueue: true, commandOptions: { timeout: 500 } });
    client.on('error', (err) => logger.warn({ err }, 'redis unavailable, each instance counts for itself'));
    void client.connect().catch(() => undefined); // it goes on trying; until then the memory counts
    const options = { points, duration: WINDOW, useRedisPackage: true, insuranceLimiter: memory, keyPrefix: 'wins' };
    return new RateLimit(new RateLimiterRedis({ ...options, storeClient: client }), async () => client.destroy());
  }

  /**
   * Takes one request off what is left, and tells how much that is in the answer's headers.
   *
   * @throws RateLimitError if nothing was left
   */
  async take(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const key = request.caller === null ? `address:${request.ip}` : `token:${request.caller.tokenId}`;
    const result = await this.limiter.consume(key).catch((refusal: unknown) => {
      if (refusal instanceof RateLimiterRes) return refusal;
      throw refusal;
    });
    reply.headers({
      'x-ratelimit-limit': this.limiter.points,
      'x-ratelimit-remaining': result.remainingPoints,
      'x-ratelimit-reset': Math.ceil((Date.now() + result.msBeforeNext) / 1000),
    });
    if (result.consumedPoints > this.limiter.points) throw new RateLimitError(Math.ceil(result.msBeforeNext / 1000));
  }

  /** Lets go of Redis. */
  async stop(): Promise<void> {
    await this.close();
  }
}

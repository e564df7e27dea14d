import type { FastifyInstance } from 'fastify';
import { AuthenticationError, NotFoundError } from '../common/errors.js';
import { ExecutionContextHost } from '../http/nest-internals.js';
import { addressKey, userKey, type RateLimit } from '../http/rate-limit.js';
import type { BearerGuard } from './bearer.guard.js';

/**
 * Runs the global guard in an `onRequest` hook of Fastify, before the body is read: a 401, a 403 or the 404 of an unknown
 * route needs no parsing, and only what isn't valid HTTP is rejected before.
 *
 * Admitted requests count against the user's limit, failed sign-ins against the address's. A sign-in is counted before
 * the database is queried and given back if it succeeds, so that many attempts at once can't exceed the limit.
 */
export function registerAdmission(fastify: FastifyInstance, guard: BearerGuard, rateLimit?: RateLimit): void {
  fastify.decorateRequest('caller', null);
  fastify.addHook('onRequest', async (request, reply) => {
    const address = guard.needsSignIn(request) ? addressKey(request.ip) : undefined;
    if (address !== undefined) await rateLimit?.take(address, reply);
    const error = await guard.canActivate(new ExecutionContextHost([request, reply])).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    const isSignedIn = !(error instanceof AuthenticationError);
    if (address !== undefined && isSignedIn) await rateLimit?.giveBack(address, reply);
    if (request.caller !== null) await rateLimit?.take(userKey(request.caller.userId), reply);
    if (error !== undefined) throw error;
    if (request.is404) throw new NotFoundError('Route');
  });
  fastify.addHook('onClose', async () => rateLimit?.stop());
}

import { Injectable, type ExecutionContext } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../common/caller.js';
import { AuthenticationError, InsufficientScopeError } from '../common/errors.js';
import { CallerCache } from './caller-cache.js';

/** The part of a request that passport gets to see. */
export type BearerRequest = Pick<FastifyRequest, 'headers'>;

const READING = new Set(['GET', 'HEAD']);

/**
 * The global guard: every route except the public ones needs a token, and a token of scope `read` is for GET and HEAD.
 *
 * It runs twice. `admission.ts` runs it in Fastify's first hook, so that a 401 comes before the body is parsed. Nest runs
 * it again afterwards, when the caller is already known. Cached callers skip passport, which is the expensive part.
 */
@Injectable()
export class BearerGuard extends AuthGuard('bearer') {
  constructor(private readonly callers: CallerCache) {
    super();
  }

  /** Whether the request still has to be authenticated. Sets `request.caller` if the cache knows it. */
  needsSignIn(request: FastifyRequest): boolean {
    if (isPublic(request)) return false;
    request.caller ??= this.callers.recall(request.headers.authorization) ?? null;
    return request.caller === null;
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (isPublic(request)) return true;
    if (this.needsSignIn(request)) await super.canActivate(context);
    if (request.caller?.scope !== 'write' && !READING.has(request.method)) throw new InsufficientScopeError();
    return true;
  }

  /** Hides the query and the body from passport, which would accept a token in either. */
  override getRequest(context: ExecutionContext): object {
    const { authorization } = context.switchToHttp().getRequest<FastifyRequest>().headers;
    return { headers: { authorization } } satisfies BearerRequest;
  }

  /** Called by passport with the strategy's result. */
  override handleRequest<T = Caller>(error: unknown, caller: T | false, _: unknown, context: ExecutionContext): T {
    const request = context.switchToHttp().getRequest<Pick<FastifyRequest, 'headers'> & { caller: T }>();
    if (error) throw error;
    if (!caller) throw new AuthenticationError(/^bearer +\S/i.test(request.headers.authorization ?? ''));
    request.caller = caller;
    return caller;
  }
}

/** Whether no token is needed. An unknown route under `/api/` needs one, so that routes can't be probed without it. */
function isPublic(request: FastifyRequest): boolean {
  return request.routeOptions.config.public ?? (request.is404 && !request.url.startsWith('/api/'));
}

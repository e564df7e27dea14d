import { Injectable, type ExecutionContext } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../common/caller.js';
import { AuthenticationError, InsufficientScopeError } from '../common/errors.js';
import { CallerCache } from './caller-cache.js';

const READING = new Set(['GET', 'HEAD']);

/**
 * The global guard: every route but the public ones asks for a token, and a token of scope `read` only reads.
 *
 * Nest runs guards after the body was parsed. A 401 comes before anything else, so `admission.ts` runs this guard in
 * Fastify's first hook too; by the time Nest gets to it, the caller is known. So are callers who came before: passport,
 * which costs more than all the rest of the guard, is only asked about those who did not.
 */
@Injectable()
export class BearerGuard extends AuthGuard('bearer') {
  constructor(private readonly callers: CallerCache) {
    super();
  }

  /** Whether the caller of a request is yet to be found out. One who is remembered is known right here. */
  needsSignIn(request: FastifyRequest): boolean {
    if (isPublic(request)) return false;
    request.caller ??= this.callers.recall(tokenOf(request)) ?? null;
    return request.caller === null;
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (isPublic(request)) return true;
    if (this.needsSignIn(request)) await super.canActivate(context);
    if (request.caller?.scope !== 'write' && !READING.has(request.method)) throw new InsufficientScopeError();
    return true;
  }

  /** All that passport gets to see: the strategy would look for tokens in queries and bodies too. */
  override getRequest(context: ExecutionContext): object {
    const { authorization } = context.switchToHttp().getRequest<FastifyRequest>().headers;
    return { headers: { authorization } };
  }

  /** Called by passport with what the strategy found. */
  override handleRequest<T = Caller>(error: unknown, caller: T | false, _: unknown, context: ExecutionContext): T {
    const request = context.switchToHttp().getRequest<Pick<FastifyRequest, 'headers'> & { caller: T }>();
    if (error) throw error;
    if (!caller) throw new AuthenticationError(/^bearer +\S/i.test(request.headers.authorization ?? ''));
    request.caller = caller;
    return caller;
  }
}

/** What a request sent as its token, read as strictly as passport does; empty if it sent none. */
function tokenOf({ headers: { authorization = '' } }: Pick<FastifyRequest, 'headers'>): string {
  return /^bearer ([^ ]+)$/i.exec(authorization)?.[1] ?? '';
}

/** Whether a request needs no token. Below `/api/` a route that does not exist needs one too, so none can be probed. */
function isPublic(request: FastifyRequest): boolean {
  return request.routeOptions.config.public ?? (request.is404 && !request.url.startsWith('/api/'));
}

import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Scope } from '../auth/api-token.entity.js';

/** Who sent a request, as its token tells. */
export interface Caller {
  userId: number;
  tokenId: number;
  scope: Scope;
  /** When the token ends; `null` is never. */
  expiresAt: Date | null;
}

/** A caller as they were looked up. */
export interface FoundCaller extends Caller {
  /** Milliseconds until the token expires, at least 1; `null` is never. */
  lifetime: number | null;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the request's token was found good. */
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    /** Whether the route needs no token. */
    public?: boolean;
  }
}

/** The caller of the request, as a handler's argument. */
export const CurrentCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<FastifyRequest>().caller,
);

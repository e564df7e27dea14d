import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../common/caller.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the request's token was found valid. */
    caller: Caller | null;
  }
}

/** The caller of the request, as a handler's argument. */
export const CurrentCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<FastifyRequest>().caller,
);

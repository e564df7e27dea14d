import { LogController, type FastifyReply, type FastifyRequest } from 'fastify';

/** A version, the id of the trace, that of the span that sent the request, and flags. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}$/;

/** What a request tells of the trace it is part of (W3C Trace Context); nothing if it tells none, or it makes no sense. */
function traceOf({ headers: { traceparent } }: FastifyRequest): { traceId?: string; spanId?: string } {
  const [, traceId, spanId] = (typeof traceparent === 'string' && TRACEPARENT.exec(traceparent)) || [];
  return traceId === undefined ? {} : { traceId, spanId };
}

/** The route of a request as the code spells it: all that is logged and counted of a path, which may hold anything. */
export const routeOf = (request: FastifyRequest): string => request.routeOptions.url ?? 'none';

/** One line for each request once it is answered: who, what, how long; nothing that a client typed. */
export class RequestLog extends LogController {
  override incomingRequest(): void {}

  override requestCompleted(error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    request.log.info(
      {
        userId: request.caller?.userId,
        method: request.method,
        path: routeOf(request),
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime * 10) / 10,
        ...traceOf(request),
        ...(error && { err: error }),
      },
      'request',
    );
  }
}

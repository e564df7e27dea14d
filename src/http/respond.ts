import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Created, CursorPage, Json, Page } from '../common/json.js';
import type { Config } from '../config/config.js';
import { setTag } from './conditional.js';
import { errorOfStatus } from './error.filter.js';
import { COMMON_HEADERS, EXPOSED_HEADERS, RESPONSE_HEADERS } from './headers.js';
import { cursorLink, pageLinks } from './pagination.js';
import { knownParameters } from './validation.pipe.js';

/**
 * Sets the headers of every response, and turns what a handler returns into headers and text.
 *
 * @param base what `Location` and `Link` begin with
 * @param isDraining whether clients should close their connections, since the process is about to stop
 */
export function registerResponseHooks(fastify: FastifyInstance, base: string, isDraining: () => boolean): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.headers(RESPONSE_HEADERS).header('x-request-id', request.id);
    done();
  });
  fastify.addHook('onSend', ({ method }, reply, payload, done) => {
    if (reply.statusCode !== 304) return done(null, payload);
    reply.removeHeader('content-type');
    return done(null, method === 'HEAD' ? payload : null); // Fastify needs a payload to leave out
  });
  fastify.addHook('onSend', (_, reply, payload, done) => {
    if (isDraining()) reply.header('connection', 'close');
    done(null, payload);
  });
  fastify.addHook('preSerialization', (request, reply, payload, done) => {
    const where = () => base + request.url.split('?', 1)[0]!;
    if (payload instanceof Json) setTag(request, reply, payload, base);
    if (payload instanceof Page) {
      reply.headers({
        'x-total-count': payload.total,
        'x-page': payload.page,
        'x-per-page': payload.perPage,
      });
      const link = pageLinks(payload, where(), knownParameters(request.query as object));
      if (link !== '') reply.header('link', link);
    } else if (payload instanceof CursorPage) {
      reply.header('x-per-page', payload.perPage);
      if (payload.next !== undefined) {
        reply.header('x-next-cursor', payload.next);
        const link = cursorLink(payload.next, where(), knownParameters(request.query as object));
        if (link !== '') reply.header('link', link);
      }
    } else if (payload instanceof Created) {
      reply.header('location', locationOf(request, payload, base));
    }
    done(null, payload);
  });
  fastify.setReplySerializer((payload) => (payload instanceof Json ? payload.text : JSON.stringify(payload)));
}

/** Where a new resource is: below the path that it was posted to. */
export const locationOf = ({ url }: FastifyRequest, { id }: Created<unknown>, base: string): string =>
  `${base}${url.split('?', 1)[0]!.replace(/\/$/, '')}/${id}`;

/** Lets the scripts of `CORS_ORIGINS` call the API; without any, CORS is off. */
export function enableCors(app: NestFastifyApplication, { CORS_ORIGINS }: Config): void {
  if (CORS_ORIGINS === undefined) return;
  app.enableCors({
    origin: CORS_ORIGINS,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: 600,
    strictPreflight: false,
    preflightContinue: true, // `answerPreflights` does it, once the response has the common headers
  });
}

/** The longest list of header names that a preflight may ask for, in bytes; the response repeats them. */
const MAX_REQUESTED_HEADERS = 1_024;

/**
 * Responds to every OPTIONS request: to a preflight with what the CORS plugin has set, to any other with the error of a
 * bad request. Registered after the response hooks, so that the response has the common headers.
 */
export function answerPreflights(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', ({ method, headers }, reply, done) => {
    if (method !== 'OPTIONS') return done();
    const isPreflight = headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
    const requested = headers['access-control-request-headers'] ?? '';
    if (!isPreflight || requested.length > MAX_REQUESTED_HEADERS) {
      reply.removeHeader('access-control-allow-headers');
      return done(errorOfStatus(400));
    }
    // Safari waits for a body unless the length says that there is none.
    reply
      .status(204)
      .headers({ vary: `${COMMON_HEADERS.vary}, Access-Control-Request-Headers`, 'content-length': '0' });
    return reply.send();
  });
}

import type { IncomingHttpHeaders } from 'node:http';
import { NestFactory } from '@nestjs/core';
import { resolveSecurityHeaders } from '@nestjs/core/security/security-headers.js';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { AppModule } from './app.module.js';
import { BearerGuard } from './auth/bearer.guard.js';
import { CallerCache } from './auth/caller-cache.js';
import { acceptOnlyJson } from './http/body.js';
import { errorOfStatus } from './http/error.filter.js';
import { AuthenticationError, NotFoundError } from './common/errors.js';
import {
  closeUnused,
  COMMON_HEADERS,
  guardConnections,
  requestId,
  routableUrl,
  watchConnections,
} from './http/connection.js';
import { Created, Json, Page } from './common/json.js';
import { pageLinks } from './http/pagination.js';
import { addressKey, RateLimit, userKey } from './http/rate-limit.js';
import { knownParameters } from './http/fields.js';
import type { Config } from './config/config.js';
import { NestLogger, RequestLog } from './config/logger.js';
import { Sql } from './database/sql.js';
import { serveExplorer } from './docs/explorer.js';
import { createDocument } from './docs/openapi.js';
import { Readiness } from './operations/readiness.js';

/** Requests beyond these are refused before anything reads them: bytes, and milliseconds. */
const BODY_LIMIT = 1024 * 1024;
const HEADER_LIMIT = 16 * 1024;
const REQUEST_TIMEOUT = 30_000;
const CHECK_EVERY = 5_000;

/** Longer than a load balancer keeps a connection, so that it is never the service that closes one under it. */
const KEEP_ALIVE_TIMEOUT = 65_000;

/** Longer than the longest statement takes: a client that neither sends nor reads is let go. */
const IDLE_TIMEOUT = 150_000;

/** What a script of another origin may read of an answer. */
const EXPOSED_HEADERS =
  'X-Request-Id, X-Total-Count, X-Page, X-Per-Page, Link, Location, WWW-Authenticate, Retry-After, ' +
  'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset';

/** The application, ready to listen. `main.ts` and the tests run this same list of steps. */
export async function createApp(
  config: Config,
  dataSource: DataSource,
  logger: Logger,
): Promise<NestFastifyApplication> {
  const adapter = createAdapter(config, logger);
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.with(config, dataSource), adapter, {
    logger: new NestLogger(logger),
    abortOnError: false,
    bodyParser: false,
  });
  const fastify = adapter.getInstance<FastifyInstance>();
  openTo(app, config);
  acceptOnlyJson(fastify);
  answer(fastify, config, app.get(Readiness));
  if (config.CORS_ORIGINS !== undefined) answerPreflights(fastify);
  guardConnections(fastify, BODY_LIMIT);
  const rateLimit = await RateLimit.create(config, logger);
  registerAdmission(fastify, app.get(BearerGuard), rateLimit);
  if (config.METRICS_PORT !== undefined) {
    const { measure } = await import('./operations/metrics.js');
    measure(fastify, app.get(Sql), app.get(CallerCache), config.HOST, config.METRICS_PORT);
  }
  closeUnused(fastify);
  watchConnections(fastify);
  serveExplorer(fastify, () => createDocument(app), baseOf(config));
  return app.init();
}

function createAdapter({ TRUST_PROXY }: Config, logger: Logger): FastifyAdapter {
  return new FastifyAdapter({
    loggerInstance: logger,
    logController: new RequestLog(),
    skipMiddie: true,
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT,
    forceCloseConnections: 'idle',
    connectionTimeout: IDLE_TIMEOUT,
    return503OnClosing: false, // what still comes in on a connection is served, and the connection closed
    http: {
      maxHeaderSize: HEADER_LIMIT,
      headersTimeout: REQUEST_TIMEOUT,
      connectionsCheckingInterval: CHECK_EVERY,
      requireHostHeader: false,
    },
    trustProxy: TRUST_PROXY,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: HEADER_LIMIT },
    rewriteUrl: (request: { url?: string }) => routableUrl(request.url),
    genReqId: ({ headers }: { headers: IncomingHttpHeaders }) => requestId(headers['x-request-id']),
  });
}

/** Nest's security headers. Set here, with all others at once: `useSecurityHeaders()` sets each in the way Node is slow at. */
const { headers: SECURITY_HEADERS } = resolveSecurityHeaders({
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: "'none'", frameAncestors: "'none'" } },
  xFrameOptions: { action: 'deny' },
});
const HEADERS = { ...Object.fromEntries(SECURITY_HEADERS), ...COMMON_HEADERS };

/** CORS for the origins that are named. */
function openTo(app: NestFastifyApplication, { CORS_ORIGINS }: Config): void {
  if (CORS_ORIGINS === undefined) return;
  app.enableCors({
    origin: CORS_ORIGINS,
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: 600,
    strictPreflight: false,
    preflightContinue: true, // it is answered once it has the headers of every answer
  });
}

/** Header names that a script may ask to send, in bytes; the answer repeats them. */
const MAX_ASKED = 1_024;

/** Ends every OPTIONS: with what the CORS plugin put on it if it is a preflight, else with the error of any bad request. */
function answerPreflights(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', ({ method, headers }, reply, done) => {
    if (method !== 'OPTIONS') return done();
    const isPreflight = headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
    const asked = headers['access-control-request-headers'] ?? '';
    if (!isPreflight || asked.length > MAX_ASKED) {
      reply.removeHeader('access-control-allow-headers');
      return done(errorOfStatus(400));
    }
    // Safari waits for a body unless it is told that there is none.
    reply
      .status(204)
      .headers({ vary: `${COMMON_HEADERS.vary}, Access-Control-Request-Headers`, 'content-length': '0' });
    return reply.send();
  });
}

const baseOf = ({ PUBLIC_URL = '' }: Config) => PUBLIC_URL.replace(/\/+$/, '');

/** What every answer has, and how what a handler returns becomes headers and text. */
function answer(fastify: FastifyInstance, config: Config, readiness: Readiness): void {
  const base = baseOf(config);
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.headers(HEADERS).header('x-request-id', request.id);
    done();
  });
  fastify.addHook('onSend', (_, reply, payload, done) => {
    if (readiness.isDraining) reply.header('connection', 'close');
    done(null, payload);
  });
  fastify.addHook('preSerialization', (request, reply, payload, done) => {
    const where = () => base + request.url.split('?', 1)[0]!;
    if (payload instanceof Page) {
      reply.headers({
        'x-total-count': payload.total,
        'x-page': payload.page,
        'x-per-page': payload.perPage,
      });
      const link = pageLinks(payload, where(), knownParameters(request.query as object));
      if (link !== '') reply.header('link', link);
    } else if (payload instanceof Created) {
      reply.header('location', `${where().replace(/\/$/, '')}/${payload.id}`);
    }
    done(null, payload);
  });
  fastify.setReplySerializer((payload) => (payload instanceof Json ? payload.text : JSON.stringify(payload)));
}

/**
 * Runs the global guard before the body is read: a 401 or 403 comes before anything else and costs no parsing, and so
 * does the 404 of a route that does not exist. Admitted requests count against their user's limit, failed sign-ins
 * against their address's. Each sign-in counts from the moment it is tried, and is given back once it did not fail: an
 * address that has none left is refused before the database is asked, however many it tries at once.
 */
function registerAdmission(fastify: FastifyInstance, guard: BearerGuard, rateLimit: RateLimit | undefined): void {
  fastify.decorateRequest('caller', null);
  fastify.addHook('onRequest', async (request, reply) => {
    const address = guard.needsSignIn(request) ? addressKey(request.ip) : undefined;
    if (address !== undefined) await rateLimit?.take(address, reply);
    const refusal = await guard.canActivate(new ExecutionContextHost([request, reply])).then(
      () => undefined,
      (error: unknown) => error,
    );
    const isSignedIn = !(refusal instanceof AuthenticationError);
    if (address !== undefined && isSignedIn) await rateLimit?.giveBack(address, reply);
    if (request.caller !== null) await rateLimit?.take(userKey(request.caller.userId), reply);
    if (refusal !== undefined) throw refusal;
    if (request.is404) throw new NotFoundError('Route');
  });
  fastify.addHook('onClose', async () => rateLimit?.stop());
}

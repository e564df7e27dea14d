import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { NestFactory } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { AppModule } from './app.module.js';
import { BearerGuard } from './auth/bearer.guard.js';
import { acceptOnlyJson } from './common/body.js';
import { errorBody, errorOfStatus } from './common/error.filter.js';
import { Created, Json, Page } from './common/json.js';
import { pageLinks } from './common/pagination.js';
import type { Config } from './config/config.js';
import { NestLogger, RequestLog } from './config/logger.js';
import { serveExplorer } from './docs/explorer.js';
import { createDocument } from './docs/openapi.js';

/** Requests beyond these are refused before anything reads them: bytes, and milliseconds. */
const BODY_LIMIT = 1024 * 1024;
const HEADER_LIMIT = 16 * 1024;
const REQUEST_TIMEOUT = 30_000;

/** Longer than a load balancer keeps a connection, so that it is never the service that closes one under it. */
const KEEP_ALIVE_TIMEOUT = 65_000;

/** A client's own request id is kept if it looks like this. */
const REQUEST_ID = /^[\w.:/+=~-]{1,128}$/;

/** What every answer has, beside the id of its request. */
const COMMON_HEADERS = { 'cache-control': 'private, no-cache', vary: 'Authorization, Origin' };

/** What a script of another origin may read of an answer. */
const EXPOSED_HEADERS =
  'X-Request-Id, X-Total-Count, X-Page, X-Per-Page, Link, Location, Retry-After, WWW-Authenticate';

/** The application, ready to listen. `main.ts` and the tests run this same list of steps. */
export async function createApp(
  config: Config,
  dataSource: DataSource,
  logger: Logger,
): Promise<NestFastifyApplication> {
  const adapter = createAdapter(logger);
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.with(config, dataSource), adapter, {
    logger: new NestLogger(logger),
    abortOnError: false,
    bodyParser: false,
  });
  const fastify = adapter.getInstance<FastifyInstance>();
  protect(app, config);
  acceptOnlyJson(fastify);
  answer(fastify, config);
  authenticate(fastify, app.get(BearerGuard));
  replaceBareRefusals(fastify);
  serveExplorer(fastify, () => createDocument(app));
  return app.init();
}

function createAdapter(logger: Logger): FastifyAdapter {
  return new FastifyAdapter({
    loggerInstance: logger,
    logController: new RequestLog(),
    skipMiddie: true,
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT,
    forceCloseConnections: 'idle',
    http: { maxHeaderSize: HEADER_LIMIT, headersTimeout: REQUEST_TIMEOUT, requireHostHeader: false },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: HEADER_LIMIT },
    rewriteUrl: ({ url = '/' }) => decodable(withoutOrigin(url)),
    clientErrorHandler: refuseUnreadable,
    genReqId: ({ headers: { 'x-request-id': id } }: IncomingMessage) =>
      typeof id === 'string' && REQUEST_ID.test(id) ? id : randomUUID(),
  });
}

/** A request may name its target as a whole URL (RFC 9112, 3.2.2); the path alone says what is asked for. */
const withoutOrigin = (url: string) => url.replace(/^https?:\/\/[^/?]*\/?/i, '/');

/** A path with a broken escape is one that does not exist: without its escapes it takes the way of any other. */
function decodable(url: string): string {
  if (!url.includes('%')) return url;
  const [path = '', ...query] = url.split('?');
  try {
    decodeURIComponent(path);
    return url;
  } catch {
    return [path.replaceAll('%', '_'), ...query].join('?');
  }
}

/** Answers what is no HTTP request, in the one error shape; it never becomes a request that hooks could see. */
function refuseUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const status = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400;
  const requestId = randomUUID();
  const body = errorBody(errorOfStatus(status), requestId);
  const headers = {
    ...COMMON_HEADERS,
    connection: 'close',
    'x-request-id': requestId,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
}

/** Security headers for everything, CORS for the origins that are named. */
function protect(app: NestFastifyApplication, { CORS_ORIGINS }: Config): void {
  app.useSecurityHeaders({
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: "'none'", frameAncestors: "'none'" } },
    xFrameOptions: { action: 'deny' },
  });
  if (CORS_ORIGINS === undefined) return;
  app.enableCors({
    origin: CORS_ORIGINS,
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: 600,
  });
}

/** What every answer has, and how what a handler returns becomes headers and text. */
function answer(fastify: FastifyInstance, { PUBLIC_URL = '' }: Config): void {
  const base = PUBLIC_URL.replace(/\/+$/, '');
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.headers({ 'x-request-id': request.id, ...COMMON_HEADERS });
    done();
  });
  fastify.addHook('preSerialization', (request, reply, payload, done) => {
    if (payload instanceof Page) {
      reply.headers({
        'x-total-count': payload.total,
        'x-page': payload.page,
        'x-per-page': payload.perPage,
        link: pageLinks(payload, base + request.url),
      });
    } else if (payload instanceof Created) {
      reply.header('location', `${base}${request.url.split('?', 1)[0]!.replace(/\/$/, '')}/${payload.id}`);
    }
    done(null, payload);
  });
  fastify.setReplySerializer((payload) => (payload instanceof Json ? payload.text : JSON.stringify(payload)));
}

/** Runs the global guard before the body is read: a 401 or 403 comes before anything else and costs no parsing. */
function authenticate(fastify: FastifyInstance, guard: BearerGuard): void {
  fastify.decorateRequest('caller', null);
  fastify.addHook('onRequest', async (request, reply) => {
    await guard.canActivate(new ExecutionContextHost([request, reply]));
  });
}

/** Node refuses these two itself, without a body. An unknown expectation may as well be ignored (RFC 9110, 10.1.1). */
function replaceBareRefusals(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _, done) => {
    const lacksHost = request.raw.httpVersion === '1.1' && request.headers.host === undefined;
    done(lacksHost ? errorOfStatus(400) : undefined);
  });
  fastify.server.on('checkExpectation', (request, response) => fastify.server.emit('request', request, response));
}

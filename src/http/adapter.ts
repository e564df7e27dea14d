import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import { RequestLog } from './request-log.js';

/** Requests that exceed these are rejected. Bytes and milliseconds. */
export const BODY_LIMIT = 1024 * 1024;
const HEADER_LIMIT = 16 * 1024;
const REQUEST_TIMEOUT = 30_000;
const CHECK_EVERY = 5_000;

/** Longer than load balancers keep idle connections, so that the service never closes one that is about to be reused. */
const KEEP_ALIVE_TIMEOUT = 65_000;

/** A client that neither sends nor reads for so long is disconnected. Longer than the longest statement. */
const IDLE_TIMEOUT = 150_000;

export function createAdapter({ TRUST_PROXY }: Config, logger: Logger): FastifyAdapter {
  return new FastifyAdapter({
    loggerInstance: logger,
    logController: new RequestLog(),
    skipMiddie: true,
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT,
    forceCloseConnections: 'idle',
    connectionTimeout: IDLE_TIMEOUT,
    return503OnClosing: false, // requests that still arrive are served, and their connections closed
    http: {
      maxHeaderSize: HEADER_LIMIT,
      headersTimeout: REQUEST_TIMEOUT,
      connectionsCheckingInterval: CHECK_EVERY,
      requireHostHeader: false,
    },
    trustProxy: TRUST_PROXY,
    // No route has a schema; without these, Fastify loads the compilers of schemas.
    schemaController: { compilersFactory: { buildValidator: withoutSchemas, buildSerializer: withoutSchemas } },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: HEADER_LIMIT },
    rewriteUrl: (request: { url?: string }) => routableUrl(request.url),
    genReqId: ({ headers }: { headers: IncomingHttpHeaders }) => requestId(headers['x-request-id']),
  });
}

function withoutSchemas(): never {
  throw new Error('A route has a schema, but bodies and queries are validated by their classes');
}

/** The client's own request ids that are kept. */
const REQUEST_ID = /^[\w.:/+=~-]{1,128}$/;

/** Request ids are logged, so they must not contain a token, not even in part. Ids of requests and traces have 32 digits. */
const LIKE_TOKEN = /wins_|[0-9a-f]{33}/i;

/** The client's `X-Request-Id` if it is usable, otherwise a new id. */
function requestId(header: string | string[] | undefined): string {
  return typeof header === 'string' && REQUEST_ID.test(header) && !LIKE_TOKEN.test(header) ? header : randomUUID();
}

/** The URL for the router, made decodable: a request whose URL it can't decode would bypass all hooks. */
const routableUrl = (url = '/'): string => decodable(withoutOrigin(url));

/**
 * The target may be an absolute URL (RFC 9112, 3.2.2), of which only the path matters. `*`, which means the server as a
 * whole, becomes a path: Fastify would respond to it without running any hook.
 */
const withoutOrigin = (url: string) => url.replace(/^https?:\/\/[^/?]*\/?/i, '/').replace(/^\*/, '/*');

/** A path with an invalid escape matches no route; its `%` are replaced so that it gets the usual 404. */
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

import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import { RequestLog } from './request-log.js';

/** Requests that exceed these are rejected unread. In bytes and milliseconds. */
export const BODY_LIMIT = 1024 * 1024;
const HEADER_LIMIT = 16 * 1024;
const REQUEST_TIMEOUT = 30_000;
const CHECK_EVERY = 5_000;

/** Longer than a load balancer keeps a connection, so that the service never closes one that the balancer still uses. */
const KEEP_ALIVE_TIMEOUT = 65_000;

/** Longer than the longest statement: a client that neither sends nor reads is disconnected. */
const IDLE_TIMEOUT = 150_000;

/** The HTTP server with its limits and timeouts. */
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
    return503OnClosing: false, // what still arrives on a connection is served, and then the connection is closed
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

/** A client's own request id is kept if it looks like this. */
const REQUEST_ID = /^[\w.:/+=~-]{1,128}$/;

/** What an id must not hold, since it is logged: a token, whole or cut off. Ids of requests and traces have 32 digits. */
const LIKE_TOKEN = /wins_|[0-9a-f]{33}/i;

/** The id of a request: the client's own if it sent a usable one. @param sent its `X-Request-Id` */
function requestId(sent: string | string[] | undefined): string {
  return typeof sent === 'string' && REQUEST_ID.test(sent) && !LIKE_TOKEN.test(sent) ? sent : randomUUID();
}

/** The target of a request as the router takes it: every request that can be read ends at a route or at a 404. */
const routableUrl = (url = '/'): string => decodable(withoutOrigin(url));

/**
 * A request may name its target as a whole URL (RFC 9112, 3.2.2); the path alone says what is asked for. `*`, the service
 * as a whole, is no path to Fastify, which would answer it past all hooks.
 */
const withoutOrigin = (url: string) => url.replace(/^https?:\/\/[^/?]*\/?/i, '/').replace(/^\*/, '/*');

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

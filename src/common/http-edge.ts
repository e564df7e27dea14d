import { randomUUID } from 'node:crypto';
import { METHODS, STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { errorBody, errorOfStatus } from './error.filter.js';

/** What happens to a request before any hook or handler sees it. */

/** A client's own request id is kept if it looks like this. */
const REQUEST_ID = /^[\w.:/+=~-]{1,128}$/;

/** What an id must not hold, since it is logged: a token, whole or cut off. Ids of requests and traces have 32 digits. */
const LIKE_TOKEN = /wins_|[0-9a-f]{33}/i;

/** What every answer has, beside the id of its request. */
export const COMMON_HEADERS = { 'cache-control': 'private, no-cache', vary: 'Authorization, Origin' };

/** The id of a request: the client's own if it sent a usable one. @param sent its `X-Request-Id` */
export function requestId(sent: string | string[] | undefined): string {
  return typeof sent === 'string' && REQUEST_ID.test(sent) && !LIKE_TOKEN.test(sent) ? sent : randomUUID();
}

/** The target of a request as the router takes it: every request that can be read ends at a route or at a 404. */
export const routableUrl = (url = '/'): string => decodable(withoutOrigin(url));

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

/** What has to be answered on a connection, oldest first, and the connections of which nothing more can be read. */
const owed = new WeakMap<Socket, Set<ServerResponse>>();
const unreadable = new WeakSet<Socket>();

/**
 * Remembers what is owed, so that answers keep the order of their requests, and keeps from the router what it has no
 * place for: Node reads the methods of other protocols too where a request names no version.
 */
export function watchRequests({ server }: FastifyInstance): void {
  const [route] = server.listeners('request');
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!METHODS.includes(request.method ?? '')) return refuseUnreadable({}, request.socket);
    const answers = owed.get(request.socket) ?? new Set();
    owed.set(request.socket, answers.add(response));
    response.once('close', () => answers.delete(response));
    Reflect.apply(route!, server, [request, response]);
  });
}

/**
 * Fastify's `clientErrorHandler`. Answers what is no HTTP request, in the one error shape; it never becomes a request
 * that hooks could see. What came whole before it on the same connection is answered first, and nothing is answered twice.
 */
export function refuseUnreadable(error: { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  if (unreadable.has(socket)) return;
  unreadable.add(socket);
  const answers = [...(owed.get(socket) ?? [])];
  const last = answers.findLast(({ req, headersSent }) => req.complete || headersSent);
  if (last === undefined) refuse(error, socket);
  else last.once('close', () => (last.req.complete ? refuse(error, socket) : socket.end()));
}

function refuse(error: { code?: string }, socket: Socket): void {
  if (!socket.writable) return void socket.destroy();
  const status = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400;
  const id = randomUUID();
  const body = errorBody(errorOfStatus(status), id);
  const headers = {
    ...COMMON_HEADERS,
    connection: 'close',
    'x-request-id': id,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
}

/**
 * Node refuses these itself, without a body, and CONNECT without any answer. An unknown expectation may as well be
 * ignored (RFC 9110, 10.1.1).
 */
export function replaceBareRefusals(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _, done) => {
    const lacksHost = request.raw.httpVersion === '1.1' && request.headers.host === undefined;
    done(lacksHost ? errorOfStatus(400) : undefined);
  });
  fastify.server.on('connect', ({ socket }: IncomingMessage) => refuseUnreadable({}, socket));
  fastify.server.on('checkExpectation', (request, response) => fastify.server.emit('request', request, response));
}

/**
 * Closes, when the service stops, the connections on which nothing was ever sent: browsers and load balancers hold some
 * in reserve. Node counts them as busy and would wait for them.
 */
export function closeUnused(fastify: FastifyInstance): void {
  const sockets = new Set<Socket>();
  fastify.server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  fastify.addHook('preClose', (done) => {
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    done();
  });
}

import { randomUUID } from 'node:crypto';
import { METHODS, STATUS_CODES, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest, RequestPayload } from 'fastify';
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

/** Requests of a connection that wait for their turn; after them nothing more is read of it. */
const MAX_WAITING = 256;

/** How long, in milliseconds, and how much a client may go on sending that was answered already. */
const LINGER_TIME = 5_000;
const LINGER_BYTES = 16 * 1024 * 1024;
const LINGER_CHECK = 100;

/** Headers of a request. Node leaves out what goes beyond, and so would hide from this service what it shows to a proxy. */
const MAX_HEADERS = 500;

/** A chunk costs as much time as so many bytes of a body, and so it counts, however small it is. */
const CHUNK_COST = 64;

/** A body of at most so many bytes is read to its end where nobody wants it, so that the connection can be kept. */
const MAX_DROPPED = 64 * 1024;

/** Characters of responses that wait to be sent, over all connections; beyond them the oldest connections are closed. */
const MAX_OWED = 32 * 1024 * 1024;
/** Smaller ones need no count. */
const SMALL = 16 * 1024;

/** The event of the HTTP server for what was refused before it was a request, with its status. */
export const REFUSED = 'refused';

type Exchange = [request: IncomingMessage, response: ServerResponse];

/**
 * The requests of one connection, which are handled one after the other: however many a client sends without reading, it
 * is owed one response. What can't be read is refused in its turn, and nothing is read after it.
 */
class Connection {
  private current: Exchange | undefined;
  private readonly waiting: Exchange[] = [];
  /** Nothing that comes now is a request any more. */
  private isOver = false;
  /** The status of the refusal that is owed after all responses. */
  private refusal: number | undefined;

  constructor(
    private readonly socket: Socket,
    private readonly handle: RequestListener,
    private readonly onRefused: (status: number) => void,
  ) {
    // Node closes a connection by this after its last response: at once, so that a client that is still sending is reset
    // before it has read the response.
    const destroySoon = socket.destroySoon.bind(socket);
    socket.destroySoon = () => (this.hasReadAll() ? destroySoon() : this.close());
    // Node resumes a connection when it drops what is left of a request.
    socket.on('resume', () => this.waiting.length > 0 && socket.pause());
  }

  add(request: IncomingMessage, response: ServerResponse): void {
    if (this.isOver) return;
    if (this.current === undefined) return this.start([request, response]);
    this.waiting.push([request, response]);
    this.socket.pause();
    if (this.waiting.length === MAX_WAITING) {
      this.isOver = true;
      response.setHeader('connection', 'close');
    }
  }

  /** Refuses what is no request. Whoever waits for the rest of a request that is broken is told the same. */
  refuse(status: number): void {
    if (this.isOver) return;
    this.isOver = true;
    const [request, response] = this.waiting.at(-1) ?? this.current ?? [];
    if (request === undefined || request.complete) this.refusal = status;
    else if (!response!.headersSent && isBeingRead(request)) this.send(status);
    else {
      broken.set(request, status);
      if (!response!.headersSent) response!.setHeader('connection', 'close');
    }
    if (this.current === undefined) this.next();
  }

  private start(exchange: Exchange): void {
    this.current = exchange;
    exchange[1].once('close', () => this.next());
    this.handle(...exchange);
  }

  private next(): void {
    this.current = undefined;
    const exchange = this.socket.writable ? this.waiting.shift() : undefined;
    if (this.waiting.length === 0 && !this.isOver) this.socket.resume();
    if (exchange !== undefined) this.start(exchange);
    else if (this.refusal !== undefined) this.send(this.refusal);
    else if (this.isOver && this.socket.writable) this.close();
  }

  private send(status: number): void {
    if (!this.socket.writable) return;
    this.onRefused(status);
    this.socket.write(refusalText(status));
    this.close();
  }

  private close(): void {
    this.isOver = true;
    this.waiting.length = 0;
    // Whoever was reading gets nothing more, and so does not do what was refused.
    this.current?.[0].removeAllListeners('data').removeAllListeners('end').resume();
    closeInStages(this.socket);
  }

  private hasReadAll(): boolean {
    return !this.isOver && this.waiting.length === 0 && this.current?.[0].complete === true;
  }
}

/** Requests of which the rest can't be read, and the status that says why. */
const broken = new WeakMap<IncomingMessage, number>();

/** Whether somebody has begun to read the body. */
const isBeingRead = (request: IncomingMessage) => request.readableFlowing !== null;

/**
 * Closes a connection so that what was sent on it arrives (RFC 9112, 9.6): ends it on this side, and drops what still
 * comes until the client ends it too, for as long and as much as is allowed.
 */
function closeInStages(socket: Socket): void {
  const [lastByte, lastMoment] = [socket.bytesRead + LINGER_BYTES, Date.now() + LINGER_TIME];
  const timer = setInterval(() => {
    if (socket.bytesRead > lastByte || Date.now() > lastMoment) socket.destroy();
  }, LINGER_CHECK);
  socket.once('close', () => clearInterval(timer));
  socket.end();
  socket.resume();
}

function refusalText(status: number): string {
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
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}

/** The status for what Node's parser gave up on. */
function statusOf({ code }: { code?: string }): number {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 408;
  return code === 'HPE_HEADER_OVERFLOW' ? 431 : 400;
}

/**
 * Takes over from Node and Fastify what comes in on connections: the turns of requests, and the refusal, in the one error
 * shape, of what is none. Keeps from the router what it has no place for: Node reads the methods of other protocols too
 * where a request names no version. CONNECT would get no answer at all, and an expectation that nobody knows a bare one,
 * though it may as well be ignored (RFC 9110, 10.1.1). A refusal is logged and emitted here, since no hook ever sees one.
 */
export function watchConnections({ server, log }: Pick<FastifyInstance, 'server' | 'log'>): void {
  server.maxHeadersCount = MAX_HEADERS + 1;
  Object.assign(server, { httpAllowHalfOpen: true }); // a client that has said all it has to say is answered all the same
  const [handle] = server.listeners('request') as [RequestListener];
  const connections = new WeakMap<Socket, Connection>();
  const connectionOf = (socket: Socket) => {
    let connection = connections.get(socket);
    if (connection === undefined) {
      connection = new Connection(socket, handle, (status) => {
        log.info({ status, address: socket.remoteAddress }, 'refused what is no request');
        server.emit(REFUSED, status);
      });
      connections.set(socket, connection);
    }
    return connection;
  };
  const accept = (request: IncomingMessage, response: ServerResponse) =>
    METHODS.includes(request.method ?? '')
      ? connectionOf(request.socket).add(request, response)
      : connectionOf(request.socket).refuse(400);
  server.removeAllListeners('request').removeAllListeners('clientError');
  server.on('request', accept).on('checkExpectation', accept).on('checkContinue', accept);
  server.on('connect', ({ socket }: IncomingMessage) => connectionOf(socket).refuse(400));
  server.on('clientError', (error: { code?: string }, socket: Socket) =>
    error.code === 'ECONNRESET' ? void socket.destroy() : connectionOf(socket).refuse(statusOf(error)),
  );
}

/** What a `Host` may look like (RFC 9110, 7.2): a name or an address, and a port. */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+;=%-]*)(?::\d*)?$/i;

/** Why a request that Node lets pass can't be trusted to be what a proxy took it for. @returns the status, if it is */
function distrust({ raw: { httpVersion, rawHeaders }, headers }: FastifyRequest): number | undefined {
  if (rawHeaders.length > 2 * MAX_HEADERS) return 431;
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && httpVersion !== '1.1') return 400;
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return 501;
  if (headers.host === undefined) return httpVersion === '1.1' ? 400 : undefined;
  const hosts = rawHeaders.filter((name, n) => n % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host');
  return hosts.length > 1 || !HOST.test(headers.host) ? 400 : undefined;
}

const lengthOf = ({ headers }: Pick<FastifyRequest, 'headers'>) => Number(headers['content-length'] ?? 0);

/**
 * Whether a request is the last of its connection: more may come of it than is worth to be read for nothing, or it asks for
 * another protocol, behind which Node drops what was sent at once with it.
 */
const isLast = ({ raw, headers }: FastifyRequest) =>
  headers.upgrade !== undefined ||
  (!raw.complete &&
    (headers['transfer-encoding'] !== undefined ||
      headers.expect !== undefined ||
      lengthOf({ headers }) > MAX_DROPPED));

/** Counts the chunks of a body as Fastify counts what it reads of a body, against the same limit. */
function countChunks(payload: RequestPayload): void {
  payload.receivedEncodedLength = 0;
  payload.on('data', ({ length }: Buffer) => (payload.receivedEncodedLength! += Math.max(length, CHUNK_COST)));
}

/**
 * The hooks that belong to connections: refuses what could be smuggled past a proxy, asks a client that waits for it to
 * send its body (`Expect: 100-continue`) once that will be read, and gives up a connection whose client sends more than
 * anybody reads.
 *
 * @param bodyLimit of bytes of a body
 */
export function guardConnections(fastify: FastifyInstance, bodyLimit: number): void {
  fastify.addHook('onRequest', (request, _, done) => {
    const status = distrust(request);
    done(status === undefined ? undefined : errorOfStatus(status));
  });
  fastify.addHook('preParsing', (request, reply, payload, done) => {
    const status = broken.get(request.raw);
    if (status !== undefined) return done(errorOfStatus(status));
    const isWaiting = request.raw.httpVersion === '1.1' && request.headers.expect?.toLowerCase() === '100-continue';
    const type = request.headers['content-type'];
    const willBeRead = type !== undefined && fastify.hasContentTypeParser(type) && lengthOf(request) <= bodyLimit;
    if (isWaiting && willBeRead) reply.raw.writeContinue();
    if (willBeRead && request.headers['transfer-encoding'] !== undefined) countChunks(payload);
    return done(null, payload);
  });
  fastify.addHook('onSend', (request, reply, payload, done) => {
    if (isLast(request)) reply.header('connection', 'close');
    if (typeof payload === 'string' && payload.length > SMALL) owe(reply.raw, payload.length);
    done(null, payload);
  });
}

/** What is owed, oldest first, and how much that is. */
const owed = new Map<ServerResponse, number>();
let owedInAll = 0;

/** Counts a response until it is sent. Clients that do not read their responses must not fill the memory. */
export function owe(response: ServerResponse, length: number): void {
  owed.set(response, length);
  owedInAll += length;
  response.once('close', () => {
    if (owed.delete(response)) owedInAll -= length;
  });
  for (const [oldest, oldestLength] of owed) {
    if (owedInAll <= MAX_OWED || oldest === response) return;
    owed.delete(oldest);
    owedInAll -= oldestLength;
    oldest.destroy();
  }
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

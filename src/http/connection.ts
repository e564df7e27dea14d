import { randomUUID } from 'node:crypto';
import { METHODS, STATUS_CODES, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { errorBody, errorOfStatus } from './error.filter.js';
import { COMMON_HEADERS } from './headers.js';

/** Pipelined requests that a connection may queue. Nothing is read after them. */
const MAX_WAITING = 256;

/** How many milliseconds and bytes a client may go on sending after the connection's last response. */
const LINGER_TIME = 5_000;
const LINGER_BYTES = 16 * 1024 * 1024;
const LINGER_CHECK = 100;

/** Node silently drops headers beyond its limit, so a proxy might see headers that this service doesn't. */
export const MAX_HEADERS = 500;

/** The HTTP server emits this, with the status, when it rejects what it can't parse as a request. */
export const REJECTED = 'rejected';

type Exchange = [request: IncomingMessage, response: ServerResponse];

/**
 * Handles the requests of one connection one after the other, so that at most one response waits for a client that sends
 * requests without reading the responses.
 */
class Connection {
  private current: Exchange | undefined;
  private readonly waiting: Exchange[] = [];
  /** No further requests are accepted. */
  private isOver = false;

  constructor(
    private readonly socket: Socket,
    private readonly handle: RequestListener,
    private readonly onReject: (status: number) => void,
  ) {
    // Node calls this after the last response. It closes at once: a client that is still sending would be reset before it
    // reads the response.
    const destroySoon = socket.destroySoon.bind(socket);
    socket.destroySoon = () => (this.hasReadAll() ? destroySoon() : this.close());
    // Node resumes the connection when it discards the rest of a request.
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

  /**
   * Rejects what can't be parsed. While earlier requests are pending, it gets no response of its own: they get theirs,
   * and the connection is closed.
   */
  reject(status: number): void {
    if (this.isOver) return;
    this.isOver = true;
    if (this.current === undefined) return this.send(status);
    if (this.waiting.at(-1)?.[0].complete === false) this.waiting.pop();
    const [request, response] = this.waiting.at(-1) ?? this.current;
    if (response.headersSent) return;
    if (!request.complete && isBeingRead(request)) return this.send(status);
    if (!request.complete) broken.set(request, status);
    response.setHeader('connection', 'close');
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
    else if (this.isOver && this.socket.writable) this.close();
  }

  private send(status: number): void {
    if (!this.socket.writable) return;
    this.onReject(status);
    this.socket.write(errorResponse(status));
    this.close();
  }

  private close(): void {
    this.isOver = true;
    this.waiting.length = 0;
    // The handler gets no more of the body, so it can't act on a request that was rejected.
    this.current?.[0].removeAllListeners('data').removeAllListeners('end').resume();
    closeInStages(this.socket);
  }

  private hasReadAll(): boolean {
    return !this.isOver && this.waiting.length === 0 && this.current?.[0].complete === true;
  }
}

/** Requests whose body can't be parsed, and the status to reject them with. */
const broken = new WeakMap<IncomingMessage, number>();

/** The status to reject a request with whose body can't be parsed. */
export const brokenStatus = (request: IncomingMessage): number | undefined => broken.get(request);

/** Whether a handler has begun to read the body. */
const isBeingRead = (request: IncomingMessage) => request.readableFlowing !== null;

/**
 * Closes a connection without losing the last response (RFC 9112, 9.6): closes this side, then discards what the client
 * still sends until it closes its side, up to the limits above.
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

function errorResponse(status: number): string {
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

/** The status for an error of Node's parser. */
function statusOf({ code }: { code?: string }): number {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 408;
  return code === 'HPE_HEADER_OVERFLOW' ? 431 : 400;
}

/**
 * Replaces Node's and Fastify's handling of incoming connections:
 * - the requests of a connection are handled one after the other;
 * - what isn't a valid request gets an error in the usual format, and is logged and emitted as `REJECTED`, since no hook
 *   sees it. So are CONNECT, which Node would leave without a response, and methods of other protocols, which Node's
 *   parser accepts in requests without an HTTP version;
 * - an unknown `Expect` is ignored (RFC 9110, 10.1.1), where Node would respond with a 417 without a body.
 */
export function watchConnections({ server, log }: Pick<FastifyInstance, 'server' | 'log'>): void {
  server.maxHeadersCount = MAX_HEADERS + 1;
  Object.assign(server, { httpAllowHalfOpen: true }); // a client that has closed its side still gets its response
  const [handle] = server.listeners('request') as [RequestListener];
  const connections = new WeakMap<Socket, Connection>();
  const connectionOf = (socket: Socket) => {
    let connection = connections.get(socket);
    if (connection === undefined) {
      connection = new Connection(socket, handle, (status) => {
        log.info({ status, address: socket.remoteAddress }, 'rejected an invalid request');
        server.emit(REJECTED, status);
      });
      connections.set(socket, connection);
    }
    return connection;
  };
  const accept = (request: IncomingMessage, response: ServerResponse) =>
    METHODS.includes(request.method ?? '')
      ? connectionOf(request.socket).add(request, response)
      : connectionOf(request.socket).reject(400);
  server.removeAllListeners('request').removeAllListeners('clientError');
  server.on('request', accept).on('checkExpectation', accept).on('checkContinue', accept);
  server.on('connect', ({ socket }: IncomingMessage) => connectionOf(socket).reject(400));
  server.on('clientError', (error: { code?: string }, socket: Socket) =>
    error.code === 'ECONNRESET' ? void socket.destroy() : connectionOf(socket).reject(statusOf(error)),
  );
}

/**
 * On shutdown, closes connections on which nothing was ever sent, as browsers and load balancers keep in reserve. Node
 * counts them as busy and would wait for them.
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

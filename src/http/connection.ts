import { randomUUID } from 'node:crypto';
import { METHODS, STATUS_CODES, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { errorBody, errorOfStatus } from './error.filter.js';
import { COMMON_HEADERS } from './headers.js';

/** Requests of a connection that wait for their turn; after them nothing more is read of it. */
const MAX_WAITING = 256;

/** How long, in milliseconds, and how much a client may go on sending that was answered already. */
const LINGER_TIME = 5_000;
const LINGER_BYTES = 16 * 1024 * 1024;
const LINGER_CHECK = 100;

/** Headers of a request. Node leaves out what goes beyond, and so would hide from this service what it shows to a proxy. */
export const MAX_HEADERS = 500;

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

/** Why the rest of a request can't be read, as a status; `undefined` if it can. */
export const brokenStatus = (request: IncomingMessage): number | undefined => broken.get(request);

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

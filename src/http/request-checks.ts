import type { FastifyInstance, FastifyRequest, RequestPayload } from 'fastify';
import { brokenStatus, MAX_HEADERS } from './connection.js';
import { errorOfStatus } from './error.filter.js';
import { owe, SMALL } from './owed.js';

/** A chunk costs as much time as so many bytes of a body, and so it counts, however small it is. */
const CHUNK_COST = 64;

/** A body of at most so many bytes is read to its end where nobody wants it, so that the connection can be kept. */
const MAX_DROPPED = 64 * 1024;

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
export function registerRequestChecks(fastify: FastifyInstance, bodyLimit: number): void {
  fastify.addHook('onRequest', (request, _, done) => {
    const status = distrust(request);
    done(status === undefined ? undefined : errorOfStatus(status));
  });
  fastify.addHook('preParsing', (request, reply, payload, done) => {
    const status = brokenStatus(request.raw);
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

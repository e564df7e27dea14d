import type { FastifyInstance, FastifyRequest, RequestPayload } from 'fastify';
import { brokenStatus, MAX_HEADERS } from './connection.js';
import { errorOfStatus } from './error.filter.js';
import { countUnsent, SMALL } from './unsent.js';

/** Each chunk counts as at least so many bytes of the body limit: parsing one takes about as long. */
const CHUNK_COST = 64;

/** An unwanted body of at most so many bytes is read to its end, so that the connection can be reused. */
const MAX_DISCARDED = 64 * 1024;

/** A valid `Host` (RFC 9110, 7.2): a name or an address, and a port. */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+;=%-]*)(?::\d*)?$/i;

/**
 * Finds what Node accepts but a proxy may read differently, which would allow request smuggling.
 *
 * @returns the status to reject it with, if any
 */
function findAmbiguity({ raw: { httpVersion, rawHeaders }, headers }: FastifyRequest): number | undefined {
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
 * Whether to close the connection after this request: because more of its body may arrive than is worth discarding, or
 * because it asks for another protocol, after which Node drops what was sent along with it.
 */
const closesConnection = ({ raw, headers }: FastifyRequest) =>
  headers.upgrade !== undefined ||
  (!raw.complete &&
    (headers['transfer-encoding'] !== undefined ||
      headers.expect !== undefined ||
      lengthOf({ headers }) > MAX_DISCARDED));

/** Counts chunks against Fastify's body limit. */
function countChunks(payload: RequestPayload): void {
  payload.receivedEncodedLength = 0;
  payload.on('data', ({ length }: Buffer) => (payload.receivedEncodedLength! += Math.max(length, CHUNK_COST)));
}

/**
 * Registers the hooks that protect the connection: they reject ambiguous requests, send `100 Continue` only if the body
 * will be read, and close the connection after a body that won't be.
 *
 * @param bodyLimit in bytes
 */
export function registerRequestChecks(fastify: FastifyInstance, bodyLimit: number): void {
  fastify.addHook('onRequest', (request, _, done) => {
    const status = findAmbiguity(request);
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
    if (closesConnection(request)) reply.header('connection', 'close');
    if (typeof payload === 'string' && payload.length > SMALL) countUnsent(reply.raw, payload.length);
    done(null, payload);
  });
}

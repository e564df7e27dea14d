import { crc32 } from 'node:zlib';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Download } from '../common/download.js';
import { etagOf, hasTag, tagsIn } from '../common/etag.js';
import { Issued, Page, Revised, type Json } from '../common/json.js';
import { VERSION } from '../config/version.js';
import { REVISION } from '../database/revision.js';
import type { Sql } from '../database/sql.js';

/** The request's `If-Match`, as a handler's argument. */
export const IfMatch = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<FastifyRequest>().headers['if-match'],
);

const isRead = ({ method }: FastifyRequest) => method === 'GET' || method === 'HEAD';

/** What the response of a list depends on, besides the user's revision: a checksum, since only a confused client mixes them up. */
const viewOf = ({ url, caller }: FastifyRequest, base: string) =>
  crc32(`${VERSION} ${base} ${caller?.userId} ${url}`).toString(36);

/** The tag of a list: the same as long as the user's revision is, so it can be checked without reading the list. */
const revisionTag = (revision: number, view: string) => `"${revision}-${view}"`;

/** The revision in a tag of this view that the client has. */
function knownRevision(ifNoneMatch: string, view: string): number | undefined {
  const known = tagsIn(ifNoneMatch, true).find((candidate) => candidate.endsWith(`-${view}"`));
  return known === undefined ? undefined : Number(/^"(\d+)-/.exec(known)?.[1]);
}

function tagOf(request: FastifyRequest, payload: Json<unknown> | Download, base: string): string {
  if (payload instanceof Issued) return etagOf(payload.stored.text);
  if (payload instanceof Revised || payload instanceof Download)
    return revisionTag(payload.revision, viewOf(request, base));
  if (!(payload instanceof Page)) return etagOf(payload.text);
  const { revision, total, page, perPage, text } = payload;
  if (revision !== undefined) return revisionTag(revision, viewOf(request, base));
  return etagOf(`${total} ${page} ${perPage} ${text}`);
}

/** Sets the `ETag` of a response, and makes it a 304 if the client has the same (RFC 9110, 13.1.2). */
export function setTag(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: Json<unknown> | Download,
  base: string,
): void {
  const etag = tagOf(request, payload, base);
  reply.header('etag', etag);
  const ifNoneMatch = request.headers['if-none-match'];
  if (ifNoneMatch !== undefined && isRead(request) && hasTag(ifNoneMatch, etag)) reply.code(304);
}

/**
 * Responds with 304 to whoever has a list in its current revision, without reading the list.
 *
 * @param base what `Link` begins with
 */
export function registerRevisionCheck(fastify: FastifyInstance, sql: Sql, base: string): void {
  fastify.addHook('preHandler', (request, reply, done) => {
    const { caller, headers } = request;
    const ifNoneMatch = headers['if-none-match'];
    if (ifNoneMatch === undefined || caller === null || request.method !== 'GET') return done();
    const view = viewOf(request, base);
    const known = knownRevision(ifNoneMatch, view);
    if (known === undefined) return done();
    sql
      .shared(caller)
      .first<{ revision: number }>(REVISION, [caller.userId])
      .then((user) => {
        if (user?.revision !== known) return done();
        return reply.code(304).header('etag', revisionTag(known, view)).send();
      }, done);
  });
}

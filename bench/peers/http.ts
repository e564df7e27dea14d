import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { LogController, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';

/** What the peers have in common: the headers that every contender must send, and a log line for each request. */

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the request's token was found good. */
    userId: number | null;
  }
}

export const { DATABASE_URL, HOST = '127.0.0.1', PORT, LOG_LEVEL = 'info' } = process.env;
export const POOL_SIZE = Number(process.env.DATABASE_POOL_SIZE);

const HEADERS = {
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'DENY',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
  'cache-control': 'private, no-cache',
  vary: 'Authorization, Origin',
};

export const genReqId = ({ headers: { 'x-request-id': id } }: IncomingMessage) =>
  typeof id === 'string' && /^[\w.:/+=~-]{1,128}$/.test(id) ? id : randomUUID();

export function addHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(HEADERS).header('x-request-id', request.id);
    done();
  });
}

/** One line for each request, with the same fields as ours. */
export class RequestLog extends LogController {
  override incomingRequest(): void {}

  override requestCompleted(error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    request.log.info(
      {
        userId: request.userId,
        method: request.method,
        path: request.url.split('?', 1)[0],
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime * 10) / 10,
        ...(error && { err: error }),
      },
      'request',
    );
  }
}

/** Adds the paging headers. */
export function addPaging(request: FastifyRequest, reply: FastifyReply, page: number, perPage: number, total: number) {
  const [path, query] = request.url.split('?', 2);
  const lastPage = Math.max(1, Math.ceil(total / perPage));
  const parameters = new URLSearchParams(query);
  const link = (rel: string, to: number) => {
    parameters.set('page', String(to));
    parameters.set('per_page', String(perPage));
    return `<${path}?${parameters}>; rel="${rel}"`;
  };
  const links = [link('first', 1)];
  if (page > 1) links.push(link('prev', Math.min(page - 1, lastPage)));
  if (page < lastPage) links.push(link('next', page + 1));
  links.push(link('last', lastPage));
  reply.headers({ 'x-total-count': total, 'x-page': page, 'x-per-page': perPage, link: links.join(', ') });
}

/** What a client is told when its request is refused. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details?: { field: string; code: string; message: string }[],
  ) {
    super(message);
  }
}

export const notFound = (what: string) => new Refusal(404, 'not_found', `${what} not found`);

export const invalid = (field: string, code: string, message: string) =>
  new Refusal(422, 'validation_failed', 'The request has invalid fields', [
    { field, code, message: `${field} ${message}` },
  ]);

/** What the database refused, by the constraint. */
export function refusalOf(constraint: unknown, detail?: unknown): Refusal | undefined {
  switch (constraint) {
    case 'uq_tags_name':
      return invalid('tag.name', 'taken', 'is already taken');
    case 'fk_wins_space_id':
      return invalid('win.space_id', 'not_found', 'is not one of your spaces');
    case 'ck_spaces_plan_limit':
      return new Refusal(402, 'plan_limit_reached', `Your plan is limited to ${detail} spaces`);
    default:
      return undefined;
  }
}

export function sendRefusal(request: FastifyRequest, reply: FastifyReply, refusal: Refusal): void {
  if (refusal.status === 401) reply.header('www-authenticate', 'Bearer');
  void reply.status(refusal.status).send({
    error: refusal.message,
    code: refusal.code,
    request_id: request.id,
    details: refusal.details,
    ...(refusal.status === 402 && { upgrade_url: 'https://example.com/upgrade' }),
  });
}

/** An id in a path; 0, which no row has, for what is none. */
export const readId = (text: string) => (/^[1-9][0-9]{0,14}$/.test(text) ? Number(text) : 0);

export const isDate = (text: string) =>
  /^\d{4}-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text;

// The v flag is younger than the compiler's target, so the pattern is built at run time.
const EMOJI = new RegExp('^\\p{RGI_Emoji}$', 'v');
export const isEmoji = (text: string) => EMOJI.test(text);

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HttpError, InvalidJsonError, TooManyValuesError, type ServiceError } from '../common/errors.js';

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const OTHER_CHARSET = /;\s*charset=(?!"?utf-8"?\s*(;|$))/i;

/** Far more than any valid request has; code that recurses over a body can't overflow the stack. */
const MAX_NESTING = 20;

/** Far more than any valid request has; the cost of parsing a body grows with it. Counted by commas and brackets. */
const MAX_VALUES = 10_000;

/**
 * Accepts only JSON in UTF-8; anything else is a 415. An empty body counts as no body, whatever its type. `__proto__` and
 * `constructor.prototype` are dropped, like any unknown field.
 */
export function acceptOnlyJson(fastify: FastifyInstance): void {
  const parse = fastify.getDefaultJsonParser('remove', 'remove');
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    (request: FastifyRequest, body: Buffer, done) => {
      if (OTHER_CHARSET.test(request.headers['content-type'] ?? '')) {
        return done(new HttpError('unsupported_media_type', 'The body must be in UTF-8'));
      }
      if (body.length === 0) return done(null, undefined);
      const error = checkSize(body);
      if (error !== undefined) return done(error);
      const text = decode(body);
      if (text === undefined || text.startsWith('\uFEFF')) return done(new InvalidJsonError());
      return parse(request, text, (reason, json) => (reason ? done(new InvalidJsonError()) : done(null, json)));
    },
  );
}

function decode(body: Buffer): string | undefined {
  try {
    return UTF8.decode(body);
  } catch {
    return undefined;
  }
}

const [QUOTE, BACKSLASH, COMMA] = Buffer.from('"\\,');
const [OPENING_BRACKET, OPENING_BRACE, CLOSING_BRACKET, CLOSING_BRACE] = Buffer.from('[{]}');

/** Counts nesting and values in one pass, before anything is parsed. */
function checkSize(json: Buffer): ServiceError | undefined {
  let depth = 0;
  let values = 0;
  let inString = false;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i];
    if (inString) {
      if (byte === BACKSLASH) i++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === COMMA) values++;
    else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) {
      values++;
      if (++depth > MAX_NESTING) return new InvalidJsonError('The body is nested too deeply');
    } else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) depth--;
    if (values > MAX_VALUES) return new TooManyValuesError();
  }
  return undefined;
}

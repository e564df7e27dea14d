import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HttpError, InvalidJsonError } from './errors.js';

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const OTHER_CHARSET = /;\s*charset=(?!"?utf-8"?\s*(;|$))/i;

/** No request of this interface comes near; what recurses over a body can't run out of stack. */
const MAX_NESTING = 20;

/**
 * Makes JSON in UTF-8 the only body there is; anything else is 415. An empty body is none, whatever its type.
 * `__proto__` and `constructor.prototype` are dropped like every unknown field.
 */
export function acceptOnlyJson(fastify: FastifyInstance): void {
  const parse = fastify.getDefaultJsonParser('remove', 'remove');
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    (request: FastifyRequest, body: Buffer, done) => {
      if (OTHER_CHARSET.test(request.headers['content-type'] ?? '')) {
        return done(new HttpError(415, 'unsupported_media_type', 'The body must be in UTF-8'));
      }
      if (body.length === 0) return done(null, undefined);
      const text = decode(body);
      if (text === undefined || text.startsWith('\uFEFF')) return done(new InvalidJsonError());
      if (isTooDeep(text)) return done(new InvalidJsonError('The body is nested too deeply'));
      return parse(request, text, (error, json) => (error ? done(new InvalidJsonError()) : done(null, json)));
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

function isTooDeep(json: string): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < json.length; i++) {
    const character = json[i];
    if (inString) {
      if (character === '\\') i++;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') {
      if (++depth > MAX_NESTING) return true;
    } else if (character === '}' || character === ']') depth--;
  }
  return false;
}

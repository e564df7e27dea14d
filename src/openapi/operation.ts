import { applyDecorators, HttpCode, RequestMethod, UseInterceptors, type Type } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiParam, ApiResponse, type ApiResponseOptions } from '@nestjs/swagger';
import { DownloadInterceptor } from '../http/download.interceptor.js';
import { HTTP_CODE_METADATA, METHOD_METADATA, PATH_METADATA } from '../http/nest-internals.js';
import { IdempotencyInterceptor } from '../idempotency/idempotency.interceptor.js';
import { commonErrors, errorResponse, PRECONDITION_FAILED, type DocumentedError } from './errors.js';
import { headers, RATE_LIMIT } from './headers.js';

/** What an operation responds with, beyond what follows from its method and path. */
interface Responses {
  /** The class of the response, in brackets for a list; without it the response is 204. */
  returns?: Type | [Type];
  /** Errors beside those that every operation of its kind has. */
  errors?: DocumentedError[];
  /** The list is whole, without pages. */
  isWhole?: true;
  /** The list can also be read from cursor to cursor. */
  cursor?: true;
  /** The media types of the texts that it sends piece by piece, to be saved as a file. */
  downloads?: string[];
  /** The operation needs no token. */
  public?: true;
}

/**
 * Documents a handler: its name for clients, what it does, and every status it can respond with. Stands above `@Get()` and
 * the like, whose method and path it reads. Without `returns` it also sets the status 204.
 */
export function Operation(
  operationId: string,
  summary: string,
  description: string,
  responses: Responses = {},
): MethodDecorator {
  return (target, key, descriptor) => {
    const handler = descriptor.value as object;
    const method: RequestMethod = Reflect.getMetadata(METHOD_METADATA, handler);
    const path: string = Reflect.getMetadata(PATH_METADATA, handler);
    const { returns, errors = [] } = responses;
    applyDecorators(
      ApiOperation({ operationId, summary, description, ...(responses.public && { security: [] }) }),
      ...(path.includes(':id') ? [ApiParam(ID)] : []),
      ApiResponse(success(method, handler, responses)),
      ...(returns === undefined && !responses.downloads ? [HttpCode(204)] : []),
      ...(responses.downloads ? [UseInterceptors(DownloadInterceptor)] : []),
      ...(responses.public ? [] : conditions(method, errors)),
      ...[...commonErrors(method, responses.public ?? false), ...errors].map((error) =>
        ApiResponse(errorResponse(error)),
      ),
    )(target, key, descriptor);
  };
}

/** The request headers that make a request conditional or safe to repeat. */
function conditions(method: RequestMethod, errors: DocumentedError[]): MethodDecorator[] {
  if (method === RequestMethod.GET) return [ApiHeader(IF_NONE_MATCH), ApiResponse(NOT_MODIFIED)];
  if (method === RequestMethod.POST) return [UseInterceptors(IdempotencyInterceptor), ApiHeader(IDEMPOTENCY_KEY)];
  return errors.includes(PRECONDITION_FAILED) ? [ApiHeader(IF_MATCH)] : [];
}

// Without examples: the explorer would send them.
const ENTITY_TAGS = { type: 'string', minLength: 1 };

const IF_NONE_MATCH = {
  name: 'If-None-Match',
  description: 'The `ETag` of a response that you have, or several. If it would be the same again: 304',
  schema: ENTITY_TAGS,
};

const IF_MATCH = {
  name: 'If-Match',
  description: 'The `ETag` of the resource as you read it. If it has changed since: 412, and nothing is changed',
  schema: ENTITY_TAGS,
};

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  description:
    'A new name for each thing to do, such as a UUID. Within 24 hours a repetition with the same key does nothing again ' +
    'and gets the same response, with `Idempotency-Replayed: true`',
  schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
};

const NOT_MODIFIED: ApiResponseOptions = {
  status: 304,
  description: 'You have the current response',
  headers: headers('X-Request-Id', 'ETag'),
};

const ID = {
  name: 'id',
  description: 'The `id` of one of yours',
  schema: { type: 'integer', format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER, example: 7 },
};

function success(
  method: RequestMethod,
  handler: object,
  { returns, isWhole, cursor, downloads, public: isPublic }: Responses,
): ApiResponseOptions {
  const common = { ...headers('X-Request-Id'), ...(!isPublic && RATE_LIMIT) };
  if (downloads) {
    return {
      status: 200,
      description: 'OK',
      headers: { ...common, ...headers('ETag', 'Content-Disposition') },
      content: Object.fromEntries(downloads.map((type) => [type, { schema: { type: 'string' } }])),
    };
  }
  if (returns === undefined) return { status: 204, description: 'Done', headers: common };
  const isList = Array.isArray(returns);
  const status: number =
    Reflect.getMetadata(HTTP_CODE_METADATA, handler) ?? (method === RequestMethod.POST ? 201 : 200);
  return {
    status,
    description: status === 201 ? 'Created' : 'OK',
    headers: {
      ...common,
      ...(!isPublic && headers('ETag')),
      ...(isList && !isWhole && headers('X-Total-Count', 'X-Page', 'X-Per-Page')),
      ...(cursor && headers('X-Next-Cursor')),
    },
    type: isList ? returns[0] : returns,
    isArray: isList,
  };
}

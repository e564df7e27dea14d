import { applyDecorators, HttpCode, RequestMethod, type Type } from '@nestjs/common';
import { HTTP_CODE_METADATA, METHOD_METADATA, PATH_METADATA } from '../http/nest-internals.js';
import { ApiOperation, ApiParam, ApiResponse, type ApiResponseOptions } from '@nestjs/swagger';
import { commonErrors, errorResponse, type DocumentedError } from './errors.js';
import { headers, RATE_LIMIT } from './headers.js';

/** What an operation responds with, beyond what follows from its method and path. */
interface Responses {
  /** The class of the response, in brackets for a list; without it the response is 204. */
  returns?: Type | [Type];
  /** Errors beside those that every operation of its kind has. */
  errors?: DocumentedError[];
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
      ...(returns === undefined ? [HttpCode(204)] : []),
      ...[...commonErrors(method === RequestMethod.GET, responses.public ?? false), ...errors].map((error) =>
        ApiResponse(errorResponse(error)),
      ),
    )(target, key, descriptor);
  };
}

const ID = {
  name: 'id',
  description: 'The `id` of one of yours',
  schema: { type: 'integer', format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER, example: 7 },
};

function success(method: RequestMethod, handler: object, { returns, public: isPublic }: Responses): ApiResponseOptions {
  const common = { ...headers('X-Request-Id'), ...(!isPublic && RATE_LIMIT) };
  if (returns === undefined) return { status: 204, description: 'Done', headers: common };
  const isList = Array.isArray(returns);
  const isNew = method === RequestMethod.POST;
  return {
    status: Reflect.getMetadata(HTTP_CODE_METADATA, handler) ?? (isNew ? 201 : 200),
    description: isNew ? 'Created' : 'OK',
    headers: { ...common, ...(isList && headers('X-Total-Count', 'X-Page', 'X-Per-Page')) },
    type: isList ? returns[0] : returns,
    isArray: isList,
  };
}

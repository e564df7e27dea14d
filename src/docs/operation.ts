import { applyDecorators, HttpCode, RequestMethod, type Type } from '@nestjs/common';
import { HTTP_CODE_METADATA, METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { ApiOperation, ApiParam, ApiResponse, type ApiResponseOptions } from '@nestjs/swagger';
import { ERRORS, type ErrorStatus } from './errors.js';
import { LOCATION, PAGING, RATE_LIMIT, REQUEST_ID } from './headers.js';

/** What an operation answers with, beyond what follows from its method and path. */
interface Answers {
  /** The class of the answer, in brackets for a list; left out, the answer is 204. */
  returns?: Type | [Type];
  /** Statuses of errors that only this operation has. */
  errors?: ErrorStatus[];
  /** The operation needs no token. */
  public?: true;
}

/**
 * Documents a handler: its name for clients, what it does, and every status it can answer. Stands above `@Get()` and
 * the like, whose method and path it reads. Without `returns` it also makes the answer 204.
 */
export function Operation(
  operationId: string,
  summary: string,
  description: string,
  answers: Answers = {},
): MethodDecorator {
  return (target, key, descriptor) => {
    const handler = descriptor.value as object;
    const method: RequestMethod = Reflect.getMetadata(METHOD_METADATA, handler);
    const path: string = Reflect.getMetadata(PATH_METADATA, handler);
    const { returns, errors = [] } = answers;
    const hasId = path.includes(':id');
    const statuses = answers.public ? errors : [...commonErrors(method, hasId, Array.isArray(returns)), ...errors];
    applyDecorators(
      ApiOperation({ operationId, summary, description, ...(answers.public && { security: [] }) }),
      ...(hasId
        ? [ApiParam({ name: 'id', schema: { type: 'integer', format: 'int64', minimum: 1 }, example: 7 })]
        : []),
      ApiResponse(success(method, handler, returns)),
      ...(returns === undefined ? [HttpCode(204)] : []),
      ...statuses.map((status) => ApiResponse({ status, description: ERRORS[status].description })),
    )(target, key, descriptor);
  };
}

/** The errors that every operation of this kind has: contract, "Order of checks". */
function commonErrors(method: RequestMethod, hasId: boolean, isList: boolean): ErrorStatus[] {
  const hasFields = method === RequestMethod.POST || method === RequestMethod.PATCH || isList;
  return [
    401,
    ...(method === RequestMethod.GET ? [] : ([403, 400, 413, 415] as const)),
    ...(hasFields ? ([422] as const) : []),
    ...(hasId ? ([404] as const) : []),
    429,
    500,
    503,
  ];
}

function success(method: RequestMethod, handler: object, returns: Answers['returns']): ApiResponseOptions {
  if (returns === undefined) return { status: 204, description: 'Done', headers: { ...REQUEST_ID, ...RATE_LIMIT } };
  const isList = Array.isArray(returns);
  const isNew = method === RequestMethod.POST;
  return {
    status: Reflect.getMetadata(HTTP_CODE_METADATA, handler) ?? (isNew ? 201 : 200),
    description: isNew ? 'Created' : 'OK',
    headers: { ...REQUEST_ID, ...RATE_LIMIT, ...(isList && PAGING), ...(isNew && LOCATION) },
    type: isList ? returns[0] : returns,
    isArray: isList,
  };
}

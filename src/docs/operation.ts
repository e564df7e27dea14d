import { applyDecorators, HttpCode, RequestMethod, type Type } from '@nestjs/common';
import { HTTP_CODE_METADATA, METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { ApiOperation, ApiParam, ApiResponse, getSchemaPath, type ApiResponseOptions } from '@nestjs/swagger';
import { MAX_PER_PAGE } from '../common/pagination.js';
import { ErrorSchema, ERRORS, PlanLimitErrorSchema, ValidationErrorSchema } from './errors.js';

/** What an operation answers with, beyond what follows from its method and path. */
interface Answers {
  /** The class of the answer, in brackets for a list; left out, the answer is 204. */
  returns?: Type | [Type];
  /** Statuses of errors that only this operation has. */
  errors?: (keyof typeof ERRORS)[];
  /** The operation needs no token. */
  public?: true;
}

const string = (description: string, example: string) => ({
  description,
  schema: { type: 'string' as const, example },
});
const count = (description: string, example: number, bounds: { minimum: number; maximum?: number }) => ({
  description,
  schema: { type: 'integer' as const, example, ...bounds },
});

const REQUEST_ID = {
  'X-Request-Id': string('The id of the request, yours if you sent one', '0b9c1f0e-8d1c-4c65-a6a1-6d1f0f7f7e0c'),
};
const LOCATION = { Location: string('Where the new resource is', '/api/v1/tags/7') };
const PAGING = {
  'X-Total-Count': count('How many items all pages have', 60, { minimum: 0 }),
  'X-Page': count('The page that is shown', 1, { minimum: 1 }),
  'X-Per-Page': count('How many items a page has', 25, { minimum: 1, maximum: MAX_PER_PAGE }),
  Link: string('RFC 8288 links: first, prev, next, last', '</api/v1/tags?page=2&per_page=25>; rel="next"'),
};

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
    const reads = method === RequestMethod.GET;
    const hasBody = method === RequestMethod.POST || method === RequestMethod.PATCH;
    const hasId = path.includes(':id');
    const status =
      returns === undefined
        ? 204
        : (Reflect.getMetadata(HTTP_CODE_METADATA, handler) ?? (method === RequestMethod.POST ? 201 : 200));
    const refusals = answers.public
      ? errors
      : ([
          401,
          ...(reads ? [] : ([403, 400, 413, 415] as const)),
          ...(hasBody || Array.isArray(returns) ? ([422] as const) : []),
          ...(hasId ? ([404] as const) : []),
          ...errors,
          500,
          503,
        ] as const);
    applyDecorators(
      ApiOperation({ operationId, summary, description, ...(answers.public && { security: [] }) }),
      ...(hasId
        ? [ApiParam({ name: 'id', schema: { type: 'integer', format: 'int64', minimum: 1 }, example: 7 })]
        : []),
      ApiResponse(success(status, returns)),
      ...(returns === undefined ? [HttpCode(204)] : []),
      ...refusals.map((refusal) => ApiResponse(failure(refusal))),
    )(target, key, descriptor);
  };
}

function success(status: number, returns: Answers['returns']): ApiResponseOptions {
  const isList = Array.isArray(returns);
  return {
    status,
    description: status === 204 ? 'Done' : status === 201 ? 'Created' : 'OK',
    headers: { ...REQUEST_ID, ...(isList && PAGING), ...(status === 201 && LOCATION) },
    ...(returns !== undefined && { type: isList ? returns[0] : returns, isArray: isList }),
  };
}

function failure(status: keyof typeof ERRORS): ApiResponseOptions {
  const { description, headers = {}, example } = ERRORS[status];
  const schema = status === 402 ? PlanLimitErrorSchema : status === 422 ? ValidationErrorSchema : ErrorSchema;
  return {
    status,
    description,
    headers: { ...REQUEST_ID, ...headers },
    content: { 'application/json': { schema: { $ref: getSchemaPath(schema) }, example } },
  };
}

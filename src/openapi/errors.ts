import { RequestMethod } from '@nestjs/common';
import { ApiProperty, ApiSchema, getSchemaPath, type ApiPropertyOptions, type OpenAPIObject } from '@nestjs/swagger';
import { ERRORS, errorTable, FAULTS, faultTable, type ErrorCode, type FaultCode } from '../common/error-codes.js';
import {
  AlreadyCreatedError,
  AuthenticationError,
  CursorExpiredError,
  DrainingError,
  HttpError,
  InsufficientScopeError,
  InvalidIdempotencyKeyError,
  InvalidJsonError,
  NotFoundError,
  PlanLimitError,
  PreconditionFailedError,
  RateLimitError,
  RequestInProgressError,
  TooManyValuesError,
  UnavailableError,
  ValidationError,
  type ServiceError,
} from '../common/errors.js';
import { errorBody, errorOfStatus } from '../http/error.filter.js';
import { PageQuery } from '../http/pagination.js';
import { RequestValidationPipe } from '../http/validation.pipe.js';
import { challenge, headers, RATE_LIMIT, REQUEST_ID_EXAMPLE, type DocumentedHeaders } from './headers.js';
import { MAX_INT32 } from './schemas.js';

const UPGRADE_URL = 'https://example.com/upgrade';

/** Stands for a component of `codeSchemas()`: a named enum of Nest's own would be wrapped in `allOf`. */
@ApiSchema({ name: 'ErrorCode' })
class ErrorCodeSchema {}

@ApiSchema({ name: 'FaultCode' })
class FaultCodeSchema {}

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;

const codeSchema = (codes: object, table: string): Schemas[string] => ({
  type: 'string',
  enum: Object.keys(codes),
  description: `For programs. Codes never change; new ones may come.\n\n${table}`,
});

export const codeSchemas = (): Schemas => ({
  ErrorCode: codeSchema(ERRORS, errorTable()),
  FaultCode: codeSchema(FAULTS, faultTable()),
});

const Sentence = (example: string) =>
  ApiProperty({ type: 'string', minLength: 1, example, description: 'One plain sentence' });

const INT32 = { type: 'integer', format: 'int32', minimum: -MAX_INT32 - 1, maximum: MAX_INT32 } as const;
const ID = { type: 'integer', format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER } as const;

const Param = (schema: ApiPropertyOptions) => ApiProperty({ ...schema, required: false } as ApiPropertyOptions);

/** The one shape of every error. */
@ApiSchema({ name: 'ApiError', description: 'The one shape of every error' })
export class ErrorSchema {
  @Sentence('Tag not found')
  error: string;

  @ApiProperty({ type: () => ErrorCodeSchema })
  code: ErrorCode;

  @ApiProperty({
    type: 'string',
    minLength: 1,
    maxLength: 128,
    example: REQUEST_ID_EXAMPLE,
    description: 'The same as in `X-Request-Id`; quote it when you ask for help',
  })
  request_id: string;
}

@ApiSchema({ name: 'PlanLimitError', description: "The plan's limit is reached" })
export class PlanLimitErrorSchema extends ErrorSchema {
  @ApiProperty({ type: 'string', format: 'uri', example: UPGRADE_URL, description: 'Where to get a larger plan' })
  upgrade_url: string;
}

@ApiSchema({ name: 'FaultParams', description: 'What a translation of the message needs' })
export class FaultParamsSchema {
  @Param({ ...INT32, description: 'The smallest number, of `out_of_range`' })
  min?: number;

  @Param({ ...INT32, description: 'The largest number, length or count' })
  max?: number;

  @Param({ type: 'array', items: { type: 'string' }, description: 'The values to choose from, of `not_a_choice`' })
  choices?: readonly string[];

  @Param({ ...ID, description: 'Which of yours has the name, of `taken`' })
  id?: number;

  @Param({ type: 'array', items: ID, description: 'Which of yours, of `missing`, `not_found` and `duplicate`' })
  ids?: number[];

  @Param({ type: 'string', enum: ['string', 'integer', 'array'], description: 'The JSON type, of `invalid_type`' })
  expected?: string;

  @Param({ type: 'string', description: 'The field to send, of `read_only`' })
  instead?: string;

  @Param({ type: 'string', description: 'The field that it must not be sent with, of `conflict`' })
  other?: string;

  @Param({ type: 'string', format: 'date-time', description: 'When your own token expires, of `outlives_parent`' })
  latest?: string;
}

@ApiSchema({ name: 'Fault', description: 'One thing wrong with a request' })
export class FaultSchema {
  @ApiProperty({ type: 'string', minLength: 1, example: 'tag.name', description: 'The field, as in the request' })
  field: string;

  @ApiProperty({ type: () => FaultCodeSchema })
  code: FaultCode;

  @Sentence('Must not be blank')
  message: string;

  @ApiProperty({
    type: () => FaultParamsSchema,
    required: false,
    example: { max: 30 },
    description: 'What a translation of the message needs, where it needs anything',
  })
  params?: FaultParamsSchema;
}

@ApiSchema({ name: 'ValidationError', description: 'Fields are not valid' })
export class ValidationErrorSchema extends ErrorSchema {
  @ApiProperty({ type: () => [FaultSchema], minItems: 1, description: 'One entry per error; all are reported at once' })
  details: FaultSchema[];
}

/** Errors of operations, by their name among the components; filled as controllers and DTOs are loaded. */
const DOCUMENTED = new Map<string, DocumentedError>();

/** An error that operations may respond with. */
export interface DocumentedError {
  name: string;
  status: number;
  description: string;
  /** What is thrown, by a name for each case. */
  examples: () => Record<string, ServiceError>;
  schema?: typeof ErrorSchema;
  headers?: DocumentedHeaders;
}

function document(error: DocumentedError): DocumentedError {
  DOCUMENTED.set(error.name, error);
  return error;
}

/** @param what what isn't found, as a word: `Tag`, `Space` */
export const notFound = (what: string): DocumentedError =>
  document({
    name: `${what}NotFound`,
    status: 404,
    description: `No such ${what.toLowerCase()}, or it belongs to another user`,
    examples: () => ({ not_found: new NotFoundError(what) }),
  });

/**
 * Documents the 422 of a body or a query. The examples are what the checks themselves throw.
 *
 * @param rejected what the checks reject, by a name for each case
 * @param others what else is rejected, such as by the database
 */
export const invalid = (
  name: string,
  type: 'body' | 'query',
  metatype: new () => object,
  rejected: Record<string, object>,
  others: Record<string, ServiceError> = {},
): DocumentedError =>
  document({
    name,
    status: 422,
    description: 'Invalid fields; all errors are reported at once',
    schema: ValidationErrorSchema,
    examples: () => {
      const thrown = Object.entries(rejected).map(([key, value]) => [key, thrownFor(value, type, metatype)] as const);
      return { ...Object.fromEntries(thrown), ...others };
    },
  });

function thrownFor(value: object, type: 'body' | 'query', metatype: new () => object): ServiceError {
  try {
    new RequestValidationPipe().transform(value, { type, metatype });
  } catch (error) {
    if (error instanceof ValidationError) return error;
    throw error;
  }
  throw new Error(`The checks of ${metatype.name} accept ${JSON.stringify(value)}`);
}

/** The 422 of every list that takes nothing but a page. */
export const INVALID_PAGE = invalid('InvalidPage', 'query', PageQuery, { not_an_integer: { page: 'first' } });

const MALFORMED_REQUEST = document({
  name: 'MalformedRequest',
  status: 400,
  description: "The request isn't valid HTTP, for instance without `Host`",
  examples: () => ({ bad_request: errorOfStatus(400) }),
});

const MALFORMED_BODY = document({
  name: 'MalformedBody',
  status: 400,
  description: "The body isn't JSON in UTF-8, or is nested more than 20 deep, or the `Idempotency-Key` isn't one",
  examples: () => ({
    invalid_json: new InvalidJsonError(),
    nested_too_deeply: new InvalidJsonError('The body is nested too deeply'),
    invalid_idempotency_key: new InvalidIdempotencyKeyError(),
    bad_request: errorOfStatus(400),
  }),
});

const UNAUTHENTICATED = document({
  name: 'Unauthenticated',
  status: 401,
  description:
    'Every bad token gets the same 401, whether missing, mistyped, expired or revoked. `WWW-Authenticate` has the challenge',
  headers: challenge({ missing: 'Bearer', invalid: 'Bearer error="invalid_token"' }),
  examples: () => ({ unauthenticated: new AuthenticationError(true) }),
});

export const PLAN_LIMIT_REACHED = document({
  name: 'PlanLimitReached',
  status: 402,
  description: 'The plan allows no more spaces',
  schema: PlanLimitErrorSchema,
  examples: () => ({ plan_limit_reached: new PlanLimitError(3) }),
});

const INSUFFICIENT_SCOPE = document({
  name: 'InsufficientScope',
  status: 403,
  description: 'The token has the scope `read`',
  headers: challenge({ read: 'Bearer error="insufficient_scope", scope="write"' }),
  examples: () => ({ insufficient_scope: new InsufficientScopeError() }),
});

const IN_PROGRESS = document({
  name: 'RequestInProgress',
  status: 409,
  description: 'A request with the same `Idempotency-Key` is under way. Repeat it after `Retry-After`',
  headers: headers('Retry-After'),
  examples: () => ({ request_in_progress: new RequestInProgressError() }),
});

export const ALREADY_CREATED = document({
  name: 'AlreadyCreated',
  status: 409,
  description:
    'A request with the same `Idempotency-Key` created the token; `Location` is where it is. Its secret is not kept: ' +
    'delete it and create another. Or the request is still under way',
  examples: () => ({
    already_created: new AlreadyCreatedError('/api/v1/tokens/12'),
    request_in_progress: new RequestInProgressError(),
  }),
});

export const CURSOR_EXPIRED = document({
  name: 'CursorExpired',
  status: 410,
  description: 'What happened since then is no longer known. Begin anew without `since`, and replace the copy',
  examples: () => ({ cursor_expired: new CursorExpiredError() }),
});

export const PRECONDITION_FAILED = document({
  name: 'PreconditionFailed',
  status: 412,
  description: 'The resource has changed since you read it: its `ETag` is not in `If-Match`. Nothing was changed',
  examples: () => ({ precondition_failed: new PreconditionFailedError() }),
});

const BODY_TOO_LARGE = document({
  name: 'BodyTooLarge',
  status: 413,
  description: 'The body is larger than 1 MiB, or has more than 10,000 values',
  examples: () => ({ body_too_large: errorOfStatus(413), too_many_values: new TooManyValuesError() }),
});

const UNSUPPORTED_MEDIA_TYPE = document({
  name: 'UnsupportedMediaType',
  status: 415,
  description: "The body isn't `application/json`, or not in UTF-8",
  examples: () => ({
    not_json: errorOfStatus(415),
    not_utf8: new HttpError('unsupported_media_type', 'The body must be in UTF-8'),
  }),
});

const RATE_LIMITED = document({
  name: 'RateLimited',
  status: 429,
  description:
    'The user, or for failed sign-ins the address, sent too many requests within a minute. ' +
    '`Retry-After` says how many seconds to wait',
  headers: headers('Retry-After'),
  examples: () => ({ rate_limited: new RateLimitError(1) }),
});

const INTERNAL_ERROR = document({
  name: 'InternalError',
  status: 500,
  description: 'An error of the service',
  examples: () => ({ internal: errorOfStatus(500) }),
});

const UNAVAILABLE = document({
  name: 'Unavailable',
  status: 503,
  description:
    'The database is down or too busy. The text says that nothing was changed, and you can retry after `Retry-After`, ' +
    'or that a write may have been done: check first',
  headers: headers('Retry-After'),
  examples: () => ({ nothing_changed: new UnavailableError(), may_be_done: new UnavailableError(true) }),
});

export const NOT_READY = document({
  name: 'NotReady',
  status: 503,
  description: 'The database is down, or the instance is about to stop',
  headers: headers('Retry-After'),
  examples: () => ({ unavailable: new UnavailableError(), draining: new DrainingError() }),
});

/** The errors that every operation of a kind has. */
export function commonErrors(method: RequestMethod, isPublic: boolean): DocumentedError[] {
  if (isPublic) return [MALFORMED_REQUEST];
  const ofKind =
    method === RequestMethod.GET
      ? [MALFORMED_REQUEST]
      : [MALFORMED_BODY, INSUFFICIENT_SCOPE, BODY_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE];
  if (method === RequestMethod.POST) ofKind.push(IN_PROGRESS);
  return [...ofKind, UNAUTHENTICATED, RATE_LIMITED, INTERNAL_ERROR, UNAVAILABLE];
}

/** An error as a response of an operation. */
export const errorResponse = ({ status, name }: DocumentedError): { status: number; $ref: string } => ({
  status,
  $ref: `#/components/responses/${name}`,
});

/** Every error as a component. The same code writes the bodies of the examples and of real responses. */
export function errorComponents(): NonNullable<OpenAPIObject['components']>['responses'] {
  return Object.fromEntries(
    Array.from(DOCUMENTED.values(), ({ name, description, schema = ErrorSchema, examples, ...error }) => [
      name,
      {
        description,
        headers: { ...headers('X-Request-Id'), ...RATE_LIMIT, ...error.headers },
        content: {
          'application/json': { schema: { $ref: getSchemaPath(schema) }, ...documentedExamples(examples()) },
        },
      },
    ]),
  );
}

interface Example {
  summary: string;
  value: object;
}

/** One example, or several to choose from, which explorers show as a list. */
function documentedExamples(causes: Record<string, ServiceError>): {
  example?: object;
  examples?: Record<string, Example>;
} {
  const examples = Object.entries(causes).map(([name, cause]): [string, Example] => {
    const summary = cause.details?.map(({ field, message }) => `${field}: ${message}`).join('; ') ?? cause.message;
    const extra = cause instanceof PlanLimitError ? { upgrade_url: UPGRADE_URL } : {};
    return [name, { summary, value: JSON.parse(errorBody(cause, REQUEST_ID_EXAMPLE, extra)) }];
  });
  return examples.length === 1 ? { example: examples[0]![1].value } : { examples: Object.fromEntries(examples) };
}

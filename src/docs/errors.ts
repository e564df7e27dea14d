import { ApiProperty, ApiSchema, getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { RATE_LIMIT, REQUEST_ID, REQUEST_ID_EXAMPLE, type DocumentedHeaders } from './headers.js';

/** The one shape of every error. */
@ApiSchema({ name: 'Error' })
export class ErrorSchema {
  @ApiProperty({ type: 'string', example: 'Tag not found', description: 'One plain sentence' })
  error: string;

  @ApiProperty({
    type: 'string',
    pattern: '^[a-z0-9_]+$',
    example: 'not_found',
    description: 'For programs; it never changes',
  })
  code: string;

  @ApiProperty({ type: 'string', example: REQUEST_ID_EXAMPLE, description: 'Name it when you ask for help' })
  request_id: string;
}

@ApiSchema({ name: 'PlanLimitError' })
export class PlanLimitErrorSchema extends ErrorSchema {
  @ApiProperty({
    type: 'string',
    format: 'uri',
    example: 'https://example.com/upgrade',
    description: 'Where to get a larger plan',
  })
  upgrade_url: string;
}

@ApiSchema({ name: 'Fault' })
export class FaultSchema {
  @ApiProperty({ type: 'string', example: 'tag.name', description: 'The field, as you spell it' })
  field: string;

  @ApiProperty({
    type: 'string',
    pattern: '^[a-z0-9_]+$',
    example: 'blank',
    description: 'For programs; it never changes',
  })
  code: string;

  @ApiProperty({ type: 'string', example: 'tag.name must not be blank', description: 'One plain sentence' })
  message: string;
}

@ApiSchema({ name: 'ValidationError' })
export class ValidationErrorSchema extends ErrorSchema {
  @ApiProperty({ type: () => [FaultSchema], description: 'One entry per fault, all faults at once' })
  details: FaultSchema[];
}

/** What an error means and looks like. */
interface DocumentedError {
  /** Its name among the document's components. */
  name: string;
  description: string;
  example: { error: string; code: string; upgrade_url?: string; details?: FaultSchema[] };
  schema?: typeof ErrorSchema;
  headers?: DocumentedHeaders;
}

const challenge = (example: string): DocumentedHeaders => ({
  'WWW-Authenticate': { description: 'The challenge of RFC 6750', required: true, schema: { type: 'string', example } },
});

const RETRY_AFTER: DocumentedHeaders = {
  'Retry-After': { description: 'Seconds to wait', required: true, schema: { type: 'integer', example: 1 } },
};

/** Every error an operation can answer with, by status. */
export const ERRORS = {
  400: {
    name: 'BadRequest',
    description: 'The body is not JSON',
    example: { error: 'The body is not valid JSON', code: 'invalid_json' },
  },
  401: {
    name: 'Unauthenticated',
    description: 'The token is missing or not valid',
    headers: challenge('Bearer error="invalid_token"'),
    example: { error: 'Authentication required', code: 'unauthenticated' },
  },
  402: {
    name: 'PlanLimitReached',
    description: "The plan's limit is reached",
    schema: PlanLimitErrorSchema,
    example: {
      error: 'Your plan is limited to 3 spaces',
      code: 'plan_limit_reached',
      upgrade_url: 'https://example.com/upgrade',
    },
  },
  403: {
    name: 'InsufficientScope',
    description: "The token's scope is `read`",
    headers: challenge('Bearer error="insufficient_scope", scope="write"'),
    example: { error: 'This token may only read', code: 'insufficient_scope' },
  },
  404: {
    name: 'NotFound',
    description: 'You have nothing with this id',
    example: { error: 'Tag not found', code: 'not_found' },
  },
  413: {
    name: 'BodyTooLarge',
    description: 'The body is larger than 1 MiB',
    example: { error: 'The body is too large', code: 'body_too_large' },
  },
  415: {
    name: 'UnsupportedMediaType',
    description: 'The body has another type than `application/json`',
    example: { error: 'The body must be application/json', code: 'unsupported_media_type' },
  },
  422: {
    name: 'ValidationFailed',
    description: 'Fields are not valid; all faults are told at once',
    schema: ValidationErrorSchema,
    example: {
      error: 'The request has invalid fields',
      code: 'validation_failed',
      details: [{ field: 'tag.name', code: 'blank', message: 'tag.name must not be blank' }],
    },
  },
  429: {
    name: 'RateLimited',
    description: 'Too many requests within a minute',
    headers: RETRY_AFTER,
    example: { error: 'Too many requests', code: 'rate_limited' },
  },
  500: {
    name: 'InternalError',
    description: 'A fault of the service',
    example: { error: 'Something went wrong on our side', code: 'internal' },
  },
  503: {
    name: 'Unavailable',
    description: "The database can't be reached; try again",
    headers: RETRY_AFTER,
    example: { error: 'The service is temporarily unavailable', code: 'unavailable' },
  },
} satisfies Record<number, DocumentedError>;

export type ErrorStatus = keyof typeof ERRORS;

const errors: [string, DocumentedError][] = Object.entries(ERRORS);

/** The errors as components of the document. */
export const ERROR_RESPONSES: NonNullable<OpenAPIObject['components']>['responses'] = Object.fromEntries(
  errors.map(([, { name, description, example, schema = ErrorSchema, headers }]) => [
    name,
    {
      description,
      headers: { ...REQUEST_ID, ...RATE_LIMIT, ...headers },
      content: {
        'application/json': {
          schema: { $ref: getSchemaPath(schema) },
          example: { ...example, request_id: REQUEST_ID_EXAMPLE },
        },
      },
    },
  ]),
);

/** The component that describes an error. */
export const errorReference = (status: string): { $ref: string } | undefined => {
  const error = errors.find(([documented]) => documented === status)?.[1];
  return error && { $ref: `#/components/responses/${error.name}` };
};

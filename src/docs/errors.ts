import { ApiProperty, ApiSchema } from '@nestjs/swagger';

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

  @ApiProperty({
    type: 'string',
    example: '0b9c1f0e-8d1c-4c65-a6a1-6d1f0f7f7e0c',
    description: 'Name it when you ask for help',
  })
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

const REQUEST_ID = '0b9c1f0e-8d1c-4c65-a6a1-6d1f0f7f7e0c';
const header = (description: string, example: string | number) => ({
  description,
  schema: { type: typeof example === 'number' ? ('integer' as const) : ('string' as const), example },
});

const challenge = (example: string) => ({ 'WWW-Authenticate': header('The challenge of RFC 6750', example) });

/** What each status means, with an example; the document shows it for every operation that can answer so. */
export const ERRORS = {
  400: {
    description: 'The body is not JSON',
    headers: {},
    example: { error: 'The body is not valid JSON', code: 'invalid_json', request_id: REQUEST_ID },
  },
  401: {
    description: 'The token is missing or not valid',
    headers: challenge('Bearer error="invalid_token"'),
    example: { error: 'Authentication required', code: 'unauthenticated', request_id: REQUEST_ID },
  },
  402: {
    description: "The plan's limit is reached",
    headers: {},
    example: {
      error: 'Your plan is limited to 3 spaces',
      code: 'plan_limit_reached',
      request_id: REQUEST_ID,
      upgrade_url: 'https://example.com/upgrade',
    },
  },
  403: {
    description: "The token's scope is `read`",
    headers: challenge('Bearer error="insufficient_scope", scope="write"'),
    example: { error: 'This token may only read', code: 'insufficient_scope', request_id: REQUEST_ID },
  },
  404: {
    description: 'You have nothing with this id',
    headers: {},
    example: { error: 'Tag not found', code: 'not_found', request_id: REQUEST_ID },
  },
  413: {
    description: 'The body is too large',
    headers: {},
    example: { error: 'The body is too large', code: 'body_too_large', request_id: REQUEST_ID },
  },
  415: {
    description: 'The body has another type than `application/json`',
    headers: {},
    example: { error: 'The body must be application/json', code: 'unsupported_media_type', request_id: REQUEST_ID },
  },
  422: {
    description: 'Fields are not valid; all faults are told at once',
    headers: {},
    example: {
      error: 'The request has invalid fields',
      code: 'validation_failed',
      request_id: REQUEST_ID,
      details: [{ field: 'tag.name', code: 'blank', message: 'tag.name must not be blank' }],
    },
  },
  500: {
    description: 'A fault of the service',
    headers: {},
    example: { error: 'Something went wrong on our side', code: 'internal', request_id: REQUEST_ID },
  },
  503: {
    description: "The database can't be reached; try again",
    headers: { 'Retry-After': header('Seconds to wait', 1) },
    example: { error: 'The service is temporarily unavailable', code: 'unavailable', request_id: REQUEST_ID },
  },
};

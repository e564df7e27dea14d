import { ApiProperty, ApiSchema, getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { errorBody, errorOfStatus } from '../http/error.filter.js';
import {
  AuthenticationError,
  DrainingError,
  HttpError,
  InsufficientScopeError,
  InvalidJsonError,
  LimitReachedError,
  NotFoundError,
  PlanLimitError,
  RateLimitError,
  SpaceOfWinError,
  TooManyValuesError,
  UnavailableError,
  ValidationError,
  type ServiceError,
} from '../common/errors.js';
import { LIMITS } from '../auth/limits.js';
import { challenge, headers, RATE_LIMIT, REQUEST_ID_EXAMPLE, type DocumentedHeaders } from './headers.js';

const UPGRADE_URL = 'https://example.com/upgrade';

/** A name for programs. */
const Code = (example: string) =>
  ApiProperty({ type: 'string', pattern: '^[a-z0-9_]+$', example, description: 'For programs; it never changes' });

const Sentence = (example: string) =>
  ApiProperty({ type: 'string', minLength: 1, example, description: 'One plain sentence' });

/** The one shape of every error. */
@ApiSchema({ name: 'Error', description: 'The one shape of every error' })
export class ErrorSchema {
  @Sentence('Tag not found')
  error: string;

  @Code('not_found')
  code: string;

  @ApiProperty({
    type: 'string',
    minLength: 1,
    maxLength: 128,
    example: REQUEST_ID_EXAMPLE,
    description: 'The same as in `X-Request-Id`; name it when you ask for help',
  })
  request_id: string;
}

@ApiSchema({ name: 'PlanLimitError', description: "The plan's limit is reached" })
export class PlanLimitErrorSchema extends ErrorSchema {
  @ApiProperty({ type: 'string', format: 'uri', example: UPGRADE_URL, description: 'Where to get a larger plan' })
  upgrade_url: string;
}

@ApiSchema({ name: 'Fault', description: 'One thing wrong with a request' })
export class FaultSchema {
  @ApiProperty({ type: 'string', minLength: 1, example: 'tag.name', description: 'The field, as you spell it' })
  field: string;

  @Code('blank')
  code: string;

  @Sentence('tag.name must not be blank')
  message: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    selfRequired: false,
    example: { max: LIMITS.tags },
    description: 'What a translation of the message needs, where it needs anything: `max` of `limit_reached`',
  })
  params?: Record<string, unknown>;
}

@ApiSchema({ name: 'ValidationError', description: 'Fields are not valid' })
export class ValidationErrorSchema extends ErrorSchema {
  @ApiProperty({ type: () => [FaultSchema], minItems: 1, description: 'One entry per fault, all faults at once' })
  details: FaultSchema[];
}

/** What an operation may answer when it does not do what was asked. */
interface DocumentedError {
  status: number;
  description: string;
  /** The cases, by a name. */
  examples: () => Record<string, ServiceError>;
  schema?: typeof ErrorSchema;
  headers?: DocumentedHeaders;
}

/** @param faults each as the field, the code and what the message says after the field */
const invalid = (...faults: [field: string, code: string, text: string][]) =>
  new ValidationError(faults.map(([field, code, text]) => ({ field, code, message: `${field} ${text}` })));

const notAnInteger = () => invalid(['page', 'not_an_integer', 'must be an integer']);

const notFound = (what: string): DocumentedError => ({
  status: 404,
  description: `You have no such ${what.toLowerCase()}. That of another user is not found either`,
  examples: () => ({ not_found: new NotFoundError(what) }),
});

const invalidFields = (examples: DocumentedError['examples']): DocumentedError => ({
  status: 422,
  description: 'Fields are not valid; all faults are told at once',
  schema: ValidationErrorSchema,
  examples,
});

/** Every error of the document, by its name among the components. */
const ERRORS = {
  MalformedRequest: {
    status: 400,
    description: 'The request is not proper HTTP, for instance without `Host`',
    examples: () => ({ bad_request: errorOfStatus(400) }),
  },
  MalformedBody: {
    status: 400,
    description: 'The body is not JSON in UTF-8, or nested more than 20 deep',
    examples: () => ({
      invalid_json: new InvalidJsonError(),
      nested_too_deeply: new InvalidJsonError('The body is nested too deeply'),
      bad_request: errorOfStatus(400),
    }),
  },
  Unauthenticated: {
    status: 401,
    description:
      'The token is missing, malformed, unknown, expired or revoked; the answer does not tell which. ' +
      '`WWW-Authenticate` has the challenge',
    headers: challenge({ missing: 'Bearer', invalid: 'Bearer error="invalid_token"' }),
    examples: () => ({ unauthenticated: new AuthenticationError(true) }),
  },
  PlanLimitReached: {
    status: 402,
    description: 'The plan allows no more spaces',
    schema: PlanLimitErrorSchema,
    examples: () => ({ plan_limit_reached: new PlanLimitError(3) }),
  },
  InsufficientScope: {
    status: 403,
    description: 'The token has the scope `read`',
    headers: challenge({ read: 'Bearer error="insufficient_scope", scope="write"' }),
    examples: () => ({ insufficient_scope: new InsufficientScopeError() }),
  },
  WinNotFound: notFound('Win'),
  TagNotFound: notFound('Tag'),
  SpaceNotFound: notFound('Space'),
  TokenNotFound: notFound('Token'),
  BodyTooLarge: {
    status: 413,
    description: 'The body is larger than 1 MiB, or has more than 10,000 values',
    examples: () => ({ body_too_large: errorOfStatus(413), too_many_values: new TooManyValuesError() }),
  },
  UnsupportedMediaType: {
    status: 415,
    description: 'The body has another type than `application/json`, or another charset than UTF-8',
    examples: () => ({
      not_json: errorOfStatus(415),
      not_utf8: new HttpError(415, 'unsupported_media_type', 'The body must be in UTF-8'),
    }),
  },
  InvalidPage: invalidFields(() => ({ not_an_integer: notAnInteger() })),
  InvalidFilter: invalidFields(() => ({
    not_an_integer: notAnInteger(),
    not_a_date: invalid(['since', 'not_a_date', 'must be a date such as 2026-01-31']),
    too_many: invalid(['q', 'too_many', 'must have at most 10 words']),
    too_long: invalid(['q', 'too_long', 'must have at most 200 characters']),
    invalid_characters: invalid(['tag', 'invalid_characters', 'must not have control characters']),
  })),
  InvalidTag: invalidFields(() => ({
    blank: invalid(['tag.name', 'blank', 'must not be blank']),
    too_long: invalid(['tag.name', 'too_long', 'must have at most 30 characters']),
    taken: invalid(['tag.name', 'taken', 'is already taken']),
    limit_reached: new LimitReachedError('tag', LIMITS.tags),
    required: invalid(['tag.name', 'required', 'is required']),
    wrapper_required: invalid(['tag', 'required', 'must be an object']),
    invalid_type: invalid(['tag.name', 'invalid_type', 'must be a string']),
    invalid_characters: invalid(['tag.name', 'invalid_characters', 'must not have control characters']),
  })),
  InvalidSpace: invalidFields(() => ({
    blank: invalid(['space.name', 'blank', 'must not be blank']),
    too_long: invalid(['space.name', 'too_long', 'must have at most 100 characters']),
    not_an_emoji: invalid(['space.emoji', 'not_an_emoji', 'must be exactly one emoji']),
    limit_reached: new LimitReachedError('space', LIMITS.spaces),
    out_of_range: invalid(['space.position', 'out_of_range', 'must be from -2147483648 to 2147483647']),
    wrapper_required: invalid(['space', 'required', 'must be an object']),
    several: invalid(
      ['space.name', 'invalid_characters', 'must not have control characters'],
      ['space.position', 'invalid_type', 'must be an integer'],
    ),
  })),
  InvalidWin: invalidFields(() => ({
    blank: invalid(['win.body', 'blank', 'must not be blank']),
    space_not_found: new SpaceOfWinError(),
    not_a_date: invalid(['win.occurred_on', 'not_a_date', 'must be a date such as 2026-01-31']),
    too_many: invalid(['win.tag_names', 'too_many', 'must have at most 50 names']),
    limit_reached: new LimitReachedError('tag', LIMITS.tags, 'win.tag_names'),
    too_long: invalid(['win.tag_names', 'too_long', 'must not have a name of more than 30 characters']),
    wrapper_required: invalid(['win', 'required', 'must be an object']),
    several: invalid(
      ['win.body', 'invalid_type', 'must be a string'],
      ['win.space_id', 'invalid_type', 'must be an integer'],
    ),
  })),
  InvalidToken: invalidFields(() => ({
    blank: invalid(['token.name', 'blank', 'must not be blank']),
    not_a_choice: invalid(['token.scope', 'not_a_choice', 'must be one of read, write']),
    not_a_time: invalid(['token.expires_at', 'not_a_time', 'must be a time such as 2030-01-31T12:00:00Z']),
    limit_reached: new LimitReachedError('token', LIMITS.tokens),
    in_the_past: invalid(['token.expires_at', 'in_the_past', 'must be in the future']),
    outlives_its_maker: invalid([
      'token.expires_at',
      'outlives_its_maker',
      'must not be later than 2030-01-31T12:00:00.000Z, when your own token ends',
    ]),
    wrapper_required: invalid(['token', 'required', 'must be an object']),
  })),
  RateLimited: {
    status: 429,
    description:
      'The token, or for failed sign-ins the address, sent too many requests within a minute. ' +
      '`Retry-After` says how many seconds to wait',
    headers: headers('Retry-After'),
    examples: () => ({ rate_limited: new RateLimitError(1) }),
  },
  InternalError: {
    status: 500,
    description: 'A fault of the service',
    examples: () => ({ internal: errorOfStatus(500) }),
  },
  Unavailable: {
    status: 503,
    description:
      "The database can't be reached or is too busy. The text says that nothing was changed, and you can send the request again " +
      'after `Retry-After`, or that a write may have been done: check first',
    headers: headers('Retry-After'),
    examples: () => ({ nothing_changed: new UnavailableError(), may_be_done: new UnavailableError(true) }),
  },
  NotReady: {
    status: 503,
    description: "The database can't be reached, or the instance is about to stop",
    headers: headers('Retry-After'),
    examples: () => ({ unavailable: new UnavailableError(), draining: new DrainingError() }),
  },
} satisfies Record<string, DocumentedError>;

export type ErrorName = keyof typeof ERRORS;

/** An error as a response of an operation. */
export const errorResponse = (name: ErrorName): { status: number; $ref: string } => ({
  status: ERRORS[name].status,
  $ref: `#/components/responses/${name}`,
});

/** Every error as a component. The bodies of the examples are written by what writes those of answers. */
export function errorComponents(): NonNullable<OpenAPIObject['components']>['responses'] {
  const errors: [string, DocumentedError][] = Object.entries(ERRORS);
  return Object.fromEntries(
    errors.map(([name, { description, schema = ErrorSchema, examples, ...error }]) => [
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
    const summary = cause.details?.map(({ message }) => message).join('; ') ?? cause.message;
    const extra = cause instanceof PlanLimitError ? { upgrade_url: UPGRADE_URL } : {};
    return [name, { summary, value: JSON.parse(errorBody(cause, REQUEST_ID_EXAMPLE, extra)) }];
  });
  return examples.length === 1 ? { example: examples[0]![1].value } : { examples: Object.fromEntries(examples) };
}

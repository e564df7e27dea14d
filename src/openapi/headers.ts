import type { OpenAPIObject } from '@nestjs/swagger';
import { MAX_PER_PAGE } from '../http/pagination.js';
import { MAX_INT32 } from './schemas.js';

/** Response headers, as the document describes them. */
export type DocumentedHeaders = NonNullable<NonNullable<OpenAPIObject['components']>['headers']>;

export const REQUEST_ID_EXAMPLE = '0b9c1f0e-8d1c-4c65-a6a1-6d1f0f7f7e0c';

const ETAG_EXAMPLE = '"0NbQxJ5nS2vWmYyXoT1zfA"';

/** The headers that responses have in common, as components of the document. */
export const HEADERS = {
  'X-Request-Id': {
    description: 'The id of the request, yours if you sent one',
    required: true,
    schema: { type: 'string', minLength: 1, maxLength: 128, example: REQUEST_ID_EXAMPLE },
  },
  'X-RateLimit-Limit': {
    description: 'How many requests a user has in a minute. Absent without a limit',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 1_000_000, example: 300 },
  },
  'X-RateLimit-Remaining': {
    description: 'How many of them are left. Absent without a limit',
    schema: { type: 'integer', format: 'int32', minimum: 0, maximum: 1_000_000, example: 299 },
  },
  'X-RateLimit-Reset': {
    description: 'When the count starts anew, in Unix seconds. Absent without a limit',
    schema: { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, example: 1_773_480_420 },
  },
  'X-Total-Count': {
    description: 'How many items all pages have. Absent with `after`',
    schema: { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, example: 3 },
  },
  'X-Page': {
    description: 'The page that is shown. Absent with `after`',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: MAX_INT32, example: 1 },
  },
  'X-Per-Page': {
    description: 'How many items a page has at most',
    required: true,
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: MAX_PER_PAGE, example: 2 },
  },
  ETag: {
    description: 'Changes whenever the response would. For `If-None-Match` and `If-Match`',
    required: true,
    schema: { type: 'string', minLength: 1, example: ETAG_EXAMPLE },
  },
  'X-Next-Cursor': {
    description: 'The value of `after` for the next page. Only with `after`, and not on the last page',
    schema: { type: 'string', minLength: 1, maxLength: 1_000, example: 'WyJ3M0hfYTlRMiIsIkxhdW5jaCIsIjciXQ' },
  },
  'Content-Disposition': {
    description: 'Under which name to save it',
    required: true,
    schema: { type: 'string', minLength: 1, example: 'attachment; filename="wins.md"' },
  },
  'Retry-After': {
    description: 'Seconds to wait before the next request',
    required: true,
    schema: { type: 'integer', format: 'int32', minimum: 0, maximum: MAX_INT32, example: 1 },
  },
} satisfies DocumentedHeaders;

/** Response headers that are among the components. */
export const headers = (...names: (keyof typeof HEADERS)[]): DocumentedHeaders =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

export const RATE_LIMIT = headers('X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset');

/** @param example where the resource of the example is */
export const location = (example: string): DocumentedHeaders => ({
  Location: {
    description: 'Where the new resource is',
    required: true,
    schema: { type: 'string', format: 'uri-reference', example },
  },
});

/** @param path of the list of the example */
export const link = (path: string): DocumentedHeaders => ({
  Link: {
    description:
      'The neighbours of the page (RFC 8288): `first`, `prev`, `next` and `last`, where there are any. Long filters make ' +
      'it shorter: at most 2,000 bytes, and `next` is the last to be omitted',
    schema: {
      type: 'string',
      example: [
        `<${path}?per_page=2&page=1>; rel="first"`,
        `<${path}?per_page=2&page=2>; rel="next"`,
        `<${path}?per_page=2&page=2>; rel="last"`,
      ].join(', '),
    },
  },
});

/** @param example what is sent, by what is wrong with the token */
export const challenge = (examples: Record<string, string>): DocumentedHeaders => ({
  'WWW-Authenticate': {
    description: 'The challenge (RFC 6750)',
    required: true,
    schema: { type: 'string', pattern: '^Bearer' },
    examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])),
  },
});

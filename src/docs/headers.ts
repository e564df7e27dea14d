import type { OpenAPIObject } from '@nestjs/swagger';
import { MAX_PER_PAGE } from '../common/pagination.js';

/** The headers of answers, as the document describes them. */
export type DocumentedHeaders = NonNullable<NonNullable<OpenAPIObject['components']>['headers']>;

export const REQUEST_ID_EXAMPLE = '0b9c1f0e-8d1c-4c65-a6a1-6d1f0f7f7e0c';

export const REQUEST_ID: DocumentedHeaders = {
  'X-Request-Id': {
    description: 'The id of the request, yours if you sent one',
    required: true,
    schema: { type: 'string', example: REQUEST_ID_EXAMPLE },
  },
};

export const LOCATION: DocumentedHeaders = {
  Location: {
    description: 'Where the new resource is',
    required: true,
    schema: { type: 'string', example: '/api/v1/tags/7' },
  },
};

export const PAGING: DocumentedHeaders = {
  'X-Total-Count': {
    description: 'How many items all pages have',
    required: true,
    schema: { type: 'integer', minimum: 0, example: 60 },
  },
  'X-Page': {
    description: 'The page that is shown',
    required: true,
    schema: { type: 'integer', minimum: 1, example: 1 },
  },
  'X-Per-Page': {
    description: 'How many items a page has',
    required: true,
    schema: { type: 'integer', minimum: 1, maximum: MAX_PER_PAGE, example: 25 },
  },
  Link: {
    description: 'RFC 8288 links: first, prev, next, last',
    required: true,
    schema: { type: 'string', example: '</api/v1/tags?page=2&per_page=25>; rel="next"' },
  },
};

/** Absent where the limit is switched off. */
export const RATE_LIMIT: DocumentedHeaders = {
  'X-RateLimit-Limit': {
    description: 'How many requests a token has in a minute',
    schema: { type: 'integer', minimum: 1, example: 300 },
  },
  'X-RateLimit-Remaining': {
    description: 'How many of them are left',
    schema: { type: 'integer', minimum: 0, example: 299 },
  },
  'X-RateLimit-Reset': {
    description: 'When all are there again, in Unix seconds',
    schema: { type: 'integer', minimum: 0, example: 1_773_480_420 },
  },
};

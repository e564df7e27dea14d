// Generated from openapi.json by `npm run client:types`; changes here are lost.

import type { components } from './document.js';

/** What comes with every code of an error. */
export interface ErrorCases {
  bad_request: { status: 400; body: components['schemas']['ApiError']; retryAfter: undefined };
  unavailable: { status: 503; body: components['schemas']['ApiError']; retryAfter: number };
  draining: { status: 503; body: components['schemas']['ApiError']; retryAfter: number };
  unauthenticated: { status: 401; body: components['schemas']['ApiError']; retryAfter: undefined };
  rate_limited: { status: 429; body: components['schemas']['ApiError']; retryAfter: number };
  internal: { status: 500; body: components['schemas']['ApiError']; retryAfter: undefined };
  validation_failed: { status: 422; body: components['schemas']['ValidationError']; retryAfter: undefined };
  invalid_json: { status: 400; body: components['schemas']['ApiError']; retryAfter: undefined };
  invalid_idempotency_key: { status: 400; body: components['schemas']['ApiError']; retryAfter: undefined };
  insufficient_scope: { status: 403; body: components['schemas']['ApiError']; retryAfter: undefined };
  already_created: { status: 409; body: components['schemas']['ApiError']; retryAfter: undefined };
  request_in_progress: { status: 409; body: components['schemas']['ApiError']; retryAfter: number };
  body_too_large: { status: 413; body: components['schemas']['ApiError']; retryAfter: undefined };
  unsupported_media_type: { status: 415; body: components['schemas']['ApiError']; retryAfter: undefined };
  not_found: { status: 404; body: components['schemas']['ApiError']; retryAfter: undefined };
  plan_limit_reached: { status: 402; body: components['schemas']['PlanLimitError']; retryAfter: undefined };
  precondition_failed: { status: 412; body: components['schemas']['ApiError']; retryAfter: undefined };
  cursor_expired: { status: 410; body: components['schemas']['ApiError']; retryAfter: undefined };
  request_timeout: { status: number; body: components['schemas']['ApiError']; retryAfter: number | undefined };
  idempotency_key_reused: { status: number; body: components['schemas']['ApiError']; retryAfter: number | undefined };
  headers_too_large: { status: number; body: components['schemas']['ApiError']; retryAfter: number | undefined };
  not_implemented: { status: number; body: components['schemas']['ApiError']; retryAfter: number | undefined };
}

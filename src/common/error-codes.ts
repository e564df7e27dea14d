/**
 * Every code of an error and of a fault: what the API promises to programs. The types, the enums of the document and
 * docs/errors.md (`npm run errors`) come from here.
 */

/** The codes of errors, each with its HTTP status and what it means. */
export const ERRORS = {
  bad_request: { status: 400, meaning: "The request isn't valid HTTP." },
  invalid_json: { status: 400, meaning: "The body isn't JSON in UTF-8, or is nested more than 20 deep." },
  invalid_idempotency_key: { status: 400, meaning: 'The `Idempotency-Key` must be 1 to 255 visible ASCII characters.' },
  unauthenticated: { status: 401, meaning: 'The token is missing, malformed, unknown, expired or revoked.' },
  plan_limit_reached: { status: 402, meaning: 'The plan allows no more spaces; `upgrade_url` leads to a larger one.' },
  insufficient_scope: { status: 403, meaning: 'The token has the scope `read`, which only allows GET and HEAD.' },
  not_found: { status: 404, meaning: "No such path, or you don't have anything with this id." },
  request_timeout: { status: 408, meaning: 'The request took too long to arrive.' },
  request_in_progress: {
    status: 409,
    meaning: 'A request with the same `Idempotency-Key` is still being handled; retry after `Retry-After`.',
  },
  already_created: {
    status: 409,
    meaning: 'A request with the same `Idempotency-Key` created the token, whose secret is not shown again.',
  },
  cursor_expired: {
    status: 410,
    meaning: 'The cursor is older than what the service remembers; start over without it.',
  },
  precondition_failed: {
    status: 412,
    meaning: 'The resource has changed since its `ETag` was sent; nothing was changed.',
  },
  body_too_large: { status: 413, meaning: 'The body is larger than 1 MiB, or has more than 10,000 values.' },
  unsupported_media_type: { status: 415, meaning: "The body isn't `application/json` in UTF-8." },
  validation_failed: {
    status: 422,
    meaning: 'The request has invalid fields; `details` has one fault for each error.',
  },
  idempotency_key_reused: { status: 422, meaning: 'The `Idempotency-Key` was already used for another request.' },
  rate_limited: { status: 429, meaning: 'There were too many requests within a minute; retry after `Retry-After`.' },
  headers_too_large: { status: 431, meaning: 'The headers are larger than 16 KiB, or there are more than 500.' },
  internal: { status: 500, meaning: 'An error of the service.' },
  not_implemented: { status: 501, meaning: 'The transfer coding is not `chunked`.' },
  unavailable: {
    status: 503,
    meaning: 'The database is down or too busy; the `error` text says whether a change may have been made.',
  },
  draining: { status: 503, meaning: 'This instance is about to stop (only from `/readyz`).' },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** The codes of faults, each with what it means and which `params` come with it. */
export const FAULTS = {
  blank: 'The text has no visible character.',
  conflict: 'The field must not be sent together with the field `other`.',
  duplicate: 'Some values are repeated; `ids` lists them.',
  in_the_past: 'The time is not in the future.',
  invalid: 'The value is not allowed.',
  invalid_characters: 'The text has characters that are not allowed, such as control characters.',
  invalid_cursor: 'The cursor is not one of this list with these filters.',
  invalid_type: 'The value has another JSON type than `expected`: `string`, `integer` or `array`.',
  limit_reached: 'A user can have at most `max` of these.',
  missing: 'Some values are missing; `ids` lists them.',
  not_a_choice: 'The value is not one of `choices`.',
  not_a_date: 'The value is not a day such as 2026-01-31.',
  not_a_time: 'The value is not a time such as 2030-01-31T12:00:00Z.',
  not_an_emoji: 'The value is not exactly one emoji.',
  not_an_integer: 'The value is not an integer.',
  not_found: "You don't have anything with this id; of a list of ids, `ids` lists those.",
  out_of_range: 'The number is less than `min` or more than `max`.',
  outlives_parent: 'The token would expire later than the token that creates it, at `latest`.',
  read_only: 'The field can only be read; `instead` is the field to send.',
  required: 'The field is missing.',
  taken: 'The name belongs to another of yours; `id` is its id.',
  too_long: 'The text has more than `max` characters.',
  too_many: 'There are more than `max` of them.',
  wrapper_missing: 'The fields are not wrapped in an object named as the field.',
} as const satisfies Record<string, string>;

export type FaultCode = keyof typeof FAULTS;

/** Rows of a Markdown table, as Prettier aligns them. */
function markdownTable([head, ...rows]: [string[], ...string[][]]): string {
  const widths = head.map((_, n) => Math.max(...[head, ...rows].map((row) => row[n]!.length)));
  const line = (cells: string[]) => `| ${cells.map((cell, n) => cell.padEnd(widths[n]!)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

/** The codes of errors as a Markdown table. */
export const errorTable = () =>
  markdownTable([
    ['Code', 'Status', 'Meaning'],
    ...Object.entries(ERRORS).map(([code, { status, meaning }]) => [`\`${code}\``, String(status), meaning]),
  ]);

/** The codes of faults as a Markdown table. */
export const faultTable = () =>
  markdownTable([['Code', 'Meaning'], ...Object.entries(FAULTS).map(([code, meaning]) => [`\`${code}\``, meaning])]);

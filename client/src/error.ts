import type { ErrorCases } from './generated/errors.js';

/** One thing wrong with a request: the field, the fault's code and a sentence. */
export type Fault = ErrorCases['validation_failed']['body']['details'][number];

/** What comes with each code of the service. */
type Documented = {
  [Code in keyof ErrorCases]: {
    readonly code: Code;
    readonly status: ErrorCases[Code]['status'];
    readonly requestId: string;
    readonly retryAfter: ErrorCases[Code]['retryAfter'];
    readonly upgradeUrl: ErrorCases[Code]['body'] extends { upgrade_url: infer Url } ? Url : undefined;
  };
}[keyof ErrorCases];

interface Unexpected {
  readonly code: 'unexpected_response';
}

/** The name of an error. A newer service may send others than these: where you switch, have a `default`. */
export type ErrorCode = (Documented | Unexpected)['code'];

/** The shape of all errors of the service. */
interface ErrorBody {
  error: string;
  code: ErrorCode;
  request_id?: string;
  upgrade_url?: string;
  details?: readonly Fault[];
}

const isErrorBody = (body: unknown): body is ErrorBody =>
  typeof body === 'object' &&
  body !== null &&
  'error' in body &&
  typeof body.error === 'string' &&
  'code' in body &&
  typeof body.code === 'string';

class ResponseError extends Error {
  override readonly name = 'WinsError';
  /** For programs; it never changes. `unexpected_response` is what the service did not send, such as a proxy's HTML. */
  readonly code: ErrorCode;
  /** The HTTP status. That of an unexpected response can be any, 200 too. */
  readonly status: number;
  /** All faults at once, with `validation_failed`; else empty. */
  readonly details: readonly Fault[];
  /** Name it when you ask for help. */
  readonly requestId: string | undefined;
  /** In how many seconds the same request is worth another try, if it is. */
  readonly retryAfter: number | undefined;
  /** Where to get a larger plan, with `plan_limit_reached`. */
  readonly upgradeUrl: string | undefined;

  /** @param body what came in the response, parsed if it is JSON */
  constructor({ status, headers, url }: Response, body: unknown) {
    const error = isErrorBody(body) ? body : undefined;
    const retryAfter = headers.get('Retry-After') ?? ''; // a proxy's may be a date
    super(error?.error ?? `Not an answer of the service: ${status} ${headers.get('Content-Type')} from ${url}`);
    this.code = error?.code ?? 'unexpected_response';
    this.status = status;
    this.details = error?.details ?? [];
    this.requestId = error?.request_id ?? headers.get('X-Request-Id') ?? undefined;
    this.retryAfter = /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined;
    this.upgradeUrl = error?.upgrade_url;
  }
}

/**
 * Whatever the service answers instead of what was asked for. To check `code` tells the type what else there is:
 * `plan_limit_reached` has an `upgradeUrl`, `rate_limited` a `retryAfter`.
 */
export type WinsError = ResponseError & (Documented | Unexpected);

/** The class of every {@link WinsError}, for `instanceof`. */
export const WinsError = ResponseError as new (response: Response, body: unknown) => WinsError;

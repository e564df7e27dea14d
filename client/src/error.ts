import type { ErrorCases } from './generated/errors.js';

/** One error of a request: the field, a code and a sentence. */
export type Fault = Omit<DocumentedFault, 'code'> & {
  /** A newer service may send further codes. */
  code: DocumentedFault['code'] | (string & {});
};

type DocumentedFault = ErrorCases['validation_failed']['body']['details'][number];

/** The fields that come with each error code of the service. */
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

/** A newer service may send further codes, so have a `default` where you switch over them. */
export type ErrorCode = (Documented | Unexpected)['code'];

/** The body of every error of the service. */
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
  /** Never changes, so programs can rely on it. `unexpected_response`: not from the service, such as a proxy's HTML. */
  readonly code: ErrorCode;
  /** The HTTP status. An unexpected response can have any, even 200. */
  readonly status: number;
  /** With `validation_failed` all errors at once, otherwise empty. */
  readonly details: readonly Fault[];
  /** Include it when you ask for help: it identifies the request in the logs. */
  readonly requestId: string | undefined;
  /** Seconds to wait before sending the same request again, if that can help. */
  readonly retryAfter: number | undefined;
  /** With `plan_limit_reached`: where to get a larger plan. */
  readonly upgradeUrl: string | undefined;

  /** @param body of the response, parsed if it is JSON */
  constructor({ status, headers, url }: Response, body: unknown) {
    const error = isErrorBody(body) ? body : undefined;
    const retryAfter = headers.get('Retry-After') ?? ''; // a proxy's may be a date
    super(error?.error ?? `Not a response of the service: ${status} ${headers.get('Content-Type')} from ${url}`);
    this.code = error?.code ?? 'unexpected_response';
    this.status = status;
    this.details = error?.details ?? [];
    this.requestId = error?.request_id ?? headers.get('X-Request-Id') ?? undefined;
    this.retryAfter = /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined;
    this.upgradeUrl = error?.upgrade_url;
  }

  /** For `JSON.stringify()`, which would leave out the message. */
  toJSON(): object {
    return { ...this, message: this.message };
  }
}

/**
 * Thrown for every response that isn't a success. Checking `code` narrows the type: `plan_limit_reached` has an
 * `upgradeUrl`, `rate_limited` a `retryAfter`.
 */
export type WinsError = ResponseError & (Documented | Unexpected);

/** The class of every {@link WinsError}, for `instanceof`. */
export const WinsError = ResponseError as new (response: Response, body: unknown) => WinsError;

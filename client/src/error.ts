import type { components } from './generated/document.js';

/** Any further text, which leaves the editor its list of those that are known. */
type Other = string & {};

/** What kind of error it is. A newer service may send further codes. */
export type ErrorCode = components['schemas']['ErrorCode'] | 'unexpected_response' | Other;

/** What is wrong with a field. A newer service may send further codes. */
export type FaultCode = components['schemas']['FaultCode'] | Other;

/** One error of a request: the field, a code, a sentence, and what a translation of the sentence needs. */
export type Fault = Omit<components['schemas']['Fault'], 'code'> & { code: FaultCode };

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

/** Thrown for every response that isn't a success. */
export class WinsError extends Error {
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

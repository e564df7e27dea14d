import { ERRORS, type ErrorCode, type FaultCode } from './error-codes.js';

/** The message of the fault `invalid_cursor`. */
export const NOT_A_CURSOR = 'Is not a cursor from an earlier response to the same request';

/** One thing wrong with a request: the field as the client spells it, a stable code and a sentence to show. */
export interface Fault {
  field: string;
  code: FaultCode;
  /** Without the field, since people know it by another name. */
  message: string;
  /** What a translation of the message needs, such as `{ max: 30 }`. */
  params?: Record<string, unknown>;
}

/**
 * An error that the service responds with on purpose. The filter gives it the one error shape; anything else that is
 * thrown is a 500.
 */
export abstract class ServiceError extends Error {
  /** A name for programs; it never changes. */
  abstract readonly code: ErrorCode;
  /** Response headers that belong to this error. */
  readonly headers: Record<string, string> = {};
  /** One entry per error of the request, if there are any. */
  readonly details?: Fault[];

  /** The HTTP status that stands for this error. */
  get status(): number {
    return ERRORS[this.code].status;
  }
}

export class InvalidJsonError extends ServiceError {
  readonly code = 'invalid_json';
  constructor(message = 'The body is not valid JSON') {
    super(message);
  }
}

/** The text is the same whatever is wrong with the token, so that nothing can be learned from it. */
export class AuthenticationError extends ServiceError {
  readonly code = 'unauthenticated';
  override readonly headers;
  constructor(tokenWasSent: boolean) {
    super('Authentication required');
    this.headers = { 'www-authenticate': tokenWasSent ? 'Bearer error="invalid_token"' : 'Bearer' };
  }
}

export class PlanLimitError extends ServiceError {
  readonly code = 'plan_limit_reached';
  /** @param allowed how many spaces the plan allows */
  constructor(allowed: string | number) {
    super(`Your plan is limited to ${allowed} spaces`);
  }
}

export class InsufficientScopeError extends ServiceError {
  readonly code = 'insufficient_scope';
  override readonly headers = { 'www-authenticate': 'Bearer error="insufficient_scope", scope="write"' };
  constructor() {
    super('This token may only read');
  }
}

export class NotFoundError extends ServiceError {
  readonly code = 'not_found';
  /** @param what what was looked for, as a word: `Tag`, `Space` */
  constructor(what: string) {
    super(`${what} not found`);
  }
}

/** The value, if there is one. @throws NotFoundError if not */
export function found<T>(what: string, value: T | undefined): T {
  if (value === undefined) throw new NotFoundError(what);
  return value;
}

export class InvalidIdempotencyKeyError extends ServiceError {
  readonly code = 'invalid_idempotency_key';
  constructor() {
    super('Idempotency-Key must be 1 to 255 visible ASCII characters');
  }
}

/** Another request has the same key, and its outcome is not known yet. */
export class RequestInProgressError extends ServiceError {
  readonly code = 'request_in_progress';
  override readonly headers = { 'retry-after': '1' };
  constructor() {
    super('A request with this Idempotency-Key is under way');
  }
}

/** The response had a secret, which is not kept. */
export class AlreadyCreatedError extends ServiceError {
  readonly code = 'already_created';
  override readonly headers;
  /** @param location of what was created */
  constructor(location: string) {
    super('A request with this Idempotency-Key has created this already; its secret is not shown again');
    this.headers = { location };
  }
}

/** The key belongs to another request. */
export class IdempotencyKeyReusedError extends ServiceError {
  readonly code = 'idempotency_key_reused';
  override readonly details: Fault[];
  constructor() {
    super('This Idempotency-Key was used for another request');
    const message = 'Belongs to another request: use a new key for each thing to do';
    this.details = [{ field: 'Idempotency-Key', code: 'duplicate', message }];
  }
}

/** The cursor tells of a time that the service does not remember, or not yet. */
export class CursorExpiredError extends ServiceError {
  readonly code = 'cursor_expired';
  constructor() {
    super('These changes are no longer known; start over, without since');
  }
}

/** The resource changed since the client saw it. Nothing was changed. */
export class PreconditionFailedError extends ServiceError {
  readonly code = 'precondition_failed';
  constructor() {
    super('This has changed since you read it; read it again before you change it');
  }
}

export class ValidationError extends ServiceError {
  readonly code = 'validation_failed';
  constructor(override readonly details: Fault[]) {
    super('The request has invalid fields');
  }
}

/**
 * A 422 for one field.
 *
 * @param message a sentence to show, without the field, such as `Is already taken`
 * @param params what a translation of it needs
 */
export const invalidField = (
  field: string,
  code: FaultCode,
  message: string,
  params?: Record<string, unknown>,
): ValidationError => new ValidationError([{ field, code, message, ...(params && { params }) }]);

/** What a user can have only so many of. */
const LIMITED = { tag: 'tags', space: 'spaces', token: 'tokens that have not expired' };

/** The user has as many as there may be, whatever the plan (`LIMITS` in auth/limits.ts). */
export class LimitReachedError extends ValidationError {
  /** @param what what is one too many @param max the limit @param field the field that asked for it */
  constructor(what: keyof typeof LIMITED, max: number, field: string = what) {
    const message = `A user can have at most ${max} ${LIMITED[what]}`;
    super([{ field, code: 'limit_reached', message, params: { max } }]);
  }
}

export class RateLimitError extends ServiceError {
  readonly code = 'rate_limited';
  override readonly headers;
  /** @param seconds until requests are admitted again */
  constructor(seconds: number) {
    super('Too many requests');
    this.headers = { 'retry-after': String(seconds) };
  }
}

/**
 * The database can't be reached or has no time. Nothing was written and the same request may be sent again, unless the
 * connection was lost while a write was under way.
 */
export class UnavailableError extends ServiceError {
  readonly code = 'unavailable';
  override readonly headers = { 'retry-after': '1' };
  /** @param mayBeWritten whether it is not known that nothing was written */
  constructor(readonly mayBeWritten = false) {
    super(
      mayBeWritten
        ? 'The database was lost during this request, and the change may have been made. ' +
            'A POST is safe to repeat with the same Idempotency-Key; otherwise check first'
        : 'The service is temporarily unavailable; nothing was changed',
    );
  }
}

/** The response of `/readyz` once the process is told to stop; other requests are still served. */
export class DrainingError extends ServiceError {
  readonly code = 'draining';
  override readonly headers = { 'retry-after': '1' };
  constructor() {
    super('This instance is about to stop; send requests to another');
  }
}

/** An error of the HTTP layer itself, such as a body that is too large. */
export class HttpError extends ServiceError {
  constructor(
    readonly code: ErrorCode,
    message: string,
  ) {
    super(message);
  }
}

/** A body whose bytes are few enough, but not what is in it. */
export class TooManyValuesError extends HttpError {
  constructor() {
    super('body_too_large', 'The body has too many values');
  }
}

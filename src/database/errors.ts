import { DatabaseError } from 'pg';
import { UnavailableError, type ServiceError } from '../common/errors.js';

/**
 * The client errors for violated constraints, by constraint name. A constraint that clients can't violate, such as that
 * counts aren't negative, is not listed and so a 500. A test compares the lists with the existing constraints.
 */
export type Refusals = Record<string, (violation: DatabaseError) => ServiceError>;

/** The injection token of all modules' refusals. */
export const REFUSALS = Symbol('Refusals');

/** SQLSTATEs (PostgreSQL's appendix A) or prefixes that mean "not now": neither the client nor the service is at fault. */
const NOT_NOW = [
  '08', // the connection failed, or a pooler has none
  '25006', // the server is read-only
  '25P03', // an idle transaction timed out
  '25P04', // a transaction timed out
  '26000', // a prepared statement is missing: one before it failed, or a pooler switched sessions
  '28', // the user may no longer connect
  '3D', // the database is gone
  '40', // deadlock or serialization failure
  '42501', // the user may no longer use a table
  '42P05', // a prepared statement exists already: a pooler switched sessions
  '53', // out of connections, memory or disk
  '55000', // the database accepts no connections, or an index is being built
  '55006', // an object is in use
  '55P03', // waiting for a lock timed out
  '57', // cancelled, shutting down, crashed, starting up
  '58', // I/O error on the server
  '72000', // the snapshot is too old
];

/** Those of them after which the statement may have been committed. */
const MAYBE_WRITTEN = ['08', '40003', '57P01', '57P02'];

/** SQLSTATEs or prefixes after which a session must not be used again. */
const UNFIT = ['08', '25006', '25P02', '25P03', '25P04', '26000', '42P05', '57P'];

/** What Citus says, without a code of its own, when a machine was lost during a commit there. */
const MAYBE_COMMITTED_TEXT = /^could not commit transaction for shard/;

/** The routine in which PostgreSQL rejects a prepared statement whose result type has changed, as after a migration. */
const STALE_PLAN = 'RevalidateCachedQuery';

/** A user's statement was not sent: waiting for other statements of the same user timed out. */
export class NoTurnError extends Error {
  override readonly name = 'NoTurnError';
  constructor() {
    super('timeout exceeded when waiting for a turn among the statements of the user');
  }
}

/** A new session doesn't meet the service's requirements, and was closed. */
export class UnfitSessionError extends Error {
  override readonly name = 'UnfitSessionError';
}

/** The server is a standby, or still recovering. */
export class ReadOnlyServerError extends UnfitSessionError {
  constructor() {
    super('the server is a read-only standby, or still recovering');
  }
}

/** The driver's error codes and messages for a connection that failed or was lost. */
const LOST = /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/;
const LOST_TEXT =
  /connection terminated|timeout exceeded when trying to connect|client has encountered a connection error|not queryable/i;

/** The driver's messages for a statement that was never sent. */
const NEVER_SENT_TEXT = /timeout exceeded when trying to connect|connection timeout|not queryable/i;

/** Errors that occurred before any statement was sent. */
const beforeSending = new WeakSet<Error>();

/** Marks an error as one that occurred before any statement was sent. */
export function neverSent(error: Error): Error {
  beforeSending.add(error);
  return error;
}

/** Whether the driver or the operating system says that the connection failed or was lost. */
function isLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return LOST.test(code) || LOST_TEXT.test(error.message);
}

/** Whether a session must not be used again after this error. */
export function isUnfit(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return isLost(error);
  return startsWith(UNFIT, error.code) || error.routine === STALE_PLAN;
}

const startsWith = (prefixes: string[], code = '') => prefixes.some((prefix) => code.startsWith(prefix));

/**
 * Translates an error of the driver.
 *
 * @returns the error for the client, or `undefined` if the service is at fault
 */
export function translateDatabaseError(error: unknown, refusals: Refusals = {}): ServiceError | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof NoTurnError || error instanceof UnfitSessionError) return new UnavailableError();
  if (error instanceof DatabaseError) return translateRefusal(error, refusals);
  if (!isLost(error)) return undefined;
  return new UnavailableError(!beforeSending.has(error) && !NEVER_SENT_TEXT.test(error.message));
}

/** SQLSTATEs of what a constraint refuses; the second one is what Citus says of some rows. */
const REFUSED = ['23', 'XX000'];

/** The name of a constraint in a message of any language, without the number of the shard that has it. */
const NAME = /\b(?:ck|fk|pk|uq)_[a-z_]+?(?=(?:_\d+)?\b)/;

/** What a machine of a cluster refuses has the name of the constraint in its message alone. */
const constraintOf = ({ constraint, code, message }: DatabaseError): string | undefined =>
  startsWith(REFUSED, code) ? NAME.exec(constraint ?? message)?.[0] : constraint;

/** Whether an error says that a row was refused by a constraint. */
export const isRefusedBy = (constraint: string, error: unknown): error is DatabaseError =>
  error instanceof DatabaseError && constraintOf(error) === constraint;

/** Translates an error sent by PostgreSQL, or by a pooler on its behalf. */
function translateRefusal(error: DatabaseError, refusals: Refusals): ServiceError | undefined {
  const { code, routine } = error;
  const constraint = constraintOf(error);
  if (constraint !== undefined) return refusals[constraint]?.(error);
  if (routine === STALE_PLAN) return new UnavailableError();
  if (MAYBE_COMMITTED_TEXT.test(error.message)) return new UnavailableError(true);
  if (!startsWith(NOT_NOW, code)) return undefined;
  return new UnavailableError(startsWith(MAYBE_WRITTEN, code) && !beforeSending.has(error));
}

/** A hint for the log, for errors that don't say what to do. */
export function adviceOn(error: unknown): string | undefined {
  const isOutOfStep = error instanceof DatabaseError && startsWith(['26000', '42P05'], error.code);
  return isOutOfStep ? 'Behind a pooler that does not keep sessions, set PREPARED_STATEMENTS=off.' : undefined;
}

import { DatabaseError } from 'pg';
import { UnavailableError, type ServiceError } from '../common/errors.js';

/**
 * What the violation of a constraint means to a client, by the constraint's name. What a client can't cause, such as a
 * negative count, is missing here and so a 500; a test holds the lists against the constraints that exist.
 */
export type Refusals = Record<string, (violation: DatabaseError) => ServiceError>;

/** The injection token of all modules' refusals. */
export const REFUSALS = Symbol('Refusals');

/** SQLSTATEs (PostgreSQL's appendix A), or how they begin, that mean "not now": neither the client's fault nor the service's. */
const NOT_NOW = [
  '08', // the connection failed, or a pooler has none
  '25006', // the server is read-only
  '25P03', // a time-out ended the idle transaction
  '25P04', // a time-out ended the transaction
  '26000', // the session lacks a prepared statement: another failed before it, or a pooler changed the session
  '28', // the user may not connect any more
  '3D', // the database is gone
  '40', // a deadlock, or could not be put in order with others
  '42501', // the user may not use a table any more
  '42P05', // the session has a prepared statement that it should not have
  '53', // no more connections, memory or disk
  '55000', // the database takes no connections, an index is being built
  '55006', // an object is in use
  '55P03', // a lock was not to be had in time
  '57', // cancelled, shutting down, crashed, starting up
  '58', // the server's machine failed to read or write
  '72000', // the snapshot is too old
];

/** Those of them that the server may send after it has committed, or that are not known to come before. */
const MAYBE_WRITTEN = ['08', '40003', '57P01', '57P02'];

/** SQLSTATEs after which a session is of no further use. */
const UNFIT = ['08', '25006', '25P02', '25P03', '25P04', '26000', '42P05', '57P'];

/** What PostgreSQL calls the place where it refuses a prepared statement whose result has changed (0A000), as by a migration. */
const STALE_PLAN = 'RevalidateCachedQuery';

/** A user's statement had no turn in time, because of others of the same user; it was not sent. */
export class NoTurnError extends Error {
  override readonly name = 'NoTurnError';
  constructor() {
    super('timeout exceeded when waiting for a turn among the statements of the user');
  }
}

/** A session that was opened has not what the service relies on, and was closed again. */
export class UnfitSessionError extends Error {
  override readonly name = 'UnfitSessionError';
}

/** The server is a standby, or still recovering. */
export class ReadOnlyServerError extends UnfitSessionError {
  constructor() {
    super('the server is a read-only standby, or still recovering');
  }
}

/** Error codes and texts of the driver for a connection that is not there or was lost. */
const LOST = /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/;
const LOST_TEXT =
  /connection terminated|timeout exceeded when trying to connect|client has encountered a connection error|not queryable/i;

/** Texts of the driver for a statement that it never sent. */
const NEVER_SENT_TEXT = /timeout exceeded when trying to connect|connection timeout|not queryable/i;

/** Errors of connecting: no statement was sent yet. */
const beforeSending = new WeakSet<Error>();

/** Remembers that an error came before any statement could be sent. @returns the same error */
export function neverSent(error: Error): Error {
  beforeSending.add(error);
  return error;
}

/** Whether an error of the driver or of the operating system means that a connection is not there. */
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
 * Translates what the driver throws.
 *
 * @returns the error of the response, or `undefined` if the cause is a fault of the service
 */
export function translateDatabaseError(error: unknown, refusals: Refusals = {}): ServiceError | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof NoTurnError || error instanceof UnfitSessionError) return new UnavailableError();
  if (error instanceof DatabaseError) return translateRefusal(error, refusals);
  if (!isLost(error)) return undefined;
  return new UnavailableError(!beforeSending.has(error) && !NEVER_SENT_TEXT.test(error.message));
}

/** Translates what PostgreSQL itself, or a pooler in its name, says. */
function translateRefusal(error: DatabaseError, refusals: Refusals): ServiceError | undefined {
  const { code, constraint, routine } = error;
  if (constraint !== undefined) return refusals[constraint]?.(error);
  if (routine === STALE_PLAN) return new UnavailableError();
  if (!startsWith(NOT_NOW, code)) return undefined;
  return new UnavailableError(startsWith(MAYBE_WRITTEN, code) && !beforeSending.has(error));
}

/** What an operator should know about an error that says less, for the log. */
export function adviceOn(error: unknown): string | undefined {
  const isOutOfStep = error instanceof DatabaseError && startsWith(['26000', '42P05'], error.code);
  return isOutOfStep ? 'Behind a pooler that does not keep sessions, set PREPARED_STATEMENTS=off.' : undefined;
}

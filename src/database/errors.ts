import { DatabaseError } from 'pg';
import {
  AuthenticationError,
  LimitReachedError,
  PlanLimitError,
  SpaceOfWinError,
  UnavailableError,
  ValidationError,
  type ServiceError,
} from '../common/errors.js';

const fault = (field: string, code: string, message: string) => () =>
  new ValidationError([{ field, code, message: `${field} ${message}` }]);

/** The caller was deleted after signing in. */
const callerIsGone = () => new AuthenticationError(true);

/**
 * What a refusal of the database means to a client, by the name of the constraint. What a client can't cause, such
 * as a negative count, is missing here and so a 500; a test holds the list against the constraints there are.
 */
export const REFUSALS: Record<string, (refusal: DatabaseError) => ServiceError> = {
  uq_users_email: fault('user.email', 'taken', 'is already taken'),
  ck_users_email: fault('user.email', 'invalid', 'is not an email address'),
  fk_users_plan: fault('user.plan', 'invalid', 'is not a plan'),
  ck_api_tokens_name: fault('token.name', 'invalid', 'is not valid'),
  uq_tags_name: fault('tag.name', 'taken', 'is already taken'),
  ck_tags_name: fault('tag.name', 'invalid', 'is not valid'),
  ck_spaces_name: fault('space.name', 'invalid', 'is not valid'),
  ck_spaces_emoji: fault('space.emoji', 'invalid', 'is not an emoji'),
  ck_spaces_plan_limit: ({ detail }) => new PlanLimitError(detail ?? 'its'),
  ck_spaces_limit: ({ detail }) => new LimitReachedError('space', Number(detail)),
  ck_tags_limit: ({ detail }) => new LimitReachedError('tag', Number(detail)),
  ck_api_tokens_limit: ({ detail }) => new LimitReachedError('token', Number(detail)),
  ck_wins_body: fault('win.body', 'invalid', 'is not valid'),
  fk_wins_space_id: () => new SpaceOfWinError(),
  fk_api_tokens_user_id: callerIsGone,
  fk_spaces_user_id: callerIsGone,
  fk_tags_user_id: callerIsGone,
  fk_wins_user_id: callerIsGone,
};

/** SQLSTATEs, or their first two characters, that mean "not now": PostgreSQL's appendix A. */
const NOT_NOW = [
  '28', // the user may not connect any more
  '3D', // the database is gone
  '53', // no more connections, memory or disk
  '57014', // a time-out ended the statement
  '55P03', // a lock was not to be had in time
  '25P03', // a time-out ended the idle transaction
  '40001', // could not be put in order with others
  '40P01', // a deadlock
];

/** A user's statement had no turn in time, because of others of the same user; it was not sent. */
export class NoTurnError extends Error {
  override readonly name = 'NoTurnError';
  constructor() {
    super('timeout exceeded when waiting for a turn among the statements of the user');
  }
}

/** SQLSTATEs, or their first characters, after which a session is of no more use. */
const UNFIT = [
  '08', // the connection failed
  '25006', // the server only reads: it was the primary, or will be
  '26000', // a prepared statement is missing
  '42P05', // a prepared statement is there already
  '57P', // shutting down, crashed, starting up
];

/** Error codes and texts of the driver for a connection that is not there or was lost. */
const LOST = /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/;
const LOST_TEXT =
  /connection terminated|timeout exceeded when trying to connect|client has encountered a connection error|not queryable/i;

const codeOf = (error: Error) => ('code' in error && typeof error.code === 'string' ? error.code : '');

const isLost = (error: Error) => LOST.test(codeOf(error)) || LOST_TEXT.test(error.message);

/** Whether a session must not be used again after this error. */
export function isUnfit(error: unknown): boolean {
  return error instanceof Error && (isLost(error) || UNFIT.some((prefix) => codeOf(error).startsWith(prefix)));
}

/**
 * Translates what the driver throws.
 *
 * @returns the error to answer with, or `undefined` where the cause is a fault of the service
 */
export function translateDatabaseError(error: unknown): ServiceError | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof NoTurnError) return new UnavailableError();
  if (error instanceof DatabaseError && error.constraint !== undefined) return REFUSALS[error.constraint]?.(error);
  const isNotNow = isUnfit(error) || NOT_NOW.some((prefix) => codeOf(error).startsWith(prefix));
  return isNotNow ? new UnavailableError() : undefined;
}

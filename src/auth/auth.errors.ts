import { AuthenticationError, invalidField, LimitReachedError } from '../common/errors.js';
import type { Refusals } from '../database/errors.js';

/** The user was deleted after signing in. */
export const callerIsGone = () => new AuthenticationError(true);

/** @param end when the caller's own token expires */
export const outlivesParent = (end: Date) =>
  invalidField(
    'token.expires_at',
    'outlives_parent',
    `Must not be later than ${end.toISOString()}, when your own token expires`,
    { latest: end.toISOString() },
  );

export const AUTH_REFUSALS: Refusals = {
  uq_users_email: () => invalidField('user.email', 'taken', 'Is already taken'),
  ck_users_email: () => invalidField('user.email', 'invalid', 'Is not an email address'),
  fk_users_plan: () => invalidField('user.plan', 'invalid', 'Is not a plan'),
  ck_api_tokens_name: () => invalidField('token.name', 'invalid', 'Is not valid'),
  ck_api_tokens_limit: ({ detail }) => new LimitReachedError('token', Number(detail)),
  fk_api_tokens_user_id: callerIsGone,
  fk_idempotency_keys_user_id: callerIsGone,
};

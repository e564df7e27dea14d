import { callerIsGone } from '../auth/auth.errors.js';
import { invalidField, LimitReachedError, PlanLimitError } from '../common/errors.js';
import type { Refusals } from '../database/errors.js';

export const SPACES_REFUSALS: Refusals = {
  ck_spaces_name: () => invalidField('space.name', 'invalid', 'Is not valid'),
  ck_spaces_emoji: () => invalidField('space.emoji', 'invalid', 'Is not an emoji'),
  ck_spaces_plan_limit: ({ detail }) => new PlanLimitError(detail ?? 'its'),
  ck_spaces_limit: ({ detail }) => new LimitReachedError('space', Number(detail)),
  fk_spaces_user_id: callerIsGone,
};

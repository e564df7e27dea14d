import { callerIsGone } from '../auth/auth.errors.js';
import { invalidField, LimitReachedError } from '../common/errors.js';
import type { Refusals } from '../database/errors.js';

/** Another tag of the user has this name. */
export const taken = () => invalidField('tag.name', 'taken', 'Is already taken');

export const TAGS_REFUSALS: Refusals = {
  uq_tags_name: taken,
  ck_tags_name: () => invalidField('tag.name', 'invalid', 'Is not valid'),
  ck_tags_limit: ({ detail }) => new LimitReachedError('tag', Number(detail)),
  fk_tags_user_id: callerIsGone,
};

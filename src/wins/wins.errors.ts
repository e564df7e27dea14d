import { DatabaseError } from 'pg';
import { callerIsGone } from '../auth/auth.errors.js';
import { invalidField, LimitReachedError } from '../common/errors.js';
import type { Refusals } from '../database/errors.js';

/** The win was to go in a space that its user doesn't have. */
export const notYourSpace = () => invalidField('win.space_id', 'not_found', 'Is not one of your spaces');

export const WINS_REFUSALS: Refusals = {
  ck_wins_body: () => invalidField('win.body', 'invalid', 'Is not valid'),
  fk_wins_space_id: notYourSpace,
  fk_wins_user_id: callerIsGone,
};

/** The database only knows that a tag was one too many; here a win named it. @throws the same error for `tag_names` */
export function refuseTagNames(error: unknown): never {
  if (error instanceof DatabaseError && error.constraint === 'ck_tags_limit')
    throw new LimitReachedError('tag', Number(error.detail), 'win.tag_names');
  throw error;
}

import { callerIsGone } from '../auth/auth.errors.js';
import { invalidField, LimitReachedError } from '../common/errors.js';
import { isRefusedBy, type Refusals } from '../database/errors.js';

/** @param id of the user's other tag that has this name, if it still has */
export const taken = (id?: number) =>
  invalidField('tag.name', 'taken', 'Is already taken', id === undefined ? undefined : { id });

export const isTaken = (error: unknown) => isRefusedBy('uq_tags_name', error);

/** The tag was to be merged into one that its user doesn't have. */
export const notYourTag = () => invalidField('tag.into_id', 'not_found', 'Is not one of your tags');

export const mergedIntoItself = () => invalidField('tag.into_id', 'invalid', 'Must be another tag');

/** Tags were to be deleted together, but not the unused ones. */
export const usedRequired = () =>
  invalidField('used', 'required', 'Must be false: only unused tags can be deleted together');

export const TAGS_REFUSALS: Refusals = {
  uq_tags_name: () => taken(),
  ck_tags_name: () => invalidField('tag.name', 'invalid', 'Is not valid'),
  ck_tags_limit: ({ detail }) => new LimitReachedError('tag', Number(detail)),
  fk_tags_user_id: callerIsGone,
};

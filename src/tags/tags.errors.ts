import { DatabaseError } from 'pg';
import { callerIsGone } from '../auth/auth.errors.js';
import { invalidField, LimitReachedError } from '../common/errors.js';
import type { Refusals } from '../database/errors.js';

/** @param id of the user's other tag that has this name, if it still has */
export const taken = (id?: number) =>
  invalidField('tag.name', 'taken', 'Is already taken', id === undefined ? undefined : { id });

export const isTaken = (error: unknown) => error instanceof DatabaseError && error.constraint === 'uq_tags_name';

export const TAGS_REFUSALS: Refusals = {
  uq_tags_name: () => taken(),
  ck_tags_name: () => invalidField('tag.name', 'invalid', 'Is not valid'),
  ck_tags_limit: ({ detail }) => new LimitReachedError('tag', Number(detail)),
  fk_tags_user_id: callerIsGone,
};

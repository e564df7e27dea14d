import { callerIsGone } from '../auth/auth.errors.js';
import { invalidField, LimitReachedError, ValidationError } from '../common/errors.js';
import { isRefusedBy, type Refusals } from '../database/errors.js';
import type { BatchInput } from './dto/win-batch.js';
import type { KnownIds } from './wins.repository.js';

/** The win was to go in a space that its user doesn't have. */
export const notYourSpace = (field = 'win.space_id') => invalidField(field, 'not_found', 'Is not one of your spaces');

export const WINS_REFUSALS: Refusals = {
  ck_wins_body: () => invalidField('win.body', 'invalid', 'Is not valid'),
  fk_wins_space_id: () => notYourSpace(),
  fk_wins_user_id: callerIsGone,
};

/** A batch was to change or delete a win that its user doesn't have. */
export const notYourWin = (field: string) => invalidField(field, 'not_found', 'Is not one of your wins');

/**
 * The database only knows that a tag was one too many; here a win named it.
 *
 * @param field that named it
 * @returns what to do with the error: it throws the same one for the field
 */
export const refuseTagNames =
  (field = 'win.tag_names') =>
  (error: unknown): never => {
    if (isRefusedBy('ck_tags_limit', error)) throw new LimitReachedError('tag', Number(error.detail), field);
    throw error;
  };

/**
 * Checks what a batch is to do against what there is.
 *
 * @throws ValidationError with each space and win that is not the user's, and each win that is there twice
 */
export function checkBatch({ create = [], update = [], delete: gone = [] }: BatchInput, known: KnownIds): void {
  const [wins, spaces] = [new Set(known.wins), new Set(known.spaces)];
  const isNoSpace = ({ space_id }: { space_id?: number }) => space_id !== undefined && !spaces.has(space_id);
  const named = [
    ...update.map(({ id }, n) => ({ field: `batch.update[${n}].id`, id })),
    ...gone.map((id, n) => ({ field: `batch.delete[${n}]`, id })),
  ];
  const isTwice = ({ id }: { id: number }, n: number) => named.findIndex((other) => other.id === id) < n;
  const errors = [
    ...create.flatMap((win, n) => (isNoSpace(win) ? [notYourSpace(`batch.create[${n}].space_id`)] : [])),
    ...update.flatMap((win, n) => (isNoSpace(win) ? [notYourSpace(`batch.update[${n}].space_id`)] : [])),
    ...named.flatMap(({ field, id }) => (wins.has(id) ? [] : [notYourWin(field)])),
    ...named.filter(isTwice).map(({ field, id }) => invalidField(field, 'duplicate', 'Is there twice', { ids: [id] })),
  ];
  if (errors.length > 0) throw new ValidationError(errors.flatMap(({ details }) => details));
}

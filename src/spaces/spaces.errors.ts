import { callerIsGone } from '../auth/auth.errors.js';
import type { FaultCode } from '../common/error-codes.js';
import { invalidField, LimitReachedError, PlanLimitError, ValidationError } from '../common/errors.js';
import type { Refusals } from '../database/errors.js';

/** The wins were to be moved to a space that their user doesn't have. */
export const notYourTarget = () => invalidField('move_wins_to', 'not_found', 'Is not one of your spaces');

export const movedToItself = () => invalidField('move_wins_to', 'invalid', 'Must be another space');

const ORDER = 'order.space_ids';

/** @param given the order that was asked for @param all the spaces that there are @throws ValidationError */
export function checkOrder(given: number[], all: number[]): void {
  const [asked, known] = [new Set(given), new Set(all)];
  const wrong: [FaultCode, string, number[]][] = [
    ['missing', 'Must have all your spaces', all.filter((id) => !asked.has(id))],
    ['not_found', 'Must have only your spaces', [...asked].filter((id) => !known.has(id))],
    ['duplicate', 'Must have each space once', [...asked].filter((id) => given.indexOf(id) !== given.lastIndexOf(id))],
  ];
  const faults = wrong.filter(([, , ids]) => ids.length > 0);
  if (faults.length > 0) {
    throw new ValidationError(faults.map(([code, message, ids]) => ({ field: ORDER, code, message, params: { ids } })));
  }
}

export const SPACES_REFUSALS: Refusals = {
  ck_spaces_name: () => invalidField('space.name', 'invalid', 'Is not valid'),
  ck_spaces_emoji: () => invalidField('space.emoji', 'invalid', 'Is not an emoji'),
  ck_spaces_plan_limit: ({ detail }) => new PlanLimitError(detail ?? 'its'),
  ck_spaces_limit: ({ detail }) => new LimitReachedError('space', Number(detail)),
  fk_spaces_user_id: callerIsGone,
};

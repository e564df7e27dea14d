import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { LIMITS } from '../../auth/limits.js';
import { LimitReachedError } from '../../common/errors.js';
import { Check, Ids as IdsInput, Items, Reference, Wrapper } from '../../http/fields.js';
import { invalid } from '../../openapi/errors.js';
import { Ids } from '../../openapi/schemas.js';
import { notYourSpace, notYourWin } from '../wins.errors.js';
import { tooManyTags, Win, WinChanges, WinInput } from './win.js';

/** How many wins a batch may create, update and delete in all. */
export const MAX_BATCH = 100;

/** Changes of the win with an id. */
export class WinUpdate extends WinChanges {
  @Reference({ required: true, to: 'your wins', example: 7, description: 'One of your wins' })
  id: number;
}

export class BatchInput {
  @Items({ of: () => WinInput, maxItems: MAX_BATCH, description: 'Wins to record, in this order' })
  create?: WinInput[];

  @Items({ of: () => WinUpdate, maxItems: MAX_BATCH, description: 'Changes of wins, each of another win' })
  update?: WinUpdate[];

  @IdsInput({ required: false, maxItems: MAX_BATCH, example: [2, 3], description: 'Wins to delete' })
  delete?: number[];
}

const sizeOf = ({ create = [], update = [], delete: gone = [] }: BatchInput) =>
  [create, update, gone].reduce((sum, items) => sum + (Array.isArray(items) ? items.length : 0), 0);

@ApiSchema({ name: 'BatchWinsRequest' })
export class BatchBody {
  @Wrapper(() => BatchInput)
  @Check(
    'too_many',
    `Must have at most ${MAX_BATCH} wins in all`,
    (value) => value instanceof BatchInput && sizeOf(value) > MAX_BATCH,
    { max: MAX_BATCH },
  )
  batch: BatchInput;
}

/** What a batch has done. */
export class WrittenWins {
  @ApiProperty({ type: () => [Win], description: 'As in `create`' })
  created: Win[];

  @ApiProperty({ type: () => [Win], description: 'As in `update`' })
  updated: Win[];

  @Ids('As in `delete`')
  deleted: number[];
}

const valid = { body: 'Shipped the new onboarding', space_id: 3 };

export const INVALID_BATCH = invalid(
  'InvalidBatch',
  'body',
  BatchBody,
  {
    too_many: { batch: { create: Array.from({ length: MAX_BATCH + 1 }, () => valid) } },
    not_a_date: { batch: { create: [valid, { ...valid, occurred_on: 'yesterday' }] } },
    required: { batch: { update: [{ body: valid.body }] } },
    wrapper_missing: {},
  },
  {
    space_not_found: notYourSpace('batch.create[0].space_id'),
    not_found: notYourWin('batch.delete[0]'),
    too_many_tags: tooManyTags('batch.update[0].add_tag_names'),
    limit_reached: new LimitReachedError('tag', LIMITS.tags, 'batch'),
  },
);

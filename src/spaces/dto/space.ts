import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { LIMITS } from '../../auth/limits.js';
import { LimitReachedError, type ServiceError } from '../../common/errors.js';
import { isEmoji } from '../../common/text.js';
import { Check, Ids, Integer32, IntegerQuery, MayBeMissing, Name, OfAnyType, Wrapper } from '../../http/fields.js';
import { invalid } from '../../openapi/errors.js';
import { checkOrder, movedToItself, notYourTarget } from '../spaces.errors.js';
import { Count, Id, MAX_INT32, Time } from '../../openapi/schemas.js';

export const MAX_SPACE_NAME = 100;

/** A group of wins. */
export class Space {
  @Id()
  id: number;

  @ApiProperty({ type: 'string', minLength: 1, maxLength: MAX_SPACE_NAME, example: 'Work' })
  name: string;

  @ApiProperty({ type: 'string', nullable: true, example: '🚀', description: 'One emoji, or null' })
  emoji: string | null;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    minimum: -MAX_INT32 - 1,
    maximum: MAX_INT32,
    example: 0,
    description: 'Lower is shown first',
  })
  position: number;

  @Count('Number of wins in the space')
  wins_count: number;

  @Time('When the space was created')
  created_at: string;

  @Time('When name, emoji or position last changed')
  updated_at: string;
}

const name = {
  max: MAX_SPACE_NAME,
  example: 'Work',
  description: 'Trimmed and put in NFC; two spaces may share a name',
};
const position = {
  required: false,
  example: 0,
  description: 'Lower is shown first. If omitted on create, the space goes last.',
};

/** One emoji as people see it; `""` and `null` are none. */
const Emoji = () =>
  applyDecorators(
    ApiProperty({
      type: 'string',
      nullable: true,
      required: false,
      example: '🚀',
      description: 'Exactly one emoji; `null` or `""` is none',
    }),
    Transform(({ value }: { value: unknown }) => (value === '' ? null : value)),
    OfAnyType(),
    MayBeMissing(),
    Check('invalid_type', 'Must be a string or null', (value) => value !== null && typeof value !== 'string', {
      expected: 'string',
    }),
    Check('not_an_emoji', 'Must be exactly one emoji', (value) => typeof value === 'string' && !isEmoji(value)),
  );

export class SpaceInput {
  @Name({ ...name, required: true })
  name: string;

  @Emoji()
  emoji?: string | null;

  @Integer32(position)
  position?: number;
}

export class SpaceChanges {
  @Name({ ...name, required: false })
  name?: string;

  @Emoji()
  emoji?: string | null;

  @Integer32(position)
  position?: number;
}

@ApiSchema({ name: 'CreateSpaceRequest' })
export class CreateSpace {
  @Wrapper(() => SpaceInput)
  space: SpaceInput;
}

@ApiSchema({ name: 'UpdateSpaceRequest' })
export class UpdateSpace {
  @Wrapper(() => SpaceChanges)
  space: SpaceChanges;
}

/** No user has more spaces, and no order is longer. */
const MAX_ORDER = LIMITS.spaces;

export class OrderInput {
  @Ids({
    required: true,
    maxItems: MAX_ORDER,
    example: [7, 3],
    description: 'The ids of all your spaces, each once, in the order to show them',
  })
  space_ids: number[];
}

@ApiSchema({ name: 'OrderSpacesRequest' })
export class OrderBody {
  @Wrapper(() => OrderInput)
  order: OrderInput;
}

const thrownBy = (given: number[], all: number[]): ServiceError => {
  try {
    checkOrder(given, all);
  } catch (error) {
    return error as ServiceError;
  }
  throw new Error('The order is right');
};

export const INVALID_ORDER = invalid(
  'InvalidOrder',
  'body',
  OrderBody,
  { required: { order: {} }, invalid_type: { order: { space_ids: 'first' } }, wrapper_missing: {} },
  {
    missing: thrownBy([], [3, 7]),
    not_found: thrownBy([3, 7, 9], [3, 7]),
    duplicate: thrownBy([3, 7, 3], [3, 7]),
  },
);

/** What becomes of the wins of a space that is deleted. */
export class DeleteSpaceQuery {
  @IntegerQuery({
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    description: 'Another space of yours, which gets the wins. If omitted, they are deleted with the space',
  })
  move_wins_to?: number;
}

export const INVALID_MOVE = invalid(
  'InvalidMove',
  'query',
  DeleteSpaceQuery,
  { not_an_integer: { move_wins_to: 'Home' } },
  { not_found: notYourTarget(), to_itself: movedToItself() },
);

export const INVALID_SPACE = invalid(
  'InvalidSpace',
  'body',
  CreateSpace,
  {
    blank: { space: { name: ' ' } },
    too_long: { space: { name: 'x'.repeat(MAX_SPACE_NAME + 1) } },
    not_an_emoji: { space: { name: 'Work', emoji: 'rocket' } },
    out_of_range: { space: { name: 'Work', position: MAX_INT32 + 1 } },
    wrapper_missing: {},
    several: { space: { name: 'a\u0000b', position: 'first' } },
  },
  { limit_reached: new LimitReachedError('space', LIMITS.spaces) },
);

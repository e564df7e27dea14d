import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { LIMITS } from '../../auth/limits.js';
import { LimitReachedError } from '../../common/errors.js';
import { isEmoji } from '../../common/text.js';
import { Check, Integer32, MayBeMissing, Name, Wrapper } from '../../http/fields.js';
import { invalid } from '../../openapi/errors.js';
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
    MayBeMissing(),
    Check('invalid_type', 'Must be a string or null', (value) => value !== null && typeof value !== 'string', {
      type: 'string',
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

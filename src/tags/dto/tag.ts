import { Expose } from 'class-transformer';
import { Allow } from 'class-validator';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { LIMITS } from '../../auth/limits.js';
import { LimitReachedError } from '../../common/errors.js';
import { Name, OfAnyType, Reference, Wrapper } from '../../http/fields.js';
import { invalid } from '../../openapi/errors.js';
import { Count, Id, Time } from '../../openapi/schemas.js';
import { mergedIntoItself, notYourTag, taken, usedRequired } from '../tags.errors.js';

export const MAX_TAG_NAME = 30;

/** A label on wins. */
export class Tag {
  @Id()
  id: number;

  @ApiProperty({ type: 'string', minLength: 1, maxLength: MAX_TAG_NAME, example: 'Launch' })
  name: string;

  @Count('Number of wins that use the tag')
  wins_count: number;

  @Time('When the tag was created')
  created_at: string;
}

export class TagInput {
  @Name({
    max: MAX_TAG_NAME,
    required: true,
    example: 'Launch',
    description: 'Trimmed and put in NFC. `Launch` and `launch` are the same name.',
  })
  name: string;
}

/** The body of create and rename. */
@ApiSchema({ name: 'TagRequest' })
export class TagBody {
  @Wrapper(() => TagInput)
  tag: TagInput;
}

export class MergeInput {
  @Reference({ to: 'your tags', required: true, example: 7, description: 'The tag that remains' })
  into_id: number;
}

@ApiSchema({ name: 'MergeTagRequest' })
export class MergeBody {
  @Wrapper(() => MergeInput)
  tag: MergeInput;
}

export const INVALID_MERGE = invalid(
  'InvalidMerge',
  'body',
  MergeBody,
  { required: { tag: {} }, wrapper_missing: {} },
  { into_itself: mergedIntoItself(), not_yours: notYourTag() },
);

/** What `DELETE /tags` deletes: only unused tags, so that nobody deletes all by accident. */
export class UnusedQuery {
  @ApiProperty({ type: 'string', enum: ['false'], required: true, description: 'Must be `false`' })
  @OfAnyType()
  @Expose()
  @Allow()
  used?: unknown;
}

export const USED_REQUIRED = invalid('UsedRequired', 'query', UnusedQuery, {}, { required: usedRequired() });

export class DeletedTags {
  @Count('How many tags were deleted', 12)
  deleted: number;
}

export const INVALID_TAG = invalid(
  'InvalidTag',
  'body',
  TagBody,
  {
    blank: { tag: { name: ' ' } },
    too_long: { tag: { name: 'x'.repeat(MAX_TAG_NAME + 1) } },
    required: { tag: {} },
    wrapper_missing: {},
    invalid_type: { tag: { name: 7 } },
    invalid_characters: { tag: { name: 'a\u0000b' } },
  },
  { taken: taken(5), limit_reached: new LimitReachedError('tag', LIMITS.tags) },
);

import { ApiProperty } from '@nestjs/swagger';
import { IntegerQuery, Since } from '../../http/fields.js';
import { invalid } from '../../openapi/errors.js';
import { Ids } from '../../openapi/schemas.js';
import { Space } from '../../spaces/dto/space.js';
import { Tag } from '../../tags/dto/tag.js';
import { Win } from '../../wins/dto/win.js';

const MAX_LIMIT = 500;
const DEFAULT_LIMIT = 100;

/** The query of changes. */
export class ChangesQuery {
  @Since()
  since?: string;

  @IntegerQuery({
    min: 1,
    max: MAX_LIMIT,
    default: DEFAULT_LIMIT,
    description: `How many changes a page has, at most ${MAX_LIMIT}. Out of range is clamped.`,
  })
  limit = DEFAULT_LIMIT;
}

/** What was deleted. With a space its wins are gone; with a tag, its wins have lost it. */
export class Deleted {
  @Ids('Spaces, with all wins that are in them')
  space_ids: number[];

  @Ids('Tags, which are no longer on any win')
  tag_ids: number[];

  @Ids('Wins')
  win_ids: number[];
}

/** One page of changes. To have them, put the resources in place of those with the same ids, then delete what was deleted. */
export class Changes {
  @ApiProperty({ type: () => [Space], description: 'New and changed ones, as they are now' })
  spaces: Space[];

  @ApiProperty({ type: () => [Tag], description: 'New and changed ones, as they are now' })
  tags: Tag[];

  @ApiProperty({ type: () => [Win], description: 'New and changed ones, as they are now' })
  wins: Win[];

  @ApiProperty({ type: () => Deleted })
  deleted: Deleted;

  @ApiProperty({
    type: 'string',
    minLength: 1,
    maxLength: 1_000,
    example: 'WyJ3M0hfYTlRMiIsIjQyIl0',
    description: 'The value of `since` for the next page, or to ask for changes later',
  })
  next: string;

  @ApiProperty({ type: 'boolean', example: false, description: 'Whether there are more changes by now' })
  has_more: boolean;
}

export const INVALID_CHANGES_QUERY = invalid('InvalidChangesQuery', 'query', ChangesQuery, {
  not_an_integer: { limit: 'all' },
  invalid_cursor: { since: ['a', 'b'] },
});

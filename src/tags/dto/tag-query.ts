import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { forbiddenInName, isEmpty, isLonger } from '../../common/text.js';
import { Characters, Check, ifString, inString, OneOf, Typed } from '../../http/fields.js';
import { CursorQuery } from '../../http/pagination.js';
import { invalid } from '../../openapi/errors.js';
import { MAX_TAG_NAME } from './tag.js';

const TAG_SORTS = ['name', '-name', 'wins_count', '-wins_count', 'created_at', '-created_at'] as const;
export type TagSort = (typeof TAG_SORTS)[number];

/** The query of the list of tags. */
export class TagQuery extends CursorQuery {
  @ApiProperty({
    type: 'string',
    maxLength: MAX_TAG_NAME,
    required: false,
    description: 'Only tags with this in their name, in any case. Names that begin with it come first',
  })
  @Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? (isEmpty(value) ? undefined : value.normalize()) : value,
  )
  @Typed('string', (value) => typeof value === 'string', false)
  @Check('too_long', `Must have at most ${MAX_TAG_NAME} characters`, ifString((text) => isLonger(text, MAX_TAG_NAME)), {
    max: MAX_TAG_NAME,
  })
  @Characters(inString(forbiddenInName))
  q?: string;

  @OneOf({ choices: ['true', 'false'], required: false, description: 'Only tags that wins use, or that none uses' })
  used?: string;

  @OneOf({ choices: TAG_SORTS, required: false, description: '`name` if omitted. Ties by name, then id' })
  sort?: TagSort;
}

export const INVALID_TAG_QUERY = invalid('InvalidTagQuery', 'query', TagQuery, {
  not_an_integer: { page: 'first' },
  not_a_choice: { sort: 'size' },
  too_long: { q: 'x'.repeat(MAX_TAG_NAME + 1) },
  invalid_cursor: { after: ['a', 'b'] },
});

import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { forbiddenIn, forbiddenInName, isEmpty, isLonger, normalizeName } from '../../common/text.js';
import { CalendarDate, Characters, Check, ifString, IntegerQuery, inString, Typed } from '../../http/fields.js';
import { PageQuery } from '../../http/pagination.js';
import { invalid } from '../../openapi/errors.js';
import { MAX_TAG_NAME } from '../../tags/dto/tag.js';

export const MAX_SEARCH = 200;
export const MAX_SEARCH_WORDS = 10;

const isString = (value: unknown) => typeof value === 'string';
const wordsOf = (text: string) => text.split(/\p{White_Space}+/u).filter((word) => word !== '');

/** The query of the list of wins. Filters are joined by "and"; an empty text is none. */
export class WinQuery extends PageQuery {
  @IntegerQuery({ min: 0, max: Number.MAX_SAFE_INTEGER, description: 'Only wins of this space' })
  space_id?: number;

  @ApiProperty({ type: 'string', required: false, description: 'Only wins with the tag of this name, in any case' })
  @Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? (isEmpty(value) ? undefined : normalizeName(value, MAX_TAG_NAME)) : value,
  )
  @Typed('string', isString, false)
  @Characters(inString(forbiddenInName))
  tag?: string;

  @CalendarDate({ required: false, description: 'Only wins of this day or later, such as 2026-01-01' })
  since?: string;

  @CalendarDate({ required: false, description: 'Only wins of this day or earlier' })
  until?: string;

  @ApiProperty({
    type: 'string',
    maxLength: MAX_SEARCH,
    required: false,
    description: `Only wins whose body has all these words or parts of words, in any case; at most ${MAX_SEARCH_WORDS}`,
  })
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' && isEmpty(value) ? undefined : value))
  @Typed('string', isString, false)
  @Check('too_long', `Must have at most ${MAX_SEARCH} characters`, ifString((text) => isLonger(text, MAX_SEARCH)), {
    max: MAX_SEARCH,
  })
  @Check(
    'too_many',
    `Must have at most ${MAX_SEARCH_WORDS} words`,
    ifString((text) => wordsOf(text).length > MAX_SEARCH_WORDS),
    { max: MAX_SEARCH_WORDS },
  )
  @Characters(inString(forbiddenIn))
  q?: string;

  /** The words of `q`. */
  get words(): string[] {
    return wordsOf(this.q ?? '');
  }
}

export const INVALID_FILTER = invalid('InvalidFilter', 'query', WinQuery, {
  not_an_integer: { page: 'first' },
  not_a_date: { since: 'yesterday' },
  too_many: { q: 'a '.repeat(MAX_SEARCH_WORDS + 1) },
  too_long: { q: 'x'.repeat(MAX_SEARCH + 1) },
  invalid_characters: { tag: 'a\u0000b' },
});

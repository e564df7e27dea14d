import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { forbiddenIn, forbiddenInName, isEmpty, isLonger, normalizeName } from '../../common/text.js';
import {
  CalendarDate,
  Characters,
  Check,
  Cursor,
  ifString,
  inString,
  IntegersQuery,
  OneOf,
  Repeated,
  Typed,
} from '../../http/fields.js';
import { DEFAULT_PER_PAGE, PageNumber, PerPage } from '../../http/pagination.js';
import { invalid } from '../../openapi/errors.js';
import { MAX_TAG_NAME } from '../../tags/dto/tag.js';

const MAX_SEARCH = 200;
export const MAX_SEARCH_WORDS = 10;

const isString = (value: unknown) => typeof value === 'string';
/** @param q a search; empty without one @returns its words */
export const wordsOf = (q = ''): string[] => q.split(/\p{White_Space}+/u).filter((word) => word !== '');

const MAX_TAGS_OF_FILTER = 10;
const MAX_SPACES_OF_FILTER = 50;

/** Which wins. Filters are joined by "and"; an empty text is none. */
export class WinFilter {
  @IntegersQuery({
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    maxItems: MAX_SPACES_OF_FILTER,
    description: `Only wins of this space; repeated, of any of these, at most ${MAX_SPACES_OF_FILTER}`,
  })
  space_id?: number[];

  @Repeated({
    maxItems: MAX_TAGS_OF_FILTER,
    description: `Only wins with the tag of this name, in any case; repeated, with all of these, at most ${MAX_TAGS_OF_FILTER}`,
    read: (value) => (isEmpty(value) ? undefined : normalizeName(value, MAX_TAG_NAME)),
  })
  @Characters((value) => (Array.isArray(value) ? value.map(inString(forbiddenInName)).find(Boolean) : undefined))
  tag?: string[];

  @OneOf({ choices: ['true', 'false'], required: false, description: 'Only wins without a tag, or with one' })
  untagged?: string;

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
}

export const WIN_SORTS = ['-occurred_on', 'occurred_on', '-created_at', '-updated_at'] as const;
export type WinSort = (typeof WIN_SORTS)[number];

/** The query of the list of wins. */
export class WinQuery extends WinFilter {
  @PageNumber()
  page = 1;

  @PerPage()
  per_page = DEFAULT_PER_PAGE;

  @Cursor()
  after?: string;

  @OneOf({ choices: WIN_SORTS, required: false, description: '`-occurred_on` if omitted. Ties by id' })
  sort?: WinSort;
}

const GROUPS = ['day', 'week', 'month', 'year', 'space', 'tag'] as const;
export type Group = (typeof GROUPS)[number];

/** What the wins of a filter are counted by. */
export class SummaryQuery extends WinFilter {
  @OneOf({ choices: GROUPS, required: true, description: 'What to count by; weeks are those of ISO 8601' })
  by: Group;
}

export const FORMATS = ['markdown', 'csv', 'ndjson'] as const;
export type Format = (typeof FORMATS)[number];

/** As what the wins of a filter are saved. */
export class ExportQuery extends WinFilter {
  @OneOf({ choices: FORMATS, required: true, description: 'Text to paste, a spreadsheet, or one JSON object a line' })
  format: Format;
}

export const INVALID_SUMMARY = invalid('InvalidSummary', 'query', SummaryQuery, {
  required: { since: '2026-01-01' },
  not_a_choice: { by: 'hour' },
});

export const INVALID_EXPORT = invalid('InvalidExport', 'query', ExportQuery, {
  required: { since: '2026-01-01' },
  not_a_choice: { format: 'pdf' },
});

export const INVALID_FILTER = invalid('InvalidFilter', 'query', WinQuery, {
  not_an_integer: { page: 'first' },
  not_a_date: { since: 'yesterday' },
  not_a_choice: { sort: 'body' },
  invalid_cursor: { after: ['a', 'b'] },
  too_many: { q: 'a '.repeat(MAX_SEARCH_WORDS + 1) },
  too_long: { q: 'x'.repeat(MAX_SEARCH + 1) },
  invalid_characters: { tag: 'a\u0000b' },
});

import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { Id, Time } from '../../common/schemas.js';
import {
  codePoints,
  hasForbiddenCharacter,
  hasForbiddenCharacterInLines,
  isBlank,
  normalizeName,
} from '../../common/text.js';
import {
  CalendarDate,
  Check,
  ifString,
  Reference,
  Typed,
  Wrapper,
  type FieldOptions,
} from '../../common/validation.js';
import { MAX_SPACE_NAME } from '../../spaces/dto/space.js';
import { MAX_TAG_NAME } from '../../tags/dto/tag.js';

export const MAX_BODY = 10_000;
export const MAX_TAGS = 50;

/** The space a win is in. */
export class SpaceOfWin {
  @Id()
  id: number;

  @ApiProperty({ type: 'string', minLength: 1, maxLength: MAX_SPACE_NAME, example: 'Work' })
  name: string;

  @ApiProperty({ type: 'string', nullable: true, example: '🚀' })
  emoji: string | null;
}

/** A tag a win carries. */
export class TagOfWin {
  @Id()
  id: number;

  @ApiProperty({ type: 'string', minLength: 1, maxLength: MAX_TAG_NAME, example: 'Launch' })
  name: string;
}

/** A recorded accomplishment. */
export class Win {
  @Id()
  id: number;

  @ApiProperty({ type: 'string', minLength: 1, maxLength: MAX_BODY, example: 'Shipped the **new** onboarding' })
  body: string;

  @ApiProperty({
    type: 'string',
    format: 'date',
    example: '2026-03-14',
    description: 'The day it happened, of no time zone',
  })
  occurred_on: string;

  @ApiProperty({ type: () => SpaceOfWin })
  space: SpaceOfWin;

  @ApiProperty({ type: () => [TagOfWin], description: 'Alphabetically' })
  tags: TagOfWin[];

  @Time('When the win was recorded')
  created_at: string;

  @Time('When body, space, date or tags last changed')
  updated_at: string;
}

/** Text of many lines, kept as it was sent. */
function Body({ required }: Pick<FieldOptions, 'required'>): PropertyDecorator {
  return applyDecorators(
    ApiProperty({
      type: 'string',
      minLength: 1,
      maxLength: MAX_BODY,
      required,
      example: 'Shipped the **new** onboarding',
      description: 'Text or Markdown, stored as sent',
    }),
    Typed('a string', (value) => typeof value === 'string', required),
    Check('blank', 'must not be blank', ifString(isBlank)),
    Check(
      'too_long',
      `must have at most ${MAX_BODY} characters`,
      ifString((text) => codePoints(text) > MAX_BODY),
    ),
    Check(
      'invalid_characters',
      'must not have control characters other than tabs and line breaks',
      ifString(hasForbiddenCharacterInLines),
    ),
  );
}

const isNames = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

const ifNames = (isFault: (names: string[]) => boolean) => (value: unknown) => isNames(value) && isFault(value);

/** Names of tags, in an array or in one string split at commas. Empty ones are dropped; doubles count once. */
function TagNames(): PropertyDecorator {
  const read = (value: unknown): unknown => {
    const names: unknown = typeof value === 'string' ? value.split(',') : value;
    return isNames(names) ? [...new Set(names.map(normalizeName).filter((name) => name !== ''))] : names;
  };
  return applyDecorators(
    ApiProperty({
      oneOf: [
        { type: 'array', items: { type: 'string', maxLength: MAX_TAG_NAME }, maxItems: MAX_TAGS },
        { type: 'string', description: 'Split at commas' },
      ],
      required: false,
      example: ['Launch', 'Team'],
      description: `At most ${MAX_TAGS}. Unknown names make tags. On update they replace the win's tags; left out, those stay.`,
    }),
    Transform(({ value }: { value: unknown }) => read(value)),
    Typed('an array of strings or a string', isNames, false),
    Check(
      'too_many',
      `must have at most ${MAX_TAGS} names`,
      ifNames((names) => names.length > MAX_TAGS),
    ),
    Check(
      'blank',
      'must not have a name that is blank',
      ifNames((names) => names.some(isBlank)),
    ),
    Check(
      'too_long',
      `must not have a name of more than ${MAX_TAG_NAME} characters`,
      ifNames((names) => names.some((name) => codePoints(name) > MAX_TAG_NAME)),
    ),
    Check(
      'invalid_characters',
      'must not have a name with control characters',
      ifNames((names) => names.some(hasForbiddenCharacter)),
    ),
  );
}

const space = { example: 3, description: 'One of your spaces' };
const occurredOn = {
  required: false,
  example: '2026-03-14',
  description: 'The day it happened; today in UTC if left out',
};

export class WinInput {
  @Body({ required: true })
  body: string;

  @Reference({ ...space, required: true, to: 'your spaces' })
  space_id: number;

  @CalendarDate(occurredOn)
  occurred_on?: string;

  @TagNames()
  tag_names?: string[];
}

export class WinChanges {
  @Body({ required: false })
  body?: string;

  @Reference({ ...space, required: false, to: 'your spaces' })
  space_id?: number;

  @CalendarDate({ ...occurredOn, description: 'The day it happened' })
  occurred_on?: string;

  @TagNames()
  tag_names?: string[];
}

export class CreateWin {
  @Wrapper(() => WinInput)
  win: WinInput;
}

export class UpdateWin {
  @Wrapper(() => WinChanges)
  win: WinChanges;
}

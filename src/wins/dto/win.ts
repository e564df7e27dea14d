import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { LIMITS } from '../../auth/limits.js';
import { invalidField, LimitReachedError } from '../../common/errors.js';
import { forbiddenInLines, forbiddenInName, isBlank, isEmpty, isLonger, normalizeName } from '../../common/text.js';
import {
  CalendarDate,
  Characters,
  Check,
  ReadOnly,
  Reference,
  TextOf,
  Typed,
  Wrapper,
  type FieldOptions,
} from '../../http/fields.js';
import { invalid } from '../../openapi/errors.js';
import { Id, Time } from '../../openapi/schemas.js';
import { MAX_SPACE_NAME } from '../../spaces/dto/space.js';
import { MAX_TAG_NAME } from '../../tags/dto/tag.js';
import { notYourSpace } from '../wins.errors.js';

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
    Typed('string', (value) => typeof value === 'string', required),
    TextOf(MAX_BODY, forbiddenInLines),
  );
}

const isNames = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

/** Names that are read at all, since empty ones and doubles count for nothing. No honest client sends so many. */
const MAX_READ = 1_000;

const areFew = (value: unknown): value is string[] => isNames(value) && value.length <= MAX_READ;

/** @returns the names in their normal form, each once, if they are not far too many */
function readNames(value: unknown): unknown {
  const names: unknown = typeof value === 'string' ? value.split(',', MAX_READ + 1) : value;
  if (!areFew(names)) return names;
  return [...new Set(names.filter((name) => !isEmpty(name)).map((name) => normalizeName(name, MAX_TAG_NAME)))];
}

const ifNames = (isFault: (names: string[]) => boolean) => (value: unknown) => areFew(value) && isFault(value);

const forbiddenInNames = (value: unknown) =>
  areFew(value) ? value.map(forbiddenInName).find((what) => what !== undefined) : undefined;

/** Names of tags, in an array or in one string split at commas. Empty ones are dropped; doubles count once. */
function TagNames(description: string): PropertyDecorator {
  return applyDecorators(
    ApiProperty({
      type: 'array',
      items: { type: 'string', maxLength: MAX_TAG_NAME },
      maxItems: MAX_TAGS,
      required: false,
      example: ['Launch', 'Team'],
      description: `${description} At most ${MAX_TAGS}.`,
    }),
    Transform(({ value }: { value: unknown }) => readNames(value)),
    Typed('array', isNames, false),
    Check('too_many', `Must have at most ${MAX_TAGS} names`, (value) => isNames(value) && value.length > MAX_TAGS, {
      max: MAX_TAGS,
    }),
    Check(
      'blank',
      'Must not have a name that is blank',
      ifNames((names) => names.some(isBlank)),
    ),
    Check(
      'too_long',
      `Must not have a name of more than ${MAX_TAG_NAME} characters`,
      ifNames((names) => names.some((name) => isLonger(name, MAX_TAG_NAME))),
      { max: MAX_TAG_NAME },
    ),
    Characters(forbiddenInNames, (what) => `Must not have a name with ${what}`),
  );
}

/** The field can't be sent together with another. */
const NotWith = (other: string): PropertyDecorator =>
  Check(
    'conflict',
    `Must not be sent together with ${other}`,
    (value, { object }) => value !== undefined && Reflect.get(object, other) !== undefined,
    { other },
  );

const space = { example: 3, description: 'One of your spaces' };
const occurredOn = {
  required: false,
  example: '2026-03-14',
  description: 'The day it happened; today in UTC if omitted',
};

export class WinInput {
  @Body({ required: true })
  body: string;

  @Reference({ ...space, required: true, to: 'your spaces' })
  space_id: number;

  @CalendarDate(occurredOn)
  occurred_on?: string;

  @TagNames("Names that don't exist yet are created as tags.")
  tag_names?: string[];

  @ReadOnly('space_id')
  space?: unknown;

  @ReadOnly('tag_names')
  tags?: unknown;
}

export class WinChanges {
  @Body({ required: false })
  body?: string;

  @Reference({ ...space, required: false, to: 'your spaces' })
  space_id?: number;

  @CalendarDate({ ...occurredOn, description: 'The day it happened' })
  occurred_on?: string;

  @TagNames("They replace the win's tags; names that don't exist yet are created. If omitted, the tags stay.")
  tag_names?: string[];

  @TagNames('Added to the tags of the win. Not together with `tag_names`.')
  @NotWith('tag_names')
  add_tag_names?: string[];

  @TagNames('Taken off the win, unless they are also added. Not together with `tag_names`.')
  @NotWith('tag_names')
  remove_tag_names?: string[];

  @ReadOnly('space_id')
  space?: unknown;

  @ReadOnly('tag_names')
  tags?: unknown;
}

@ApiSchema({ name: 'CreateWinRequest' })
export class CreateWin {
  @Wrapper(() => WinInput)
  win: WinInput;
}

@ApiSchema({ name: 'UpdateWinRequest' })
export class UpdateWin {
  @Wrapper(() => WinChanges)
  win: WinChanges;
}

const valid = { body: 'Shipped the new onboarding', space_id: 3 };

/** A win would carry more tags than it may. @param field that adds them */
export const tooManyTags = (field = 'win.add_tag_names') =>
  invalidField(field, 'too_many', `A win can have at most ${MAX_TAGS} tags`, { max: MAX_TAGS });

export const INVALID_CHANGES = invalid(
  'InvalidChanges',
  'body',
  UpdateWin,
  {
    blank: { win: { body: ' ' } },
    not_a_date: { win: { occurred_on: 'yesterday' } },
    too_long: { win: { tag_names: ['x'.repeat(MAX_TAG_NAME + 1)] } },
    conflict: { win: { tag_names: ['Team'], add_tag_names: ['Launch'] } },
    wrapper_missing: {},
    read_only: { win: { tags: [] } },
  },
  {
    too_many: tooManyTags(),
    space_not_found: notYourSpace(),
    limit_reached: new LimitReachedError('tag', LIMITS.tags, 'win.tag_names'),
  },
);

export const INVALID_WIN = invalid(
  'InvalidWin',
  'body',
  CreateWin,
  {
    blank: { win: { ...valid, body: ' ' } },
    not_a_date: { win: { ...valid, occurred_on: 'yesterday' } },
    too_many: { win: { ...valid, tag_names: Array.from({ length: MAX_TAGS + 1 }, (_, n) => `Tag ${n}`) } },
    too_long: { win: { ...valid, tag_names: ['x'.repeat(MAX_TAG_NAME + 1)] } },
    wrapper_missing: {},
    read_only: { win: { body: valid.body, space: { id: 3 } } },
    several: { win: { body: 7, space_id: 'Work' } },
  },
  {
    space_not_found: notYourSpace(),
    limit_reached: new LimitReachedError('tag', LIMITS.tags, 'win.tag_names'),
  },
);

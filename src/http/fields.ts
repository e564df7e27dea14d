import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Expose, Transform, Type } from 'class-transformer';
import { ValidateBy, ValidateIf, ValidateNested, type ValidationArguments } from 'class-validator';
import type { FaultCode } from '../common/error-codes.js';
import { NOT_A_CURSOR } from '../common/errors.js';
import { forbiddenInName, isBlank, isLonger, LAST_TIME, normalizeName } from '../common/text.js';

/**
 * The decorators of request classes. Each is both the check of a field and its schema in the document; every error
 * has a stable code, which is the name of the failed check.
 */

/** What a check is told beside the value: its field, and the object that the field belongs to. */
type Surroundings = Pick<ValidationArguments, 'property' | 'object'>;

/**
 * A check.
 *
 * @param message a sentence to show, without the field
 * @param isFault whether the value is invalid; false for a check that doesn't apply
 * @param params what a translation of the message needs
 */
export function Check(
  code: FaultCode,
  message: string | ((value: unknown, at: Surroundings) => string),
  isFault: (value: unknown, at: Surroundings) => boolean,
  params?: Record<string, unknown>,
): PropertyDecorator {
  return applyDecorators(
    Expose(), // class-transformer drops properties without it
    ValidateBy(
      {
        name: code,
        validator: {
          validate: (value: unknown, args) => !isFault(value, args!),
          defaultMessage: (args) => (typeof message === 'string' ? message : message(args!.value, args!)),
        },
      },
      params && { context: params },
    ),
  );
}

/** For every field that is no wrapper: class-transformer would take a field called `constructor` in it for its class. */
export const OfAnyType = () => Type(() => Object);

/** The field may be omitted; `null` is not the same. */
export const MayBeMissing = () => ValidateIf((_, value: unknown) => value !== undefined);

export const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A check of strings; any other type has failed another check. */
export const ifString = (isFault: (text: string) => boolean) => (value: unknown) =>
  typeof value === 'string' && isFault(value);

const NOUNS = { string: 'a string', integer: 'an integer', array: 'an array of strings' };

/** Presence and type, the two checks every field begins with. */
export function Typed(
  type: keyof typeof NOUNS,
  isOfType: (value: unknown) => boolean,
  required: boolean,
): PropertyDecorator {
  return applyDecorators(
    OfAnyType(),
    ...(required ? [] : [MayBeMissing()]),
    Check('required', 'Is required', (value) => value === undefined),
    Check('invalid_type', `Must be ${NOUNS[type]}`, (value) => value !== undefined && !isOfType(value), {
      expected: type,
    }),
  );
}

/** What a field is in the document, and whether it may be missing. */
export type FieldOptions = { required: boolean } & Pick<ApiPropertyOptions, 'description' | 'example'>;

/** The wrapper key of a body, such as `tag`. Anything but an object counts as missing. */
export function Wrapper(fields: () => new () => object): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: () => fields() }), // only a function of this name is called for the type
    Transform(({ value }: { value: unknown }) => (isPlainObject(value) ? value : undefined)),
    Type(fields),
    ValidateNested(),
    Check(
      'wrapper_missing',
      (_, { property }) => `Put the fields into {"${property}": {…}}`,
      (value) => value === undefined,
    ),
  );
}

/** A check of characters. @param forbidden names what the value has that it must not, if it has */
export const Characters = (
  forbidden: (value: unknown) => string | undefined,
  sentence = (what: string | undefined) => `Must not have ${what}`,
) =>
  Check(
    'invalid_characters',
    (value) => sentence(forbidden(value)),
    (value) => forbidden(value) !== undefined,
  );

/** What is forbidden in a string; any other type has failed another check. */
export const inString = (forbidden: (text: string) => string | undefined) => (value: unknown) =>
  typeof value === 'string' ? forbidden(value) : undefined;

/** The length of a text and its characters, which are not looked at if it is far too long. */
export function TextOf(max: number, forbidden: (text: string) => string | undefined): PropertyDecorator {
  const isReadable = (text: string) => text.length <= 4 * max;
  return applyDecorators(
    Check(
      'blank',
      'Must not be blank',
      ifString((text) => isReadable(text) && isBlank(text)),
    ),
    Check(
      'too_long',
      `Must have at most ${max} characters`,
      ifString((text) => isLonger(text, max)),
      { max },
    ),
    Characters(inString((text) => (isReadable(text) ? forbidden(text) : undefined))),
  );
}

/** A name in its normal form: 1 to `max` code points, something to see, nothing that can't be. */
export function Name({ max, required, ...documented }: { max: number } & FieldOptions): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: 'string', minLength: 1, maxLength: max, required, ...documented }),
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? normalizeName(value, max) : value)),
    Typed('string', (value) => typeof value === 'string', required),
    TextOf(max, forbiddenInName),
  );
}

/** A 32-bit integer, as JSON writes one. */
export function Integer32({ required, ...documented }: FieldOptions): PropertyDecorator {
  const [minimum, maximum] = [-2_147_483_648, 2_147_483_647];
  return applyDecorators(
    ApiProperty({ type: 'integer', format: 'int32', minimum, maximum, required, ...documented }),
    Typed('integer', Number.isInteger, required),
    Check(
      'out_of_range',
      `Must be from ${minimum} to ${maximum}`,
      (value) => Number.isInteger(value) && (Number(value) < minimum || Number(value) > maximum),
      { min: minimum, max: maximum },
    ),
  );
}

/** One of some words. */
export function OneOf({
  choices,
  required,
  ...documented
}: { choices: readonly string[] } & FieldOptions): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: 'string', enum: [...choices], required, ...documented }),
    Typed('string', (value) => typeof value === 'string', required),
    Check(
      'not_a_choice',
      `Must be one of ${choices.join(', ')}`,
      ifString((text) => !choices.includes(text)),
      { choices },
    ),
  );
}

/**
 * A field that is only read, sent instead of the one that is written: to ignore it, like other unknown fields, would hide
 * that nothing changes.
 *
 * @param instead the field to send
 */
export const ReadOnly = (instead: string): PropertyDecorator =>
  applyDecorators(
    OfAnyType(),
    Check(
      'read_only',
      `Send ${instead} instead`,
      (value, { object }) => value !== undefined && Reflect.get(object, instead) === undefined,
      { instead },
    ),
  );

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;
/** `Date` takes the 30th of February for the 2nd of March, so the day must come back as it went in. */
const isTime = (text: string) =>
  TIME.test(text) && Date.parse(text) <= LAST_TIME && isCalendarDay(text.slice(0, 'YYYY-MM-DD'.length));
const isCalendarDay = (day: string) => new Date(day).toISOString().startsWith(day);

/** A moment in the future (ISO 8601 with its offset), or `null` for none. */
export function FutureTime({ required, ...documented }: FieldOptions): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: 'string', format: 'date-time', nullable: true, required, ...documented }),
    Typed('string', (value) => typeof value === 'string' || value === null, required),
    Check(
      'not_a_time',
      'Must be a time such as 2030-01-31T12:00:00Z',
      ifString((text) => !isTime(text)),
    ),
    Check(
      'in_the_past',
      'Must be in the future',
      ifString((text) => isTime(text) && Date.parse(text) <= Date.now()),
    ),
  );
}

const isDate = (text: string) =>
  /^(?!0000)\d{4}-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text;

/** A day of the calendar, of no time zone. */
export function CalendarDate({ required, ...documented }: FieldOptions): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: 'string', format: 'date', required, ...documented }),
    Typed('string', (value) => typeof value === 'string', required),
    Check(
      'not_a_date',
      'Must be a date such as 2026-01-31',
      ifString((text) => !isDate(text)),
    ),
  );
}

/** The id of something of the caller's. That it exists is found out by the write. @param to what it may be one of */
export function Reference({ to, required, ...documented }: { to: string } & FieldOptions): PropertyDecorator {
  return applyDecorators(
    ApiProperty({
      type: 'integer',
      format: 'int64',
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      required,
      ...documented,
    }),
    Typed('integer', Number.isInteger, required),
    Check(
      'not_found',
      `Is not one of ${to}`,
      (value) => Number.isInteger(value) && !(Number.isSafeInteger(value) && Number(value) > 0),
    ),
  );
}

const isIds = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((id) => Number.isSafeInteger(id));

/** Ids of things of the caller's. That they exist is found out by the write. */
export function Ids({ maxItems, required, ...documented }: { maxItems: number } & FieldOptions): PropertyDecorator {
  return applyDecorators(
    ApiProperty({
      type: 'array',
      items: { type: 'integer', format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
      maxItems,
      required,
      ...documented,
    }),
    Typed('array', Array.isArray, required),
    Check('invalid_type', 'Must be an array of ids', (value) => Array.isArray(value) && !isIds(value), {
      expected: 'array',
    }),
    Check('too_many', `Must have at most ${maxItems} ids`, (value) => isIds(value) && value.length > maxItems, {
      max: maxItems,
    }),
  );
}

/** Stands for what should be an array and is none. */
const NO_ARRAY: never[] = [];

/**
 * An array of objects, each checked by itself. Of too many, the first ones are read, up to one more than there may be; of
 * what is no object, all fields are missing.
 */
export function Items({
  of,
  maxItems,
  description,
}: {
  of: () => new () => object;
  maxItems: number;
  description: string;
}): PropertyDecorator {
  const read = (value: unknown) =>
    Array.isArray(value)
      ? value.slice(0, maxItems + 1).map((item) => (isPlainObject(item) ? item : new (of())()))
      : NO_ARRAY;
  return applyDecorators(
    ApiProperty({ type: () => [of()], maxItems, required: false, description }),
    Transform(({ value }: { value: unknown }) => (value === undefined ? value : read(value))),
    Type(of),
    MayBeMissing(),
    ValidateNested(),
    Check('invalid_type', 'Must be an array of objects', (value) => value === NO_ARRAY, { expected: 'array' }),
  );
}

interface Bounds {
  min: number;
  max: number;
}

/** @returns a number of a query, clamped to its bounds; NaN if it is none */
const parseInteger = (value: unknown, { min, max }: Bounds) =>
  typeof value === 'string' && /^-?\d+$/.test(value) ? Math.min(Math.max(Number(value), min), max) : NaN;

const schemaOfIntegers = ({ min, max }: Bounds) =>
  ({ type: 'integer', format: max > 2 ** 31 ? 'int64' : 'int32', minimum: min, maximum: max }) as const;

/** A whole number in a query, clamped to its bounds. */
export function IntegerQuery(bounds: Bounds & { default?: number; description: string }): PropertyDecorator {
  return applyDecorators(
    ApiProperty({
      ...schemaOfIntegers(bounds),
      ...('default' in bounds && { default: bounds.default }),
      required: false,
      description: bounds.description,
    }),
    Transform(({ value }: { value: unknown }) => (value === undefined ? value : parseInteger(value, bounds))),
    Check('not_an_integer', 'Must be an integer', Number.isNaN),
  );
}

/** The values of a parameter that may be repeated; empty ones are none. */
const valuesOf = (value: unknown) => (Array.isArray(value) ? value : [value]).filter((one) => one !== '');

const orNone = <Value>(values: Value[]) => (values.length === 0 ? undefined : values);

const TooMany = (max: number) =>
  Check('too_many', `Must be there at most ${max} times`, (value) => Array.isArray(value) && value.length > max, {
    max,
  });

/** A whole number in a query that may be repeated, clamped to its bounds. */
export function IntegersQuery(bounds: Bounds & { maxItems: number; description: string }): PropertyDecorator {
  const { maxItems, description } = bounds;
  return applyDecorators(
    ApiProperty({ type: 'array', items: schemaOfIntegers(bounds), maxItems, required: false, description }),
    Transform(({ value }: { value: unknown }) =>
      value === undefined ? value : orNone(valuesOf(value).map((one) => parseInteger(one, bounds))),
    ),
    OfAnyType(),
    MayBeMissing(),
    Check('not_an_integer', 'Must be an integer', (value) => Array.isArray(value) && value.some(Number.isNaN)),
    TooMany(maxItems),
  );
}

/** A text in a query that may be repeated. @param read makes a value of it, or none */
export function Repeated({
  maxItems,
  description,
  read,
}: {
  maxItems: number;
  description: string;
  read: (text: string) => string | undefined;
}): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: 'array', items: { type: 'string' }, maxItems, required: false, description }),
    Transform(({ value }: { value: unknown }) =>
      value === undefined
        ? value
        : orNone(valuesOf(value).flatMap((one) => (typeof one === 'string' ? (read(one) ?? []) : one))),
    ),
    OfAnyType(),
    MayBeMissing(),
    TooMany(maxItems),
  );
}

/** A cursor, opaque to clients. */
const CursorOf = (description: string): PropertyDecorator =>
  applyDecorators(
    ApiProperty({ type: 'string', maxLength: MAX_CURSOR, required: false, description }),
    MayBeMissing(),
    Check('invalid_cursor', NOT_A_CURSOR, (value) => typeof value !== 'string' || value.length > MAX_CURSOR),
  );

/** A cursor of a list that is read page after page; empty for the first page. */
export const Cursor = () =>
  CursorOf(
    'Reads the list from cursor to cursor: empty for the first page, then the `X-Next-Cursor` of the page before. ' +
      'No row that comes or goes meanwhile is seen twice or makes another be missed. There is no total then, and `page` is ignored',
  );

/** A cursor of changes. */
export const Since = () =>
  CursorOf('The `next` of the response that you had last. If omitted, everything comes from the beginning');

const MAX_CURSOR = 1_000;

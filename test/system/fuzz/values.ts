import * as fc from 'fast-check';
import { document, type Schema } from '../../harness/document.js';

/**
 * Values for bodies and parameters. What JSON.stringify can't write, and what is known only when the request is sent,
 * stands as a text between tildes and is put in by `resolve()`.
 */

/** Days and moments that are none, or at the ends of what there is. */
const ODD_TIMES = [
  '2026-02-30',
  '2027-02-29',
  '0000-01-01',
  '0001-01-01',
  '9999-12-31',
  '10000-01-01',
  '-2026-01-01',
  '2026-1-1',
  '2026-01-01T00:00:00Z',
  'infinity',
  'now',
  'epoch',
  '2030-02-30T12:00:00Z',
  '2030-01-31T24:00:00Z',
  '2030-01-31T12:00:00+99:99',
  '2030-12-31T23:59:60Z',
  '9999-12-31T23:59:59.999Z',
  '9999-12-31T23:59:59-23:59',
  '+275760-09-13T00:00:00Z',
];

/** Texts with characters that can't be stored, seen or paired. */
const ODD_CHARACTERS = [
  '\0',
  'a\0b',
  '\u001f',
  '\u0085',
  '\u200b',
  '\u202e',
  '\ufeff',
  '\ufffe',
  '\uffff',
  '\ud83d',
  '\ude00',
  '\ude00\ud83d',
];

/** Texts that have broken services. */
const INFAMOUS = [
  '',
  ' ',
  '\t\r\n',
  '\u{10ffff}',
  '\u{1d160}',
  '\ufdfa',
  '\u0958',
  'İıſß\u0345',
  'a'.repeat(31),
  '🚀'.repeat(101),
  'e\u0301'.repeat(40),
  '\u0301'.repeat(500),
  'x'.repeat(10_001),
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'then',
  'null',
  'undefined',
  'NaN',
  'Infinity',
  'true',
  '0',
  '-1',
  '1e3',
  '0x10',
  '1,2,,3',
  '[object Object]',
  "' or 1=1 --",
  "'; drop table tags; --",
  '$1',
  '%',
  '_',
  '\\',
  '\\u0000',
  '%00',
  '%s%n',
  '../../etc/passwd',
  '<script>alert(1)</script>',
  '${7*7}{{7*7}}',
];

/** Numbers that JSON.stringify writes in another way or not at all. */
const ODD_NUMBERS = [
  '0',
  '-0',
  '2.0',
  '1E2',
  '0.1',
  '1e-400',
  '1e999',
  '-1e999',
  '2147483647',
  '2147483648',
  '-2147483649',
  '9007199254740991',
  '9007199254740993',
  '9223372036854775808',
  '99999999999999999999999999',
];

/** Texts that people would send, few enough to meet again. */
const WORDS = [
  'Launch',
  'launch',
  'LAUNCH',
  'Straße',
  'STRASSE',
  'caf\u00e9',
  'cafe\u0301',
  'a',
  'b',
  'a,b',
  '🚀',
  '🇩🇪',
];

/** All of Unicode, and halves of surrogate pairs. */
const anyText = (maxLength: number) =>
  fc.oneof(
    fc.string({ unit: 'binary', maxLength }),
    fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)), maxLength }),
  );

export const hostileText = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...ODD_CHARACTERS) },
  { weight: 2, arbitrary: fc.constantFrom(...INFAMOUS) },
  { weight: 1, arbitrary: fc.constantFrom(...ODD_TIMES) },
  { weight: 1, arbitrary: anyText(40) },
);

const KEYS = ['__proto__', 'constructor', 'prototype', 'id', 'user_id', 'wins_count', 'access_token', 'toString', ''];
const hostileKey = fc.oneof(fc.constantFrom(...KEYS), anyText(5));

/** Every type of JSON, shallow and deep. */
export const hostile: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(null, true, false, [], {}),
  hostileText,
  fc.constantFrom(...ODD_NUMBERS).map((text) => `~raw.${text}~`),
  fc.double(),
  fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }),
  fc.dictionary(hostileKey, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 }),
  fc.array(hostileText, { maxLength: 60 }),
  fc.constantFrom(5, 18, 19, 50, 20_000).map((depth) => `~deep.${depth}~`),
);

/** What a schema allows, with something hostile in every so many places. */
export function fromSchema(schema: Schema, name = ''): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 19, arbitrary: valid(schema, name) }, { weight: 1, arbitrary: hostile });
}

function valid(schema: Schema, name: string): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) return valid(document.components.schemas[schema.$ref.split('/').at(-1)!]!, name);
  if (schema.oneOf !== undefined) return fc.oneof(...schema.oneOf.map((choice) => fromSchema(choice, name)));
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const [type, ...others] = [schema.type].flat();
  const value = ofType(type, schema, name);
  return others.includes('null') ? fc.option(value) : value;
}

function ofType(type: string | undefined, schema: Schema, name: string): fc.Arbitrary<unknown> {
  switch (type) {
    case 'object':
      return object(schema);
    case 'array':
      return fc.array(fromSchema(schema.items!, name), { maxLength: 5 });
    case 'integer':
      return name.endsWith('_id') ? reference(`${name.slice(0, -3)}s`) : integer(schema);
    default:
      return string(schema);
  }
}

function object({ properties = {}, required = [] }: Schema): fc.Arbitrary<unknown> {
  const fields = Object.entries(properties).map(([name, property]) => {
    const value = fromSchema(property, name).map((some) => [[name, some]]);
    return fc.oneof(
      { weight: required.includes(name) ? 30 : 2, arbitrary: value },
      { weight: 1, arbitrary: fc.constant([]) },
    );
  });
  const unknown = fc.oneof(
    { weight: 9, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(fc.tuple(hostileKey, hostile), { minLength: 1, maxLength: 2 }) },
  );
  return fc.tuple(...fields, unknown).map((parts): unknown => Object.fromEntries(parts.flat()));
}

function integer({ minimum = -(2 ** 31), maximum = 2 ** 31 - 1 }: Schema): fc.Arbitrary<unknown> {
  return fc.oneof(fc.integer({ min: Math.max(minimum, -5), max: 5 }), fc.integer({ min: minimum, max: maximum }));
}

function string({ format, example, minLength = 0, maxLength = 60 }: Schema): fc.Arbitrary<unknown> {
  const examples = [example].flat().filter((value) => typeof value === 'string');
  const known = examples.length === 0 ? fc.constantFrom(...WORDS) : fc.constantFrom(...examples);
  if (format !== undefined) {
    const days =
      format === 'date'
        ? date('0001-01-01', '9999-12-31').map((day) => day.slice(0, 10))
        : date('2030-01-01', '9999-12-31');
    return fc.oneof(
      { weight: 3, arbitrary: known },
      { weight: 2, arbitrary: days },
      { weight: 1, arbitrary: fc.constantFrom(...ODD_TIMES) },
    );
  }
  const length = { minLength, maxLength };
  const unit = fc.constantFrom('a', 'B', 'é', '1', ' ', '-', '😀');
  return fc.oneof(
    { weight: 3, arbitrary: known },
    { weight: 3, arbitrary: fc.constantFrom(...WORDS) },
    { weight: 2, arbitrary: fc.string({ unit, minLength, maxLength: Math.min(maxLength, 5) }) },
    { weight: 2, arbitrary: fc.string({ unit: 'grapheme', ...length, size: 'small' }) },
    { weight: 2, arbitrary: fc.string({ unit: 'binary', ...length, size: 'small' }) },
    { weight: 1, arbitrary: fc.constant('x'.repeat(maxLength)) },
    { weight: 2, arbitrary: hostileText },
  );
}

const date = (min: string, max: string) =>
  fc.date({ min: new Date(min), max: new Date(max), noInvalidDate: true }).map((day) => day.toISOString());

/** The id of a row of the sender's own, more rarely of somebody else's. */
export const reference = (resource: string) =>
  fc
    .tuple(
      fc.oneof({ weight: 6, arbitrary: fc.constant('own') }, { weight: 1, arbitrary: fc.constant('other') }),
      fc.nat(9),
    )
    .map(([whose, place]) => `~${whose}.${resource}.${place}~`);

/** The text with its tildes resolved. @param idOf the id of a row */
export function resolve(text: string, idOf: (whose: string, resource: string, place: number) => number): string {
  if (!text.includes('~')) return text;
  return text
    .replaceAll(/"~raw\.([^~"]*)~"/g, '$1')
    .replaceAll(/"~deep\.(\d+)~"/g, (_, depth: string) => '['.repeat(Number(depth)) + ']'.repeat(Number(depth)))
    .replaceAll(/~many\.(\d+)\.([^~]*)~/g, (_, count: string, what: string) => what.repeat(Number(count)))
    .replaceAll(/"?~(own|other)\.(\w+)\.(\d)~"?/g, (_, whose: string, resource: string, place: string) =>
      String(idOf(whose, resource, Number(place))),
    );
}

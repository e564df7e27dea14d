/** The text as JSON escapes, so that a test's title shows what can't be seen. */
export const visibly = (text: string) => JSON.stringify(text).replace(/[^\x20-\x7e]/gu, escape);

const escape = (character: string) => `\\u{${character.codePointAt(0)!.toString(16)}}`;

/** White space as Unicode has it, which is more than `trim()` knows. */
export const PADDINGS = [' ', '\t', '\r\n', '\u0085', '\u00a0', '\u1680', '\u2003', '\u2028', '\u2029', '\u3000'];

/** Names of which nothing can be seen, though most are not white space. */
export const BLANK_NAMES = [
  '',
  ' ',
  '\u0085\u00a0\u3000',
  '\u200b\u200b',
  '\u200d',
  '\u00ad',
  '\u034f',
  '\u061c',
  '\u115f',
  '\u180e',
  '\u202e',
  '\u2060',
  '\u2800',
  '\u3164',
  '\ufe0f',
  '\ufeff',
  '\u{e0020}',
];

/** Names with a control character or half of a surrogate pair in them. */
export const FORBIDDEN_NAMES = [
  'a\u0000b',
  'a\u0001b',
  'a\tb',
  'a\nb',
  'a\u001fb',
  'a\u007fb',
  'a\u0085b',
  'a\u009fb',
  'a\ud83d',
  '\ude00a',
];

/** Names with a line separator or a mark of direction in them. */
export const REORDERED_NAMES = ['a\u2028b', 'a\u2029b', 'a\u202eb', 'a\u2067b'];

/** Names that look odd and are fine, as sent and as stored. */
export const ODD_NAMES: [sent: string, stored: string][] = [
  ['one, two', 'one, two'],
  ['a  b', 'a  b'],
  ['100% "sure" \\o/ <b>', '100% "sure" \\o/ <b>'],
  ['👨\u200d👩\u200d👧', '👨\u200d👩\u200d👧'],
  ['नमस्ते', 'नमस्ते'],
  ['שלום', 'שלום'],
  ['cafe\u0301', 'caf\u00e9'],
  ['\u212b', '\u00c5'],
  ["'; drop table tags; --", "'; drop table tags; --"],
];

/** What stands in the place of a text and is none: nothing is turned into one. */
export const NOT_TEXTS = [123, 0, true, false, null, ['a'], [], { a: 1 }, {}];

/** Bodies in which no wrapper `key` holds an object. */
export const bodiesWithout = (key: string): [string, unknown][] =>
  [
    { [key]: 5 },
    { [key]: 'x' },
    { [key]: true },
    { [key]: null },
    { [key]: [] },
    { [key]: [{ name: 'x' }] },
    {},
    { name: 'x' },
    [],
    [{ [key]: { name: 'x' } }],
    null,
    'x',
    5,
    true,
  ].map((body) => [JSON.stringify(body), body]);

/** Not in any text: control characters. */
const CONTROL = /\p{Cc}/u;
const CONTROL_BUT_LINES = /[^\P{Cc}\t\n\r]/u;
/** Not inside a name: what begins a line, and what makes a name read in another order than it is written. */
const REORDERS_OR_BREAKS = /[\u2028\u2029\u202A-\u202E\u2066-\u2069]/;
/** A character that leaves a mark: no space, no control, no format character, nothing that is drawn as nothing. */
const VISIBLE = /[^\p{White_Space}\p{Cc}\p{Cf}\p{Cs}\p{Cn}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Marks in a row that a text may have: Unicode's Stream-Safe Text Format (UAX #15), which no language exceeds. */
const MAX_MARKS = 30;
const TOO_MANY_MARKS = new RegExp(`\\p{M}{${MAX_MARKS + 1}}`, 'u');

/**
 * What is invisible and yet means something, where it stands: variation selectors behind what they vary, tags of a flag,
 * joiners within an emoji or between letters of scripts that join.
 */
const MEANT = [
  '(?<=[#*0-9])\\uFE0F(?=\\u20E3)',
  '(?<=(?![#*0-9\\p{Emoji_Presentation}])\\p{Emoji})[\\uFE0E\\uFE0F]',
  '(?<=\\p{Emoji_Presentation})\\uFE0E',
  '(?<=\\p{Extended_Pictographic}[\\uFE0F\\p{Emoji_Modifier}]?)\\u200D(?=\\p{Extended_Pictographic})',
  '(?<=\\u{1F3F4})[\\u{E0020}-\\u{E007E}]{1,8}\\u{E007F}',
  '(?<=\\p{Script=Han})[\\uFE00-\\uFE0F\\u{E0100}-\\u{E01EF}]',
  '(?<=\\p{Script=Mongolian})[\\u180B-\\u180F]',
  '(?<=(?![\\p{scx=Latn}\\p{scx=Grek}\\p{scx=Cyrl}\\p{scx=Hani}\\p{scx=Hang}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Hebr}])' +
    '[\\p{L}\\p{M}])[\\u200C\\u200D](?=[\\p{L}\\p{M}])',
];
const INVISIBLE = '(?![\\u202A-\\u202E\\u2066-\\u2069])[\\p{Default_Ignorable_Code_Point}\\uFFF9-\\uFFFB]';
const HAS_INVISIBLE = new RegExp(INVISIBLE, 'u');
const MEANT_OR_INVISIBLE = new RegExp(`(${MEANT.join('|')})|${INVISIBLE}`, 'gu');
/** Spaces that look like one. */
const LIKE_A_SPACE = /[\u00A0\u2000-\u200A\u202F\u205F]/g;

/** A name of printable ASCII without a space at its ends is in its normal form already. */
const PLAIN = /^[\x21-\x7E](?:[\x20-\x7E]*[\x21-\x7E])?$/;
/** What a name does not begin or end with. */
const AT_ENDS = /[\p{White_Space}\u202A-\u202E\u2066-\u2069\u2800]/u;
/** No normal form is shorter than its text by more: code units to a code point. */
const MAX_CONTRACTION = 8;

/**
 * The normal form of a name, so that no two names look the same: without invisible characters that mean nothing where
 * they are, without white space or marks of direction at its ends, composed (NFC). A text that can't have a normal form
 * of at most `max` code points is only trimmed: what is refused anyway must cost nothing.
 */
export function normalizeName(text: string, max: number): string {
  if (PLAIN.test(text)) return text;
  const trimmed = text.trim();
  if (trimmed.length > max * MAX_CONTRACTION) return trimmed;
  const seen = (HAS_INVISIBLE.test(trimmed) ? trimmed.replace(MEANT_OR_INVISIBLE, '$1') : trimmed).replace(
    LIKE_A_SPACE,
    ' ',
  );
  let start = 0;
  let end = seen.length;
  while (start < end && AT_ENDS.test(seen[start]!)) start++;
  while (end > start && AT_ENDS.test(seen[end - 1]!)) end--;
  return seen.slice(start, end).normalize('NFC');
}

/** Whether a text is nothing but white space. */
export const isEmpty = (text: string) => /^\p{White_Space}*$/u.test(text);

/** Whether a text has more than `max` characters, as people and PostgreSQL count them: Unicode code points. */
export function isLonger(text: string, max: number): boolean {
  if (text.length <= max) return false;
  if (text.length > 2 * max) return true;
  let count = 0;
  for (const _ of text) count++;
  return count > max;
}

/** Whether nothing of the text could be seen. */
export const isBlank = (text: string) => !VISIBLE.test(text);

const forbiddenAnywhere = (text: string) => {
  if (!text.isWellFormed()) return 'control characters';
  return TOO_MANY_MARKS.test(text) ? `more than ${MAX_MARKS} combining marks in a row` : undefined;
};

/** What a text has that it must not: control characters, half of a surrogate pair, too many marks. @returns its name */
export const forbiddenIn = (text: string) => (CONTROL.test(text) ? 'control characters' : forbiddenAnywhere(text));

/** The same for text of many lines, where tabs and line breaks belong. */
export const forbiddenInLines = (text: string) =>
  CONTROL_BUT_LINES.test(text) || !text.isWellFormed()
    ? 'control characters other than tabs and line breaks'
    : forbiddenAnywhere(text);

/** The same for names, which have no line breaks of any kind and are read as they are written. */
export const forbiddenInName = (text: string) =>
  REORDERS_OR_BREAKS.test(text) ? 'line separators or marks of direction' : forbiddenIn(text);

/** Built when it is first needed: that takes 15 ms. The v flag is younger than the compiler's target. */
let rgiEmoji: RegExp | undefined;
/** An emoji that is drawn as text unless U+FE0F follows; keyboards and copying often drop that. */
const UNQUALIFIED =
  /(?:(?![#*0-9])(?!\p{Emoji_Presentation})\p{Emoji}|[#*0-9](?=\u20E3))(?![\uFE0F\p{Emoji_Modifier}])/gu;

/** Whether the text is exactly one emoji as people see it: a flag, a keycap, a skin tone or a family count as one. */
export function isEmoji(text: string): boolean {
  if (text.length > 64) return false;
  rgiEmoji ??= new RegExp('^\\p{RGI_Emoji}$', 'v');
  return rgiEmoji.test(text) || rgiEmoji.test(text.replace(UNQUALIFIED, '$&\uFE0F'));
}

/** The last moment that the API's format has room for: later years have more than four digits. */
export const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z');

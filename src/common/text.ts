const WHITE_SPACE = /\p{White_Space}/u;
const CONTROL = /\p{Cc}/u;
const CONTROL_BUT_LINES = /[^\P{Cc}\t\n\r]/u;
/** A character that leaves a mark: no space, no control, no format character, nothing that is drawn as nothing. */
const VISIBLE = /[^\p{White_Space}\p{Cc}\p{Cf}\p{Cs}\p{Cn}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Takes white space off both ends (Unicode's, which is more than `trim()` knows) and composes (NFC). */
export function normalizeName(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && WHITE_SPACE.test(text[start]!)) start++;
  while (end > start && WHITE_SPACE.test(text[end - 1]!)) end--;
  return text.slice(start, end).normalize('NFC');
}

/** The length as people and PostgreSQL count it: in Unicode code points. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Whether nothing of the text could be seen. */
export const isBlank = (text: string) => !VISIBLE.test(text);

/** Whether the text has control characters or half of a surrogate pair. */
export const hasForbiddenCharacter = (text: string) => CONTROL.test(text) || !text.isWellFormed();

/** The same for text of many lines, where tabs and line breaks belong. */
export const hasForbiddenCharacterInLines = (text: string) => CONTROL_BUT_LINES.test(text) || !text.isWellFormed();

// The v flag is younger than the compiler's target, so the pattern is built at run time.
const RGI_EMOJI = new RegExp('^\\p{RGI_Emoji}$', 'v');
/** An emoji that is drawn as text unless U+FE0F follows; keyboards and copying often drop that. */
const UNQUALIFIED =
  /(?:(?![#*0-9])(?!\p{Emoji_Presentation})\p{Emoji}|[#*0-9](?=\u20E3))(?![\uFE0F\p{Emoji_Modifier}])/gu;

/** Whether the text is exactly one emoji as people see it: a flag, a keycap, a skin tone or a family count as one. */
export const isEmoji = (text: string) =>
  text.length <= 64 && (RGI_EMOJI.test(text) || RGI_EMOJI.test(text.replace(UNQUALIFIED, '$&\uFE0F')));

/** The last moment that the API's format has room for: later years have more than four digits. */
export const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z');

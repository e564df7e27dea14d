import {
  codePoints,
  hasForbiddenCharacter,
  hasForbiddenCharacterInLines,
  isBlank,
  isEmoji,
  normalizeName,
} from './text.js';

describe('normalizeName', () => {
  it('takes white space off both ends only', () => {
    expect(normalizeName(' \t\n\u0085\u00a0\u2028\u3000a  b\u3000\u2028\u00a0\u0085\r\n')).toBe('a  b');
  });

  it('leaves nothing of white space alone', () => {
    expect(normalizeName(' \u00a0\u3000')).toBe('');
  });

  it('composes', () => {
    expect(normalizeName('cafe\u0301')).toBe('caf\u00e9');
  });

  it('takes time in proportion to the text, wherever its white space is', () => {
    const text = `a${' '.repeat(500_000)}b`;
    expect(normalizeName(text)).toBe(text);
  });
});

describe('codePoints', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['😀😀', 2],
    ['👨\u200d👩', 3],
    ['e\u0301', 2],
    ['\ud83d', 1],
  ])('counts %j as %i', (text, count) => {
    expect(codePoints(text)).toBe(count);
  });
});

describe('isBlank', () => {
  it.each(['', ' ', '\u200b', '\u200d\ufe0f', '\u2800', '\u3164', '\u{e0020}', '\u0000', '\ud800'])(
    'sees nothing in %j',
    (text) => {
      expect(isBlank(text)).toBe(true);
    },
  );

  it.each(['a', '.', '😀', '\u200ba', '\u0301', '漢', '1\ufe0f\u20e3'])('sees something in %j', (text) => {
    expect(isBlank(text)).toBe(false);
  });
});

describe('hasForbiddenCharacter', () => {
  it.each(['a\u0000', '\u001f', 'a\nb', 'a\tb', '\u007f', '\u0085', '\u009f', 'a\ud83d', '\ude00a'])(
    'refuses %j',
    (text) => {
      expect(hasForbiddenCharacter(text)).toBe(true);
    },
  );

  it.each(['', 'a', '😀', '\u200d', '\u00a0', '\u2028'])('lets %j pass', (text) => {
    expect(hasForbiddenCharacter(text)).toBe(false);
  });
});

describe('hasForbiddenCharacterInLines', () => {
  it('lets tabs and line breaks pass, and no other control character', () => {
    expect(hasForbiddenCharacterInLines('a\tb\r\nc\n😀')).toBe(false);
    for (const text of ['\u0000', '\u000b', '\u000c', '\u001b', '\u007f', '\u0085', '\ud83d']) {
      expect([text, hasForbiddenCharacterInLines(text)]).toEqual([text, true]);
    }
  });
});

describe('isEmoji', () => {
  it.each(['🚀', '❤', '❤\ufe0f', '🇩🇪', '1\u20e3', '👍🏽', '🏳\u200d🌈', '👨\u200d👩\u200d👧\u200d👦'])(
    'takes %s',
    (text) => {
      expect(isEmoji(text)).toBe(true);
    },
  );

  it.each(['', 'a', '1', '#', ' 🚀', '🚀🚀', '🇩', '🇽🇽', '\ufe0f', '\u200d', '🚀'.repeat(50_000)])(
    'refuses %#',
    (text) => {
      expect(isEmoji(text)).toBe(false);
    },
  );
});

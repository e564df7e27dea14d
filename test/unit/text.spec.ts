import {
  forbiddenIn,
  forbiddenInLines,
  forbiddenInName,
  isBlank,
  isEmoji,
  isLonger,
  normalizeName,
} from '../../src/common/text.js';

describe('normalizeName', () => {
  it('takes white space off both ends only', () => {
    expect(normalizeName(' \t\n\u0085\u00a0\u2028\u3000a  b\u3000\u2028\u00a0\u0085\r\n', 30)).toBe('a  b');
  });

  it('leaves nothing of white space alone', () => {
    expect(normalizeName(' \u00a0\u3000', 30)).toBe('');
  });

  it('composes', () => {
    expect(normalizeName('cafe\u0301', 30)).toBe('caf\u00e9');
  });

  it.each([
    ['a zero width space', 'a\u200bb'],
    ['a soft hyphen', 'a\u00adb'],
    ['a word joiner', 'a\u2060b'],
    ['a byte order mark', '\ufeffa\ufeffb'],
    ['a joiner that joins nothing', 'a\u200db\u200c'],
    ['a Mongolian vowel separator between other letters', 'a\u180eb'],
    ['a Hangul filler', 'a\u3164b\u115f'],
    ['a selector that selects nothing', 'a\ufe0fb\u{e0100}'],
    ['a grapheme joiner', 'a\u034fb'],
    ['tags of no flag', 'a\u{e0067}b\u{e007f}'],
    ['marks of direction at its ends', '\u202a\u2068ab\u2069\u202c\u200f'],
    ['a Braille blank at its end', 'ab\u2800'],
  ])('drops %s', (_, text) => {
    expect(normalizeName(text, 30)).toBe('ab');
  });

  it('makes one space of all that look like it', () => {
    const spaces = [
      '\u00a0',
      '\u202f',
      '\u205f',
      ...Array.from({ length: 11 }, (_, n) => String.fromCodePoint(0x2000 + n)),
    ];
    for (const space of spaces) expect([space, normalizeName(`a${space}b`, 30)]).toEqual([space, 'a b']);
  });

  it.each([
    '❤\ufe0f',
    '❤\ufe0e',
    '1\ufe0f\u20e3',
    '👨\u200d👩\u200d👧',
    '🏳\ufe0f\u200d🌈',
    '👩🏽\u200d🚀',
    '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
    'می\u200cخواهم',
    'क\u094d\u200dष',
    '葛\u{e0100}',
    'ᠮ\u180b',
  ])('leaves %s whole', (text) => {
    expect(normalizeName(text, 30)).toBe(text);
  });

  it('composes nothing that is too long in any case', () => {
    const text = 'e\u0301'.repeat(300);
    expect(normalizeName(text, 30)).toBe(text);
    expect(isLonger(text, 30)).toBe(true);
  });

  it('composes what contracts most', () => {
    expect(normalizeName('\u03b1\u0313\u0300\u0345'.repeat(30), 30)).toBe('\u1f82'.repeat(30));
    expect(normalizeName(`a${'\u200b'.repeat(7)}`.repeat(30), 30)).toBe('a'.repeat(30));
  });
});

describe('isLonger', () => {
  it.each([
    ['', 0, false],
    ['abc', 3, false],
    ['abc', 2, true],
    ['😀😀', 2, false],
    ['😀😀', 1, true],
    ['👨\u200d👩', 3, false],
    ['e\u0301', 1, true],
    ['\ud83d', 1, false],
  ])('counts the code points of %j: more than %i is %s', (text, max, is) => {
    expect(isLonger(text, max)).toBe(is);
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

describe('forbiddenIn', () => {
  it.each(['a\u0000', '\u001f', 'a\nb', 'a\tb', '\u007f', '\u0085', '\u009f', 'a\ud83d', '\ude00a'])(
    'refuses %j',
    (text) => {
      expect(forbiddenIn(text)).toBeDefined();
    },
  );

  it.each(['', 'a', '😀', '\u200d', '\u00a0', '\u2028'])('lets %j pass', (text) => {
    expect(forbiddenIn(text)).toBeUndefined();
  });
});

describe('forbiddenInName', () => {
  it.each(['a\u202eb', 'a\u2066b\u2069', 'a\u2028b', 'a\u2029b', 'a\u0085b', `a${'\u0301'.repeat(31)}`])(
    'refuses %j',
    (text) => {
      expect(forbiddenInName(text)).toBeDefined();
    },
  );

  it.each(['a b', 'שלום', `a${'\u0301'.repeat(30)}`])('lets %j pass', (text) => {
    expect(forbiddenInName(text)).toBeUndefined();
  });
});

describe('forbiddenInLines', () => {
  it('lets tabs and line breaks pass, and no other control character', () => {
    expect(forbiddenInLines('a\tb\r\nc\n😀')).toBeUndefined();
    for (const text of ['\u0000', '\u000b', '\u000c', '\u001b', '\u007f', '\u0085', '\ud83d']) {
      expect([text, forbiddenInLines(text)]).toEqual([text, 'control characters other than tabs and line breaks']);
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

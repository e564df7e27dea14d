import { createToken, digestOf, isToken, userIdOf } from '../../src/auth/token.js';

describe('createToken', () => {
  it('makes what secret scanners find and no two alike', () => {
    const tokens = Array.from({ length: 100 }, () => createToken());
    for (const token of tokens) expect(token).toMatch(/^wins_[0-9a-f]{64}$/);
    expect(new Set(tokens).size).toBe(100);
  });
});

describe('userIdOf', () => {
  it.each([0, 1, 255, 2 ** 53 - 1])('tells user %d from the token', (userId) => {
    expect(userIdOf(createToken(userId))).toBe(userId);
  });

  it('knows that a token of version 0.1.0 has none', () => {
    expect(userIdOf(`wins_${'f'.repeat(64)}`)).toBeUndefined();
  });
});

describe('isToken', () => {
  it('knows every token that was made', () => {
    expect(Array.from({ length: 1000 }, () => createToken()).every(isToken)).toBe(true);
  });

  it('refuses a token with any one digit wrong', () => {
    const token = createToken();
    for (let i = 'wins_'.length; i < token.length; i++) {
      const wrong = token.slice(0, i) + (token[i] === '0' ? '1' : '0') + token.slice(i + 1);
      expect([i, isToken(wrong)]).toEqual([i, false]);
    }
  });

  it('refuses any two neighbours that changed places', () => {
    const token = createToken();
    for (let i = 'wins_'.length; i < token.length - 1; i++) {
      const swapped = token.slice(0, i) + token[i + 1] + token[i] + token.slice(i + 2);
      expect([i, isToken(swapped)]).toEqual([i, swapped === token]);
    }
  });

  it('refuses what only resembles a token', () => {
    const token = createToken();
    const resembling = [
      '',
      'wins_',
      token.slice(0, -1),
      `${token}0`,
      ` ${token}`,
      `${token}\n`,
      token.toUpperCase(),
      'null',
    ];
    expect(resembling.filter(isToken)).toEqual([]);
  });
});

describe('digestOf', () => {
  it('is the SHA-256', () => {
    expect(digestOf('abc').toString('hex')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});

import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * `wins_`, then the user's id, 20 random bytes and a CRC-32 in hex: a pattern that secret scanners can search for. With the
 * id, a token is looked up where its user's rows are.
 */
const TOKEN = /^wins_[0-9a-f]{64}$/;
const ID_DIGITS = 16;
const RANDOM_BYTES = 20;
const CHECKSUM_DIGITS = 8;

const checksum = (text: string) => crc32(text).toString(16).padStart(CHECKSUM_DIGITS, '0');

/** A new token. It is shown once; only its digest is stored. @param userId of its user */
export function createToken(userId = 0): string {
  const start = `wins_${userId.toString(16).padStart(ID_DIGITS, '0')}${randomBytes(RANDOM_BYTES).toString('hex')}`;
  return start + checksum(start);
}

/** The id of a token's user; `undefined` if it has none, as those of version 0.1.0. Some of these seem to have one. */
export function userIdOf(token: string): number | undefined {
  const id = Number.parseInt(token.slice('wins_'.length, 'wins_'.length + ID_DIGITS), 16);
  return Number.isSafeInteger(id) ? id : undefined;
}

/** Whether this could be a token. A typo fails the checksum, which saves a query. */
export function isToken(text: string): boolean {
  return TOKEN.test(text) && checksum(text.slice(0, -CHECKSUM_DIGITS)) === text.slice(-CHECKSUM_DIGITS);
}

/** The SHA-256 under which a token is stored. Looking tokens up by digest leaks nothing through timing. */
export const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();

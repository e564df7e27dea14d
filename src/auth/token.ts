import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** `wins_`, then 28 random bytes and a CRC-32 in hex: a pattern that secret scanners can search for. */
const TOKEN = /^wins_[0-9a-f]{64}$/;
const RANDOM_BYTES = 28;
const CHECKSUM_DIGITS = 8;

const checksum = (text: string) => crc32(text).toString(16).padStart(CHECKSUM_DIGITS, '0');

/** A new token. It is shown once; only its digest is stored. */
export function createToken(): string {
  const start = `wins_${randomBytes(RANDOM_BYTES).toString('hex')}`;
  return start + checksum(start);
}

/** Whether this could be a token. A typo fails the checksum, which saves a query. */
export function isToken(text: string): boolean {
  return TOKEN.test(text) && checksum(text.slice(0, -CHECKSUM_DIGITS)) === text.slice(-CHECKSUM_DIGITS);
}

/** The SHA-256 under which a token is stored. Looking tokens up by digest leaks nothing through timing. */
export const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();

import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** `wins_`, 28 random bytes and a CRC-32 of both, in hexadecimal digits: secret scanners find it by this pattern. */
const TOKEN = /^wins_[0-9a-f]{64}$/;
const RANDOM_BYTES = 28;
const CHECKSUM_DIGITS = 8;

const checksum = (text: string) => crc32(text).toString(16).padStart(CHECKSUM_DIGITS, '0');

/** A new token. It is shown once and never stored. */
export function createToken(): string {
  const start = `wins_${randomBytes(RANDOM_BYTES).toString('hex')}`;
  return start + checksum(start);
}

/** Whether this could be a token: a typo fails the checksum, and needs no look-up. */
export function isToken(text: string): boolean {
  return TOKEN.test(text) && checksum(text.slice(0, -CHECKSUM_DIGITS)) === text.slice(-CHECKSUM_DIGITS);
}

/** What is stored of a token: its SHA-256, 32 bytes. Looking it up by this leaves nothing to time. */
export const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();

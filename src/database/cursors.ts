import { hash } from 'node:crypto';
import { DatabaseError } from 'pg';
import { invalidField, NOT_A_CURSOR, type ValidationError } from '../common/errors.js';

/** A cursor is opaque to clients: the terms of the last row, and a digest of what the list was. */

/** @param field that it was sent in */
export const invalidCursor = (field = 'after'): ValidationError => invalidField(field, 'invalid_cursor', NOT_A_CURSOR);

const digestOf = (view: string) => hash('sha256', view, 'base64url').slice(0, 8);

export const writeCursor = (terms: string[], view: string): string =>
  Buffer.from(JSON.stringify([digestOf(view), ...terms])).toString('base64url');

/** @throws ValidationError if it was not written for this view */
export function readCursor(cursor: string, view: string, field?: string): string[] {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    throw invalidCursor(field);
  }
  if (!Array.isArray(parts) || parts.length < 2 || parts[0] !== digestOf(view)) throw invalidCursor(field);
  if (!parts.every((part): part is string => typeof part === 'string' && !part.includes('\0')))
    throw invalidCursor(field);
  return parts.slice(1);
}

/** A forged cursor has terms that PostgreSQL can't read (class 22). @returns what to do with an error */
export const asInvalidCursor =
  (field?: string) =>
  (error: unknown): never => {
    throw error instanceof DatabaseError && error.code?.startsWith('22') ? invalidCursor(field) : error;
  };

import { invalid } from '../http.js';

export const integer = { type: 'integer' } as const;
export const string = { type: 'string' } as const;
export const time = { type: 'string', format: 'date-time' } as const;

const digits = { type: 'string', pattern: '^-?\\d+$' } as const;
export const pageQuery = { type: 'object', properties: { page: digits, per_page: digits } } as const;

/** What `pageQuery` lets through. */
export interface PageQuery {
  Querystring: { page?: string; per_page?: string };
}

const clamp = (text: string, max: number) => Math.min(Math.max(Number(text), 1), max);

export function readPage({ page = '1', per_page = '25' }: PageQuery['Querystring']) {
  const [number, perPage] = [clamp(page, 2_147_483_647), clamp(per_page, 100)];
  return { page: number, perPage, offset: (number - 1) * perPage };
}

/** A name, trimmed and composed. */
export function readName(field: string, text: string, max: number): string {
  const name = text.trim().normalize('NFC');
  if (name === '') throw invalid(field, 'blank', 'must not be blank');
  if ([...name].length > max) throw invalid(field, 'too_long', `must have at most ${max} characters`);
  if (/\p{Cc}/u.test(name)) throw invalid(field, 'invalid_characters', 'must not have control characters');
  return name;
}

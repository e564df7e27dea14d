import ms, { type StringValue } from 'ms';

/**
 * Parses a duration such as `90d`: a number and one of `s m h d w y`, in lower case. Months have no fixed length, and
 * `6M` must not become six minutes, as `ms` would have it.
 *
 * @returns milliseconds; NaN for anything else, and for zero
 */
export function parseDuration(text: string): number {
  const duration = /^\d{1,9}(\.\d{1,9})?[smhdwy]$/.test(text) ? ms(text as StringValue) : NaN;
  return duration > 0 ? duration : NaN;
}

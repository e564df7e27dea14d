import ms, { type StringValue } from 'ms';

/**
 * A duration such as `90d`, in milliseconds: a number and one of `s m h d w y`, spelled so. A month has no fixed length,
 * and what reads like one (`6M`) must not become six minutes.
 *
 * @returns NaN for anything else, and for nothing at all (`0d`)
 */
export function parseDuration(text: string): number {
  const duration = /^\d{1,9}(\.\d{1,9})?[smhdwy]$/.test(text) ? ms(text as StringValue) : NaN;
  return duration > 0 ? duration : NaN;
}

/** @param sorted ascending @param share 0.5 for the median */
export const percentile = (sorted: number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? NaN) + (sorted[Math.ceil(middle)] ?? NaN)) / 2;
}

/** A number for people: three digits or more. */
export const show = (value: number): string =>
  Number.isNaN(value) ? '' : value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);

export const ratio = (a: number, b: number): string => (Number.isNaN(a / b) ? '' : (a / b).toFixed(2));

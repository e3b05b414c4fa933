/** @param share 0.5 for the median; of an even number of values the upper one of the two in the middle */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Three significant digits. */
export const rounded = (value: number): number => Number(value.toPrecision(3));

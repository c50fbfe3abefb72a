/** Series of a bar chart, and the scale that they need. */
export type Series = {
  readonly id: string;
  readonly label: string;
  readonly values: readonly number[];
  /** Refused and failed requests have the same colour on every chart. */
  readonly tone?: 'refused' | 'failed';
};

/** `id` of a series is the class of a status: `2`, `4` and so on. */
export function withStatusTones(series: readonly Series[]): Series[] {
  return series.map((one) => {
    if (one.id.startsWith('4')) return { ...one, tone: 'refused' };
    return one.id.startsWith('5') ? { ...one, tone: 'failed' } : one;
  });
}

/** The top of an axis: 1, 2 or 5 times a power of ten, and never below the largest value. */
export function axisTop(largest: number): number {
  if (largest <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(largest));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= largest) ?? 10;
  return step * power;
}

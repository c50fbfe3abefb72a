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
  return series.map((bars) => {
    if (bars.id.startsWith('4')) return { ...bars, tone: 'refused' };
    return bars.id.startsWith('5') ? { ...bars, tone: 'failed' } : bars;
  });
}

const TOPS = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];

/** The top of an axis: a round number that is at most a third above the largest value. */
export function axisTop(largest: number): number {
  if (largest <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(largest));
  const top = TOPS.map((factor) => factor * power).find(
    (value) => value >= largest && Number.isInteger(value),
  );
  return top ?? 10 * power;
}

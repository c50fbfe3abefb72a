// A share of weighted labels, with its confidence interval. A range of 65,536 addresses is one
// statement, so the interval uses the effective number of labels (Kish): (sum of weights)² / sum of
// squares.
import type { QualityRow } from './quality-row.ts';

/** 95% of a normal distribution lie within this many standard deviations. */
const Z = 1.96;

export class WeightedShare {
  #right = 0;
  #all = 0;
  #squares = 0;

  add(isRight: boolean, weight: number): void {
    this.#all += weight;
    this.#squares += weight * weight;
    if (isRight) this.#right += weight;
  }

  /** Undefined without labels, or with less than half of one: a share of nothing has no value. */
  finish(): Pick<QualityRow, 'value' | 'n' | 'interval'> | undefined {
    if (Math.round(this.#all) === 0) return undefined;
    const value = this.#right / this.#all;
    const interval = wilson(value, this.#all ** 2 / this.#squares);
    return {
      value: rounded(value),
      n: Math.round(this.#all),
      interval: [rounded(interval[0]), rounded(interval[1])],
    };
  }
}

/** Wilson's interval, which stays within 0 and 1 and is usable for few labels. */
function wilson(share: number, n: number): [low: number, high: number] {
  const scale = 1 + Z ** 2 / n;
  const middle = (share + Z ** 2 / (2 * n)) / scale;
  const half = (Z / scale) * Math.sqrt((share * (1 - share)) / n + Z ** 2 / (4 * n ** 2));
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}

export const rounded = (share: number): number => Math.round(share * 1e5) / 1e5;

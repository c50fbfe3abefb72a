/**
 * Rates of several candidates over the same texts. The candidates take turns within a round, so
 * that other load on the machine affects all of them alike; the result is the median of the rounds.
 */
import { performance } from 'node:perf_hooks';
import { median } from '@whence/testing/statistics';

export type Candidate = {
  readonly name: string;
  /**
   * Looks up every text and returns a sum over the results, so that no lookup can be optimised
   * away.
   */
  readonly run: (texts: readonly string[]) => number;
};

// A turn repeats the texts for at least this long: a single pass can take 20 ms, too short to be
// reliable.
const TURN_MS = 60;
const WARM_UP_PASSES = 4;

/**
 * Call it with all mixes before measuring the first. A server handles both families, and code
 * compiled for IPv4 only would be faster than it is there.
 */
export function warmUp(candidates: readonly Candidate[], texts: readonly string[]): void {
  for (const { run } of candidates) for (let pass = 0; pass < WARM_UP_PASSES; pass++) run(texts);
}

/** Texts per second, in the order of the candidates. */
export function measureRates(
  candidates: readonly Candidate[],
  texts: readonly string[],
  rounds: number,
): number[] {
  const sums = candidates.map(({ run }) => run(texts));
  const rates = candidates.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    globalThis.gc?.();
    candidates.forEach(({ name, run }, i) => {
      // Minor collection only: a full one before each turn would age the compiled code of the other
      // candidates.
      globalThis.gc?.(true);
      const started = performance.now();
      let passes = 0;
      let elapsedMs = 0;
      while (elapsedMs < TURN_MS) {
        if (run(texts) !== sums[i])
          throw new Error(`${name} returns different results for the same texts`);
        passes++;
        elapsedMs = performance.now() - started;
      }
      rates[i]?.push((passes * texts.length * 1000) / elapsedMs);
    });
  }
  return rates.map(median);
}

/**
 * Several contestants over the same texts in turns, so that whatever else the machine does falls on all of them alike.
 * What counts is the median of the rounds.
 */
import { performance } from 'node:perf_hooks';

export type Contestant = {
  readonly name: string;
  /** Looks every text up and returns a sum over the answers, so that none can be optimised away. */
  readonly run: (texts: readonly string[]) => number;
};

// A turn is as many passes as fit into this time, at least one: our pass alone can be 20 ms, too short to trust.
const TURN_MS = 60;
const WARM_UP_PASSES = 4;

/**
 * To be done with all mixes before the first is measured. A server sees both families, and code that was compiled for IPv4
 * alone would be faster than it is there.
 */
export function warmUp(contestants: readonly Contestant[], texts: readonly string[]): void {
  for (const { run } of contestants) for (let pass = 0; pass < WARM_UP_PASSES; pass++) run(texts);
}

/** Texts per second for each contestant, in their order. */
export function measureRates(contestants: readonly Contestant[], texts: readonly string[], rounds: number): number[] {
  const sums = contestants.map(({ run }) => run(texts));
  const rates = contestants.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    globalThis.gc?.();
    contestants.forEach(({ name, run }, i) => {
      // The young generation only. A full collection before each turn ages the compiled code of those who wait.
      globalThis.gc?.(true);
      const started = performance.now();
      let passes = 0;
      let elapsedMs = 0;
      while (elapsedMs < TURN_MS) {
        if (run(texts) !== sums[i]) throw new Error(`${name} answers the same texts differently`);
        passes++;
        elapsedMs = performance.now() - started;
      }
      rates[i]?.push((passes * texts.length * 1000) / elapsedMs);
    });
  }
  return rates.map(median);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[sorted.length >> 1] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[(sorted.length >> 1) - 1] ?? Number.NaN)) / 2;
}

/** The nearest-rank percentile. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil((percent / 100) * sorted.length) - 1] ?? Number.NaN;
}

/** mulberry32: the same sequence for the same seed. */

/** Random 32-bit words. */
export type Words = () => number;

export function seededWords(seed: number): Words {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (t ^ (t >>> 14)) >>> 0;
  };
}

/** Numbers from 0 to 1, without 1. */
export function seededRandom(seed: number): () => number {
  const words = seededWords(seed);
  return () => words() / 2 ** 32;
}

/**
 * The random numbers of one case. They depend on seed, domain and index alone, so that any case can
 * be repeated.
 */
import { seededWords, type Words } from '@whence/testing/seeded-random';

export function caseRandom(seed: number, domain: string, index: number): Words {
  let hash = seed ^ 0x9e3779b9;
  for (let i = 0; i < domain.length; i++) hash = Math.imul(hash ^ domain.charCodeAt(i), 0x01000193);
  // Neighbouring indices must not give neighbouring states.
  hash = Math.imul(hash ^ index, 0x85ebca6b);
  return seededWords(hash ^ (hash >>> 13));
}

export function pick<T>(random: Words, list: readonly T[]): T {
  return list[random() % list.length] as T;
}

/** A whole number from 0 to `limit` - 1. */
export function below(random: Words, limit: number): number {
  return limit <= 0 ? 0 : random() % limit;
}

/** True once in `times`. */
export function oneIn(random: Words, times: number): boolean {
  return random() % times === 0;
}

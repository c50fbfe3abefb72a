/**
 * When what happens during a soak run. Each kind of event has a part of the run, divided into equal
 * slots, and one event at a random time in each slot: scattered, but never all at once.
 */
import type { Words } from '@whence/testing/seeded-random';
import { HOSTILE_KINDS, type HostileKind } from './dns/zones.ts';

export type TimelineEvent =
  | { readonly kind: 'swap'; readonly atMs: number }
  /** Which of the workers is killed. */
  | { readonly kind: 'kill'; readonly atMs: number; readonly pick: number }
  | {
      readonly kind: 'hostile zone';
      readonly atMs: number;
      readonly zone: HostileKind;
      readonly number: number;
    }
  | {
      readonly kind:
        | 'never-reading client'
        | 'half-closing client'
        | 'statistics export'
        | '/8 summaries';
      readonly atMs: number;
    }
  | { readonly kind: 'lock'; readonly atMs: number; readonly lengthMs: number };

/** Counts of a run of ten minutes. Shorter and longer runs have a share of them. */
export const FULL_RUN = {
  minutes: 10,
  swaps: 100,
  kills: 30,
  zones: 20,
  neverReading: 500,
  halfClosing: 300,
  exports: 20,
  summaries: 20,
  lockMs: 10_000,
};

/** A statement waits 2 s for a lock, so a shorter one would not be noticed. */
const MIN_LOCK_MS = 4_000;

export function makeTimeLine(minutes: number, random: Words): TimelineEvent[] {
  const runMs = minutes * 60_000;
  const scaled = (count: number) => Math.max(1, Math.round((count * minutes) / FULL_RUN.minutes));
  /** Times of `count` events between two shares of the run. */
  const scatter = (count: number, from: number, to: number): number[] => {
    const slotMs = (runMs * (to - from)) / count;
    return Array.from(
      { length: count },
      (_, i) => runMs * from + (i + random() / 2 ** 32) * slotMs,
    );
  };
  const zoneCount = Math.max(HOSTILE_KINDS.length, scaled(FULL_RUN.zones));
  const lockMs = Math.max(
    MIN_LOCK_MS,
    Math.min(FULL_RUN.lockMs, (FULL_RUN.lockMs * minutes) / FULL_RUN.minutes),
  );
  const events: TimelineEvent[] = [
    ...scatter(scaled(FULL_RUN.swaps), 0.05, 0.95).map((atMs) => ({ kind: 'swap', atMs }) as const),
    ...scatter(scaled(FULL_RUN.kills), 0.05, 0.9).map(
      (atMs) => ({ kind: 'kill', atMs, pick: random() }) as const,
    ),
    ...scatter(zoneCount, 0.05, 0.8).map(
      (atMs, number) =>
        ({
          kind: 'hostile zone',
          atMs,
          number,
          zone: HOSTILE_KINDS[number % HOSTILE_KINDS.length] ?? 'silent',
        }) as const,
    ),
    // Ends early, so that the server has time to notice the last ones.
    ...scatter(scaled(FULL_RUN.neverReading), 0.05, 0.6).map(
      (atMs) => ({ kind: 'never-reading client', atMs }) as const,
    ),
    ...scatter(scaled(FULL_RUN.halfClosing), 0.05, 0.95).map(
      (atMs) => ({ kind: 'half-closing client', atMs }) as const,
    ),
    ...scatter(scaled(FULL_RUN.exports), 0.05, 0.9).map(
      (atMs) => ({ kind: 'statistics export', atMs }) as const,
    ),
    ...scatter(scaled(FULL_RUN.summaries), 0.05, 0.9).map(
      (atMs) => ({ kind: '/8 summaries', atMs }) as const,
    ),
    ...scatter(1, 0.4, 0.6).map((atMs) => ({ kind: 'lock', atMs, lengthMs: lockMs }) as const),
  ];
  return events.sort((a, b) => a.atMs - b.atMs);
}

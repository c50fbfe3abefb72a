/** What a library process is told and what it says. */
import type { FuzzFailure } from '../fuzz-failure.ts';

export type LibraryTask = {
  readonly seed: number;
  readonly domain: string;
  readonly first: number;
  readonly count: number;
  /** Reports after every case, to find one that ends the process. */
  readonly isCareful: boolean;
};

export type LibraryReport = {
  /** Cases that are done, counted from the first. */
  readonly done: number;
  /** New kinds of failures since the last report. */
  readonly failures: readonly FuzzFailure[];
  /** All failures so far. */
  readonly failed: number;
  readonly slowestMs: number;
  readonly residentBytes: number;
  readonly isLast: boolean;
};

/** Two ordered lists of runs laid over each other: every stretch of addresses for which neither side changes. */
import type { Match } from '../format.ts';
import type { Run } from '../read.ts';

/** Both ends included. A side that says nothing of these addresses has the match 0. */
export type VisitSegment = (start: bigint, end: bigint, from: Match, to: Match) => void;

/** Visits in ascending order; where neither side says anything there is no segment. Holds one run of each side at a time. */
export function forEachSegment(before: Iterator<Run>, after: Iterator<Run>, visit: VisitSegment): void {
  let a = next(before);
  let b = next(after);
  let at = 0n;
  while (a !== undefined || b !== undefined) {
    const start = min(a === undefined ? BEYOND : max(a.start, at), b === undefined ? BEYOND : max(b.start, at));
    const end = min(lastOf(a, start), lastOf(b, start));
    visit(start, end, matchAt(a, start), matchAt(b, start));
    at = end + 1n;
    if (a !== undefined && a.end < at) a = next(before);
    if (b !== undefined && b.end < at) b = next(after);
  }
}

/** Above every address. */
const BEYOND = 1n << 128n;

/** Up to where a side goes on as it is at `start`: to the end of its run, or to the beginning of the next. */
function lastOf(run: Run | undefined, start: bigint): bigint {
  if (run === undefined) return BEYOND;
  return run.start <= start ? run.end : run.start - 1n;
}

const matchAt = (run: Run | undefined, start: bigint): Match =>
  run !== undefined && run.start <= start ? run.match : 0;

function next(runs: Iterator<Run>): Run | undefined {
  const { done, value } = runs.next();
  return done === true ? undefined : value;
}

const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/**
 * Merges two ordered lists of runs into segments: ranges of addresses in which neither side
 * changes.
 */
import type { Match } from './match.ts';
import type { Run } from './read.ts';

/** Both ends are included. The match is 0 where a side has no record for these addresses. */
type VisitSegment = (start: bigint, end: bigint, from: Match, to: Match) => void;

/** In ascending order, where either side has a record. Keeps one run of each side at a time. */
export function forEachSegment(
  before: Iterator<Run>,
  after: Iterator<Run>,
  visit: VisitSegment,
): void {
  let a = next(before);
  let b = next(after);
  let at = 0n;
  while (a !== undefined || b !== undefined) {
    const start = min(
      a === undefined ? END_OF_SPACE : max(a.start, at),
      b === undefined ? END_OF_SPACE : max(b.start, at),
    );
    const end = min(lastOf(a, start), lastOf(b, start));
    visit(start, end, matchAt(a, start), matchAt(b, start));
    at = end + 1n;
    if (a !== undefined && a.end < at) a = next(before);
    if (b !== undefined && b.end < at) b = next(after);
  }
}

const END_OF_SPACE = 1n << 128n;

/**
 * The last address up to which a side does not change: the end of its run, or the address before
 * its next run.
 */
function lastOf(run: Run | undefined, start: bigint): bigint {
  if (run === undefined) return END_OF_SPACE;
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

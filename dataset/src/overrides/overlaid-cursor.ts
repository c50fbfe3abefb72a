/** A walk over a table with other matches in some ranges. */
import { type Cursor, SPACES, startOf } from '../file/addresses/cursor.ts';
import type { Match } from '../file/format.ts';
import { addressBits, fromBigInt } from '../prefix.ts';

/** Ranges in ascending order, which do not overlap; `matchOf` takes the match of the table. */
export type OverlaidRange = { readonly start: bigint; readonly end: bigint; matchOf(match: Match): Match };

type Interval = { readonly start: bigint; readonly end: bigint; readonly match: Match };

export function overlaidCursor(
  version: 4 | 6,
  from: bigint,
  base: Cursor,
  ranges: readonly OverlaidRange[],
  matchOutside: (match: Match) => Match,
): Cursor {
  const intervals = overlaidIntervals(version, base, ranges, matchOutside);
  return {
    w0: 0,
    w1: 0,
    w2: 0,
    w3: 0,
    match: 0,
    advance() {
      let next = intervals.next();
      // The first interval of the table may be divided before the address where the walk begins.
      while (next.done !== true && next.value.end < from) next = intervals.next();
      if (next.done === true) return false;
      const { w0, w1, w2, w3 } = fromBigInt(next.value.start, version);
      this.w0 = w0 >>> 0;
      this.w1 = w1 >>> 0;
      this.w2 = w2 >>> 0;
      this.w3 = w3 >>> 0;
      this.match = next.value.match;
      return true;
    },
  };
}

function* overlaidIntervals(
  version: 4 | 6,
  base: Cursor,
  ranges: readonly OverlaidRange[],
  matchOutside: (match: Match) => Match,
): Generator<Interval> {
  let at = 0;
  for (const { start, end, match } of intervalsOf(version, base)) {
    let position = start;
    while (at < ranges.length && (ranges[at] as OverlaidRange).end < position) at++;
    for (let range = ranges[at]; range !== undefined && range.start <= end; range = ranges[++at]) {
      if (range.start > position) yield { start: position, end: range.start - 1n, match: matchOutside(match) };
      const first = range.start > position ? range.start : position;
      const last = range.end < end ? range.end : end;
      yield { start: first, end: last, match: range.matchOf(match) };
      position = last + 1n;
      if (range.end > end) break;
    }
    if (position <= end) yield { start: position, end, match: matchOutside(match) };
  }
}

/** The tables of IPv6 cover 2000::/3; the space after it has no match. */
function* intervalsOf(version: 4 | 6, base: Cursor): Generator<Interval> {
  const covered = SPACES[version].last;
  const last = (1n << BigInt(addressBits(version))) - 1n;
  let isMore = base.advance();
  if (!isMore) yield { start: 0n, end: covered, match: 0 };
  while (isMore) {
    const [start, match] = [startOf(version, base), base.match];
    isMore = base.advance();
    yield { start, end: isMore ? startOf(version, base) - 1n : covered, match };
  }
  if (covered < last) yield { start: covered + 1n, end: last, match: 0 };
}

import { lowerBound } from '../../lower-bound.ts';
import { lastAddress, prefixesOfRange } from '../../prefix.ts';
import { isWithoutOverlaps, type Layer } from '../../ranges.ts';

export type CoveredPrefix = {
  readonly asn: number;
  readonly base: bigint;
  readonly length: number;
};

/** `routes`: values are AS numbers. */
export function coveredPrefixes(routes: Layer, bits: number): CoveredPrefix[] {
  const { ranges } = routes;
  if (isWithoutOverlaps(routes)) return [];
  const visible = visibleAddresses(routes);
  const covered: CoveredPrefix[] = [];
  ranges.forEach((start, end, asn, row) => {
    if (visible[row] === end - start + 1n) return;
    for (const [base, length] of prefixesOfRange(start, end, bits)) {
      if (!isVisible(routes, row, base, lastAddress(base, length, bits)))
        covered.push({ asn, base, length });
    }
  });
  return covered;
}

/** By row. */
function visibleAddresses({ ranges, starts, ends, rows }: Layer): bigint[] {
  const visible = new Array<bigint>(ranges.length).fill(0n);
  for (let run = 0; run < rows.length; run++) {
    const row = rows[run] as number;
    visible[row] = (visible[row] as bigint) + (ends[run] as bigint) - (starts[run] as bigint) + 1n;
  }
  return visible;
}

/**
 * Whether the row decides some run inside first..last, or a row with the same range and the same AS
 * does.
 */
function isVisible(layer: Layer, row: number, first: bigint, last: bigint): boolean {
  const { ranges, starts, ends, rows } = layer;
  let run = lowerBound(0, rows.length, (at) => (ends[at] as bigint) < first);
  for (; run < rows.length && (starts[run] as bigint) <= last; run++) {
    const deciding = rows[run] as number;
    if (deciding === row) return true;
    const isSame =
      ranges.values[deciding] === ranges.values[row] &&
      ranges.starts[deciding] === ranges.starts[row] &&
      ranges.ends[deciding] === ranges.ends[row];
    if (isSame) return true;
  }
  return false;
}

/** Addresses that get no record, whatever is announced there. */
import { flatten, type Layer, Ranges } from '../ranges.ts';
import { specialPurposeRanges } from '../tables/special-purpose.ts';

/**
 * Special-purpose space without the operator's own networks. For IPv6 also everything outside 2000::/3, which is not
 * open for global unicast.
 */
export function reservedSpace(version: 4 | 6, own: Ranges): Layer {
  const ranges = new Ranges();
  for (const { start, end } of specialPurposeRanges(version)) ranges.add(start, end, RESERVED);
  if (version === 6) {
    ranges.add(0n, (1n << 125n) - 1n, RESERVED);
    ranges.add(1n << 126n, (1n << 128n) - 1n, RESERVED);
  }
  for (let row = 0; row < own.length; row++) ranges.add(own.starts[row] as bigint, own.ends[row] as bigint, OPEN);
  const layer = flatten(ranges);
  const runs = [...layer.starts.keys()].filter((run) => ranges.values[layer.rows[run] as number] === RESERVED);
  return {
    ranges,
    starts: runs.map((run) => layer.starts[run] as bigint),
    ends: runs.map((run) => layer.ends[run] as bigint),
    rows: runs.map((run) => layer.rows[run] as number),
  };
}

const RESERVED = 0;
const OPEN = 1;

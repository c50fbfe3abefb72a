/**
 * Lists of ranges join neighbouring announcements of a network: 2a01:4f8::/31 stands for two announced /32s. A join of
 * two is one bit wider than what networks announce. Measured on IPv6 ranges of 2026 that RIPE RIS of 2019 also had:
 *
 *   length            /31   /39   /43   /47      /29    /32    /36   /40   /44   /48
 *   announced so       38     7     6    47     2001   7549    316   516   322  4858
 *   its halves, or    104    11    19   268      433    292     39    24   107     4
 *   narrower parts
 *
 * So ranges of the lengths on the left are divided into their halves. At other lengths a range is the announced prefix
 * more often than not; the rest cannot be told apart.
 */
import { addressBits, lastAddress, widestPrefixLength } from '../../../prefix.ts';
import { Ranges } from '../../../ranges.ts';

const JOINED_LENGTHS: ReadonlySet<number> = new Set([31, 39, 43, 47]);

/** For IPv6. */
export function withoutJoinedPrefixes({ starts, ends, values }: Ranges): Ranges {
  const bits = addressBits(6);
  const result = new Ranges();
  for (let row = 0; row < values.length; row++) {
    const start = starts[row] as bigint;
    const end = ends[row] as bigint;
    const asn = values[row] as number;
    const length = widestPrefixLength(start, start, end, bits);
    if (lastAddress(start, length, bits) === end && JOINED_LENGTHS.has(length)) {
      const middle = (start + end + 1n) >> 1n;
      result.add(start, middle - 1n, asn);
      result.add(middle, end, asn);
    } else result.add(start, end, asn);
  }
  return result;
}

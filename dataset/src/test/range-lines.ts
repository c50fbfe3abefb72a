/** Ranges and other origins as lines of text that a test can compare. */
import { formatAddress } from '../address.ts';
import type { OtherOrigin } from '../feeds/parsed.ts';
import { addressBits, fromBigInt, prefixesOfRange } from '../prefix.ts';
import type { FamilyRanges } from '../ranges.ts';

/** `192.0.2.0/24 7` for each prefix of each range, in the order of the ranges, IPv4 first. */
export function rangeLines(ranges: FamilyRanges, show: (value: number) => string = String): string[] {
  return ([4, 6] as const).flatMap((version) =>
    ranges[version].values.flatMap((value, i) => {
      const [start, end] = [ranges[version].starts[i] as bigint, ranges[version].ends[i] as bigint];
      return [...prefixesOfRange(start, end, addressBits(version))].map(
        ([base, length]) => `${formatAddress(fromBigInt(base, version))}/${length} ${show(value)}`,
      );
    }),
  );
}

export function otherOriginLines(otherOrigins: readonly OtherOrigin[]): string[] {
  return otherOrigins.map(
    ({ version, start, length, asn }) => `${formatAddress(fromBigInt(start, version))}/${length} ${asn}`,
  );
}

/** The value of exactly this range. */
export function valueAt(ranges: FamilyRanges, version: 4 | 6, start: bigint, end: bigint): number | undefined {
  const { starts, ends, values } = ranges[version];
  for (let i = 0; i < starts.length; i++) if (starts[i] === start && ends[i] === end) return values[i];
  return undefined;
}

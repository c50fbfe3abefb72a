/** Ranges and other origins as lines of text that a test can compare. */
import { formatAddress } from '../address.ts';
import type { OtherOrigin } from '../feeds/parsed.ts';
import { addressBits, fromBigInt, prefixesOfRange } from '../prefix.ts';
import type { FamilyRanges } from '../ranges.ts';

/** `192.0.2.0/24 7` for each prefix of each range, in the order of the ranges, IPv4 first. */
export function rangeLines(
  ranges: FamilyRanges,
  show: (value: number) => string = String,
): string[] {
  return ([4, 6] as const).flatMap((version) =>
    ranges[version].values.flatMap((value, i) => {
      const start = ranges[version].starts[i] as bigint;
      const end = ranges[version].ends[i] as bigint;
      return [...prefixesOfRange(start, end, addressBits(version))].map(
        ([base, length]) => `${formatAddress(fromBigInt(base, version))}/${length} ${show(value)}`,
      );
    }),
  );
}

/** Without the origin that was chosen, which is the first of its prefix where peers are known. */
export function otherOriginLines(otherOrigins: readonly OtherOrigin[]): string[] {
  const prefixText = ({ version, start, length }: OtherOrigin) =>
    `${formatAddress(fromBigInt(start, version))}/${length}`;
  const isChosen = (origin: OtherOrigin, i: number) => {
    const before = otherOrigins[i - 1];
    return (
      origin.peers !== undefined &&
      (before === undefined || prefixText(before) !== prefixText(origin))
    );
  };
  return otherOrigins.flatMap((origin, i) =>
    isChosen(origin, i) ? [] : [`${prefixText(origin)} ${origin.asn}`],
  );
}

/** The value of exactly this range. */
export function valueAt(
  ranges: FamilyRanges,
  version: 4 | 6,
  start: bigint,
  end: bigint,
): number | undefined {
  const { starts, ends, values } = ranges[version];
  for (let i = 0; i < starts.length; i++)
    if (starts[i] === start && ends[i] === end) return values[i];
  return undefined;
}

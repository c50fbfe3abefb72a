/** Lists as text that a test can compare: `192.0.2.0/24 label`, IPv4 first. */

import { formatAddress, parseAddress } from '../address.ts';
import type { PrefixList } from '../feeds/parsed.ts';
import { addressBits, formatPrefix, fromBigInt, prefixesOfRange, toBigInt } from '../prefix.ts';

export function listed({ ranges, labels }: PrefixList): string[] {
  return ([4, 6] as const).flatMap((version) => {
    const { starts, ends, values } = ranges[version];
    return values.map((value, i) =>
      `${rangeText(starts[i] as bigint, ends[i] as bigint, version)} ${labels[value]}`.trimEnd(),
    );
  });
}

/** The labels of the rows that contain the address. */
export function labelsOf({ ranges, labels }: PrefixList, text: string): string[] {
  const address = parseAddress(text);
  if (address === undefined) throw new Error(`not an address: ${text}`);
  const { starts, ends, values } = ranges[address.version];
  const at = toBigInt(address);
  return values
    .filter((_, i) => (starts[i] as bigint) <= at && at <= (ends[i] as bigint))
    .map((value) => labels[value] as string);
}

function rangeText(start: bigint, end: bigint, version: 4 | 6): string {
  const [first, second] = prefixesOfRange(start, end, addressBits(version));
  if (first !== undefined && second === undefined)
    return formatPrefix(fromBigInt(first[0], version), first[1]);
  return `${formatAddress(fromBigInt(start, version))}-${formatAddress(fromBigInt(end, version))}`;
}

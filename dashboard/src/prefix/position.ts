/** The position and length of an address range in a prefix, as fractions of the prefix size. */
import { parseAddress } from '@whence/dataset/address';
import { parsePrefix, toBigInt } from '@whence/dataset/prefix';

const SCALE = 1_000_000n;

export function positionIn(prefix: string, first: string, last: string): { start: number; length: number } | undefined {
  const range = parsePrefix(prefix);
  const from = parseAddress(first);
  const to = parseAddress(last);
  if (range === undefined || from === undefined || to === undefined) return undefined;
  const size = range.end - range.start + 1n;
  const share = (amount: bigint) => Number((amount * SCALE) / size) / Number(SCALE);
  return { start: share(toBigInt(from) - range.start), length: share(toBigInt(to) - toBigInt(from) + 1n) };
}

/** Where the parts of a prefix are in it: their order, and position and length as fractions of its size. */
import { parseAddress } from '@whence/dataset/address';
import { addressBits, lastAddress, parsePrefix, toBigInt, widestPrefixLength } from '@whence/dataset/prefix';

const SCALE = 1_000_000n;

/** The prefix that has exactly these addresses, if there is one. */
export function prefixOf(first: string, last: string): string | undefined {
  const from = parseAddress(first);
  const to = parseAddress(last);
  if (from === undefined || to === undefined) return undefined;
  const [start, end] = [toBigInt(from), toBigInt(to)];
  const bits = addressBits(from.version);
  const length = widestPrefixLength(start, start, end, bits);
  return lastAddress(start, length, bits) === end ? `${first}/${length}` : undefined;
}

/** In the order of addresses. */
export function inOrder<Part extends { readonly first: string }>(parts: readonly Part[]): Part[] {
  const at = ({ first }: Part) => {
    const address = parseAddress(first);
    return address === undefined ? 0n : toBigInt(address);
  };
  const placed = parts.map((part) => ({ part, at: at(part) }));
  return placed.sort((a, b) => (a.at < b.at ? -1 : 1)).map(({ part }) => part);
}

export function positionIn(prefix: string, first: string, last: string): { start: number; length: number } | undefined {
  const range = parsePrefix(prefix);
  const from = parseAddress(first);
  const to = parseAddress(last);
  if (range === undefined || from === undefined || to === undefined) return undefined;
  const size = range.end - range.start + 1n;
  const share = (amount: bigint) => Number((amount * SCALE) / size) / Number(SCALE);
  return { start: share(toBigInt(from) - range.start), length: share(toBigInt(to) - toBigInt(from) + 1n) };
}

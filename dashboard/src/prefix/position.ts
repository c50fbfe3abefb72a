/** The parts of a prefix: their order, and which of them are prefixes. */
import { parseAddress } from '@whence/dataset/address';
import { addressBits, lastAddress, toBigInt, widestPrefixLength } from '@whence/dataset/prefix';

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

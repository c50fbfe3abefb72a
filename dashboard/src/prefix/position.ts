/** The parts of a prefix: their order, and which of them are prefixes. */
import { parseAddress } from '@whence/dataset/address';
import {
  addressBits,
  fromBigInt,
  lastAddress,
  toBigInt,
  widestPrefixLength,
} from '@whence/dataset/prefix';

/** The prefix that has exactly these addresses, if there is one. */
export function prefixOf(first: string, last: string): string | undefined {
  const from = parseAddress(first);
  const to = parseAddress(last);
  if (from === undefined || to === undefined) return undefined;
  const start = toBigInt(from);
  const end = toBigInt(to);
  const bits = addressBits(from.version);
  const length = widestPrefixLength(start, start, end, bits);
  return lastAddress(start, length, bits) === end ? `${first}/${length}` : undefined;
}

/** In the order of addresses. */
export function inOrder<Part extends { readonly first: string }>(parts: readonly Part[]): Part[] {
  const at = ({ first }: Part) => toBigInt(parseAddress(first) ?? fromBigInt(0n, 4));
  return [...parts].sort((a, b) => (at(a) < at(b) ? -1 : 1));
}

import {
  type Address,
  formatAddress,
  ipv4,
  ipv6,
  parseAddress,
  truncateAddress,
} from './address.ts';

/** Consecutive addresses of one family, both ends included. */
export type Range = { readonly version: 4 | 6; readonly start: bigint; readonly end: bigint };

/**
 * The address as an unsigned number of 32 or 128 bits, for code where clarity matters more than
 * speed.
 */
export function toBigInt({ version, w0, w1, w2, w3 }: Address): bigint {
  if (version === 4) return BigInt(w0 >>> 0);
  return (
    (BigInt(w0 >>> 0) << 96n) |
    (BigInt(w1 >>> 0) << 64n) |
    (BigInt(w2 >>> 0) << 32n) |
    BigInt(w3 >>> 0)
  );
}

export function fromBigInt(value: bigint, version: 4 | 6): Address {
  if (version === 4) return ipv4(Number(value));
  const word = (shift: bigint) => Number((value >> shift) & 0xffffffffn);
  return ipv6(word(96n), word(64n), word(32n), word(0n));
}

export function formatPrefix(address: Address, length: number): string {
  return `${formatAddress(truncateAddress(address, length))}/${length}`;
}

/**
 * `192.0.2.0/24`, or an address as a prefix of one. Host bits are cleared: feeds have such rows.
 */
export function parsePrefix(text: string): Range | undefined {
  const cidr = parseCidr(text);
  if (cidr === undefined) return undefined;
  const { address, length } = cidr;
  const start = toBigInt(truncateAddress(address, length));
  return {
    version: address.version,
    start,
    end: lastAddress(start, length, addressBits(address.version)),
  };
}

/**
 * Both ends as text. Undefined unless both are addresses of one family, the first not after the
 * last.
 */
export function parseRange(first: string, last: string): Range | undefined {
  const from = parseAddress(first);
  const to = parseAddress(last);
  if (from === undefined || to?.version !== from.version) return undefined;
  const start = toBigInt(from);
  const end = toBigInt(to);
  return start > end ? undefined : { version: from.version, start, end };
}

/** `192.0.2.0/24` if the addresses are a prefix, else `192.0.2.0-192.0.2.130`. */
export function formatRange({ version, start, end }: Range): string {
  const bits = addressBits(version);
  const length = widestPrefixLength(start, start, end, bits);
  const first = formatAddress(fromBigInt(start, version));
  return lastAddress(start, length, bits) === end
    ? `${first}/${length}`
    : `${first}-${formatAddress(fromBigInt(end, version))}`;
}

/** Addresses of IPv4; of IPv6 /48s, what a customer gets: addresses would exceed exact numbers. */
export const spaceOf = (version: 4 | 6, addresses: bigint): number =>
  version === 4 ? Number(addresses) : Number(addresses >> 40n) / 2 ** 40;

/**
 * Without bigints, host bits unchanged. IPv4-mapped prefixes are refused: their length counts IPv6
 * bits.
 */
export function parseCidr(
  text: string,
): { readonly address: Address; readonly length: number } | undefined {
  const slash = text.indexOf('/');
  const address = parseAddress(slash < 0 ? text : text.slice(0, slash));
  if (address === undefined) return undefined;
  const bits = addressBits(address.version);
  if (slash < 0) return { address, length: bits };
  if (address.version === 4 && text.includes(':')) return undefined;
  const lengthText = text.slice(slash + 1);
  if (!/^(0|[1-9][0-9]{0,2})$/.test(lengthText)) return undefined;
  const length = Number(lengthText);
  return length > bits ? undefined : { address, length };
}

export const addressBits = (version: 4 | 6): number => (version === 4 ? 32 : 128);

/** One bit longer than what the address has in common with either neighbour of start..end. */
export function widestPrefixLength(
  address: bigint,
  start: bigint,
  end: bigint,
  bits: number,
): number {
  const before = start === 0n ? 0 : sharedBits(address, start - 1n, bits) + 1;
  const after = end === (1n << BigInt(bits)) - 1n ? 0 : sharedBits(address, end + 1n, bits) + 1;
  return Math.max(before, after);
}

export function lastAddress(base: bigint, length: number, bits: number): bigint {
  return base | (HOST_MASKS[bits - length] as bigint);
}

/** By number of host bits. Computed once: a walk over a dataset needs them a million times. */
const HOST_MASKS: readonly bigint[] = Array.from(
  { length: 129 },
  (_, hostBits) => (1n << BigInt(hostBits)) - 1n,
);

/** The shortest list of prefixes that covers exactly start..end, in order. */
export function* prefixesOfRange(
  start: bigint,
  end: bigint,
  bits: number,
): Generator<[base: bigint, length: number]> {
  for (let base = start; base <= end; ) {
    const length = widestPrefixLength(base, start, end, bits);
    yield [base, length];
    base = lastAddress(base, length, bits) + 1n;
  }
}

function sharedBits(a: bigint, b: bigint, bits: number): number {
  let difference = a ^ b;
  let shared = bits - 32;
  while (difference > 0xffffffffn) {
    difference >>= 32n;
    shared -= 32;
  }
  return shared + Math.clz32(Number(difference));
}

function compareBigInts(a: bigint, b: bigint): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** In ascending order, IPv4 first; none touches another. */
export function mergeRanges(ranges: readonly Range[]): Range[] {
  const sorted = [...ranges].sort(
    (a, b) => a.version - b.version || compareBigInts(a.start, b.start),
  );
  const merged: Range[] = [];
  for (const range of sorted) {
    const last = merged.at(-1);
    if (last === undefined || last.version !== range.version || range.start > last.end + 1n)
      merged.push(range);
    else if (range.end > last.end) merged[merged.length - 1] = { ...last, end: range.end };
  }
  return merged;
}

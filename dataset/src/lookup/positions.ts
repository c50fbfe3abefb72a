/** Walks between neighbouring intervals of a dataset: one family in numbers, the other in bigints. */
import { type Address, ipv4, truncateAddress, wordMask } from '../address.ts';
import type { Match } from '../file/format.ts';
import type { Dataset } from '../file/read.ts';
import { addressBits, fromBigInt, lastAddress, toBigInt, widestPrefixLength } from '../prefix.ts';

/** The addresses between two starts in the tables. */
type Interval<Position> = { readonly start: Position; readonly end: Position; readonly match: Match };

/** Addresses of a family as positions that can be compared. */
export type Positions<Position extends number | bigint> = {
  at(dataset: Dataset, address: Address): Interval<Position>;
  before(position: Position): Address;
  after(position: Position): Address;
  /** The first and last address of the prefix of this length around the address. */
  first(address: Address, length: number): Position;
  last(address: Address, length: number): Position;
  /** The length of the widest prefix around the address in the interval. */
  widest(address: Address, interval: Interval<Position>): number;
};

const LAST_IPV4 = 0xffffffff;

/** IPv4, without bigints, which would take most of the time. */
export const NUMBERS: Positions<number> = {
  at(dataset, address) {
    const cursor = dataset.cursorFrom(address);
    cursor.advance();
    const { w0: start, match } = cursor;
    return { start, end: cursor.advance() ? cursor.w0 - 1 : LAST_IPV4, match };
  },
  before: (position) => ipv4(position - 1),
  after: (position) => ipv4(position + 1),
  first: ({ w0 }, length) => (w0 & wordMask(length)) >>> 0,
  last: ({ w0 }, length) => (w0 | ~wordMask(length)) >>> 0,
  widest({ w0 }, { start, end }) {
    const before = start === 0 ? 0 : Math.clz32(w0 ^ (start - 1)) + 1;
    const after = end === LAST_IPV4 ? 0 : Math.clz32(w0 ^ (end + 1)) + 1;
    return Math.max(before, after);
  },
};

export const BIGINTS: Positions<bigint> = {
  at: (dataset, address) => ({ ...dataset.bounds(address), match: dataset.find(address) }),
  before: (position) => fromBigInt(position - 1n, 6),
  after: (position) => fromBigInt(position + 1n, 6),
  first: (address, length) => toBigInt(truncateAddress(address, length)),
  last: (address, length) => lastAddress(toBigInt(truncateAddress(address, length)), length, addressBits(6)),
  widest: (address, { start, end }) => widestPrefixLength(toBigInt(address), start, end, addressBits(6)),
};

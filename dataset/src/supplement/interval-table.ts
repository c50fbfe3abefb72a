// Lookup in intervals. IPv4: the leading 16 bits select a slice of the low halves of the starts. IPv6: a binary search
// over the distinct first words, which are few, and one among the other words of the starts with that first word.
//
//   top      u32 x 65537   per /16: number of intervals that start before it
//   low      u16           low 16 bits of each start
//   first    u32           the distinct first words of starts, ascending
//   offset   u32           per first word: its first interval; one more at the end
//   rest     u32 x 3       the other words of each start
//   value    u32           per interval; 0: nothing is known
//
// The first interval of each family starts at its lowest address.
import type { Address } from '../address.ts';
import type { Intervals } from './intervals.ts';

export type Ipv4Intervals = { readonly top: Uint32Array; readonly low: Uint16Array; readonly value: Uint32Array };
export type Ipv6Intervals = {
  readonly first: Uint32Array;
  readonly offset: Uint32Array;
  readonly rest: Uint32Array;
  readonly value: Uint32Array;
};

const SLICES = 1 << 16;

export function ipv4Intervals({ starts, values }: Intervals): Ipv4Intervals {
  const top = new Uint32Array(SLICES + 1);
  const low = new Uint16Array(starts.length);
  for (let i = 0; i < starts.length; i++) {
    const start = starts[i] as number;
    low[i] = start & 0xffff;
    top[(start >>> 16) + 1] = i + 1;
  }
  for (let slice = 1; slice <= SLICES; slice++)
    if ((top[slice] as number) < (top[slice - 1] as number)) top[slice] = top[slice - 1] as number;
  return { top, low, value: values };
}

export function ipv6Intervals({ starts, values }: Intervals): Ipv6Intervals {
  const first: number[] = [];
  const offset: number[] = [];
  const rest = new Uint32Array(values.length * 3);
  for (let i = 0; i < values.length; i++) {
    const word = starts[i * 4] as number;
    if (i === 0 || word !== starts[i * 4 - 4]) {
      first.push(word);
      offset.push(i);
    }
    for (let part = 0; part < 3; part++) rest[i * 3 + part] = starts[i * 4 + 1 + part] as number;
  }
  offset.push(values.length);
  return { first: Uint32Array.from(first), offset: Uint32Array.from(offset), rest, value: values };
}

export const findIpv4 = (table: Ipv4Intervals, word: number): number => table.value[ipv4IndexOf(table, word)] as number;

export const findIpv6 = (table: Ipv6Intervals, address: Ipv6Words): number =>
  table.value[ipv6IndexOf(table, address)] as number;

type Ipv6Words = Pick<Address, 'w0' | 'w1' | 'w2' | 'w3'>;

/** The last address of the interval that has this one. For walks: a lookup does not need it. */
export function ipv4IntervalEnd(table: Ipv4Intervals, word: number): bigint {
  const { top, low, value } = table;
  const next = ipv4IndexOf(table, word) + 1;
  if (next === value.length) return 0xffffffffn;
  let slice = word >>> 16;
  while ((top[slice + 1] as number) <= next) slice++;
  return BigInt(slice * SLICES + (low[next] as number)) - 1n;
}

export function ipv6IntervalEnd(table: Ipv6Intervals, address: Ipv6Words): bigint {
  const { first, offset, rest, value } = table;
  const next = ipv6IndexOf(table, address) + 1;
  if (next === value.length) return (1n << 128n) - 1n;
  const word = countUpTo(offset, 0, offset.length, next) - 1;
  const words = [first[word] as number, ...rest.subarray(next * 3, next * 3 + 3)];
  return words.reduce((sum, part) => (sum << 32n) | BigInt(part), 0n) - 1n;
}

function ipv4IndexOf({ top, low }: Ipv4Intervals, word: number): number {
  const slice = word >>> 16;
  return countUpTo(low, top[slice] as number, top[slice + 1] as number, word & 0xffff) - 1;
}

function ipv6IndexOf({ first, offset, rest }: Ipv6Intervals, { w0, w1, w2, w3 }: Ipv6Words): number {
  const wanted = w0 >>> 0;
  const next = countUpTo(first, 0, first.length, wanted);
  if (first[next - 1] !== wanted) return (offset[next] as number) - 1;
  const [r1, r2, r3] = [w1 >>> 0, w2 >>> 0, w3 >>> 0];
  let from = offset[next - 1] as number;
  let to = offset[next] as number;
  while (from < to) {
    const middle = (from + to) >>> 1;
    const at = middle * 3;
    const difference = (rest[at] as number) - r1 || (rest[at + 1] as number) - r2 || (rest[at + 2] as number) - r3;
    if (difference <= 0) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}

/** The position after the last value between `from` and `to` that is not above `wanted`; `from` if there is none. */
function countUpTo(values: Uint16Array | Uint32Array, from: number, to: number, wanted: number): number {
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((values[middle] as number) <= wanted) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Whether a lookup stays inside the arrays and finds a value below `limit`. */
export function isIpv4Sound({ top, low, value }: Ipv4Intervals, limit: number): boolean {
  if (top.length !== SLICES + 1 || low.length !== value.length || top[SLICES] !== value.length) return false;
  if (value.length === 0 || top[0] !== 0 || low[0] !== 0 || top[1] === 0) return false;
  for (let slice = 0; slice < SLICES; slice++) {
    const [from, to] = [top[slice] as number, top[slice + 1] as number];
    if (from > to) return false;
    for (let i = from + 1; i < to; i++) if ((low[i] as number) <= (low[i - 1] as number)) return false;
  }
  return areBelow(value, limit);
}

export function isIpv6Sound({ first, offset, rest, value }: Ipv6Intervals, limit: number): boolean {
  if (value.length === 0 || rest.length !== value.length * 3 || offset.length !== first.length + 1) return false;
  if (first[0] !== 0 || rest[0] !== 0 || rest[1] !== 0 || rest[2] !== 0) return false;
  if (offset[0] !== 0 || offset[first.length] !== value.length) return false;
  for (let i = 1; i < first.length; i++) if ((first[i] as number) <= (first[i - 1] as number)) return false;
  for (let i = 1; i < offset.length; i++) if ((offset[i] as number) <= (offset[i - 1] as number)) return false;
  return areBelow(value, limit);
}

function areBelow(values: Uint32Array, limit: number): boolean {
  for (let i = 0; i < values.length; i++) if ((values[i] as number) >= limit) return false;
  return true;
}

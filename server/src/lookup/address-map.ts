/**
 * The connection types of a stretch of address space, one letter per block of equal size, in the order of addresses: what
 * a page needs to draw a map. A block has the type of most of its announced addresses.
 */

import type { Dataset } from '@whence/dataset/internal/file/read';
import { formatPrefix, fromBigInt, parsePrefix, type Range } from '@whence/dataset/prefix';
import { CONNECTION_TYPES, type ConnectionType } from '@whence/dataset/record';
import { CELL_CODES, UNANNOUNCED_CELL } from '../vocabulary.ts';
import type { GiveWay } from './dataset-walks.ts';
import { runsWithin } from './prefix-runs.ts';

type AddressMap = { prefix: string; cell_length: number; cells: string; is_truncated: boolean };

/** Runs that are walked, which takes about half a second in slices. Later space looks unannounced, and it is said. */
const MAX_RUNS = 100_000;

/** The blocks of a prefix: /24 where there are enough of them, single addresses in a small prefix; of IPv6, /48. */
export function cellLengthOf(version: 4 | 6, length: number): number {
  if (version === 4) return length <= 20 ? 24 : 32;
  if (length <= 32) return length + 16;
  return length <= 36 ? 48 : Math.max(length, Math.min(64, length + 12));
}

export async function mapPrefix(
  dataset: Dataset,
  { version, start, end }: Range,
  length: number,
  giveWay: GiveWay,
): Promise<AddressMap> {
  const cellLength = cellLengthOf(version, length);
  const cells = new Cells(start, version, cellLength, 2 ** (cellLength - length));
  const typeOf = typesByAttributes(dataset);
  let runs = 0;
  for (const run of runsWithin(dataset, version, start, end)) {
    if (++runs > MAX_RUNS) break;
    const pause = giveWay();
    if (pause !== undefined) await pause;
    if (run.match !== 0) cells.add(run.start, run.end, typeOf(dataset.attributesOf(run.match)));
  }
  return {
    prefix: formatPrefix(fromBigInt(start, version), length),
    cell_length: cellLength,
    cells: cells.toText(),
    is_truncated: runs > MAX_RUNS,
  };
}

/** The IPv4 addresses that a network announces, one cell per /16 of all space. */
export async function mapNetwork(
  dataset: Dataset,
  asn: number,
  prefixes: readonly string[],
  giveWay: GiveWay,
): Promise<AddressMap> {
  const cells = new Cells(0n, 4, 16, 2 ** 16);
  const typeOf = typesByAttributes(dataset);
  let runs = 0;
  for (const prefix of prefixes) {
    const range = parsePrefix(prefix);
    if (range === undefined) continue;
    const length = Number(prefix.slice(prefix.indexOf('/') + 1));
    for (const { start, end, match } of runsWithin(dataset, 4, range.start, range.end)) {
      if (++runs > MAX_RUNS) break;
      const pause = giveWay();
      if (pause !== undefined) await pause;
      // A more specific prefix belongs to another network, or is in `prefixes` itself.
      if (match === 0 || dataset.asnNumber(match) !== asn || match >>> 24 !== length) continue;
      cells.add(start, end, typeOf(dataset.attributesOf(match)));
    }
    if (runs > MAX_RUNS) break;
  }
  return { prefix: '0.0.0.0/0', cell_length: 16, cells: cells.toText(), is_truncated: runs > MAX_RUNS };
}

/** A set of attributes belongs to thousands of prefixes and takes a while to decode. */
function typesByAttributes(dataset: Dataset): (set: number) => ConnectionType {
  const known = new Map<number, ConnectionType>();
  return (set) => {
    const type = known.get(set) ?? dataset.attributes(set).connection_type;
    known.set(set, type);
    return type;
  };
}

class Cells {
  readonly #first: bigint;
  readonly #bits: bigint;
  readonly #size: bigint;
  readonly #count: number;
  /** By cell and type: the share of the cell, from 0 to 1. */
  readonly #shares: Float32Array;

  constructor(first: bigint, version: 4 | 6, cellLength: number, count: number) {
    this.#first = first;
    this.#bits = BigInt((version === 4 ? 32 : 128) - cellLength);
    this.#size = 1n << this.#bits;
    this.#count = count;
    this.#shares = new Float32Array(count * CONNECTION_TYPES.length);
  }

  add(start: bigint, end: bigint, type: ConnectionType): void {
    const types = CONNECTION_TYPES.length;
    const column = CONNECTION_TYPES.indexOf(type);
    const from = Number((start - this.#first) >> this.#bits);
    const to = Number((end - this.#first) >> this.#bits);
    for (let cell = from; cell <= to && cell < this.#count; cell++) {
      const at = cell * types + column;
      const isWhole = cell > from && cell < to;
      this.#shares[at] = (this.#shares[at] ?? 0) + (isWhole ? 1 : this.#share(cell, start, end));
    }
  }

  #share(cell: number, start: bigint, end: bigint): number {
    const first = this.#first + BigInt(cell) * this.#size;
    const last = first + this.#size - 1n;
    const covered = (end < last ? end : last) - (start > first ? start : first) + 1n;
    return Number(covered) / Number(this.#size);
  }

  toText(): string {
    const types = CONNECTION_TYPES.length;
    const letters: string[] = [];
    for (let cell = 0; cell < this.#count; cell++) {
      let letter: string = UNANNOUNCED_CELL;
      let most = 0;
      for (const [column, type] of CONNECTION_TYPES.entries()) {
        const share = this.#shares[cell * types + column] ?? 0;
        if (share <= most) continue;
        most = share;
        letter = CELL_CODES[type];
      }
      letters.push(letter);
    }
    return letters.join('');
  }
}

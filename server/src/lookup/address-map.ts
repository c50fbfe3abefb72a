/**
 * The connection types of a stretch of address space, one letter per block of equal size, in the order of addresses: what
 * a page needs to draw a map. A block has the type of most of its announced addresses.
 */

import type { Dataset } from '@whence/dataset/internal/file/read';
import { formatPrefix, fromBigInt, type Range } from '@whence/dataset/prefix';
import { CONNECTION_TYPES, type ConnectionType } from '@whence/dataset/record';
import { CELL_CODES, UNANNOUNCED_CELL } from '../vocabulary.ts';
import { walkAnnounced } from './announced-runs.ts';
import { Cells } from './cells.ts';
import type { GiveWay } from './dataset-walks.ts';
import { type OnPart, walkPrefix } from './prefix-walk.ts';

type AddressMap = { prefix: string; cell_length: number; cells: string; is_truncated: boolean };

/** Runs that are walked, which takes about half a second in slices. Space beyond them is shown as unannounced, with a note. */
const MAX_RUNS = 100_000;

/** The blocks of a prefix: /24 where there are enough of them, single addresses in a small prefix; of IPv6, /48. */
export function cellLengthOf(version: 4 | 6, length: number): number {
  if (version === 4) return length <= 20 ? 24 : 32;
  if (length <= 32) return length + 16;
  return length <= 36 ? 48 : Math.max(length, Math.min(64, length + 12));
}

export async function mapPrefix(dataset: Dataset, range: Range, length: number, giveWay: GiveWay): Promise<AddressMap> {
  const { version, start, end } = range;
  const cellLength = cellLengthOf(version, length);
  const cells = new Cells(start, end - start + 1n, 2 ** (cellLength - length), CONNECTION_TYPES);
  const typeOf = typesByAttributes(dataset);
  const onPart: OnPart = (from, to, match) => cells.add(from, to, typeOf(dataset.attributesOf(match)));
  const { isTruncated } = await walkPrefix(dataset, range, undefined, giveWay, onPart, MAX_RUNS);
  return {
    prefix: formatPrefix(fromBigInt(start, version), length),
    cell_length: cellLength,
    cells: textOf(cells),
    is_truncated: isTruncated,
  };
}

/** The IPv4 addresses that a network announces, one cell per /16 of all space. */
export async function mapNetwork(
  dataset: Dataset,
  asn: number,
  prefixes: readonly string[],
  giveWay: GiveWay,
): Promise<AddressMap> {
  const cells = new Cells(0n, 2n ** 32n, 2 ** 16, CONNECTION_TYPES);
  const typeOf = typesByAttributes(dataset);
  const isTruncated = await walkAnnounced(dataset, asn, prefixes, MAX_RUNS, giveWay, ({ start, end, match }) =>
    cells.add(start, end, typeOf(dataset.attributesOf(match))),
  );
  return { prefix: '0.0.0.0/0', cell_length: 16, cells: textOf(cells), is_truncated: isTruncated };
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

function textOf(cells: Cells<ConnectionType>): string {
  return Array.from({ length: cells.count }, (_, cell) => {
    const type = cells.most(cell);
    return type === undefined ? UNANNOUNCED_CELL : CELL_CODES[type];
  }).join('');
}

/**
 * A stretch of address space, one letter per block of equal size, in the order of addresses: what a page needs to draw a
 * map. A block has the connection type, threat level or network of most of its announced addresses.
 */

import type { Match } from '@whence/dataset/internal/file/format';
import type { Dataset } from '@whence/dataset/internal/file/read';
import { formatPrefix, fromBigInt, type Range } from '@whence/dataset/prefix';
import { CONNECTION_TYPES, THREAT_LEVELS } from '@whence/dataset/record';
import { type MapSubject, UNANNOUNCED_CELL } from '../vocabulary.ts';
import { walkAnnounced } from './announced-runs.ts';
import { Cells } from './cells.ts';
import type { GiveWay } from './dataset-walks.ts';
import { describeText } from './prefix-content.ts';
import { type OnPart, walkPrefix } from './prefix-walk.ts';

type AddressMap = { prefix: string; cell_length: number; cells: string; kinds: string[]; is_truncated: boolean };

/** Runs that are walked, which takes about half a second in slices. Space beyond them is shown as unannounced, with a note. */
const MAX_RUNS = 100_000;
/** Networks with a colour of their own, the largest; as many as can be told apart. */
const MAX_NETWORKS = 5;
const OTHER_NETWORKS = 'other networks';

/** The blocks of a prefix: /24 where there are enough of them, single addresses in a small prefix; of IPv6, /48. */
export function cellLengthOf(version: 4 | 6, length: number): number {
  if (version === 4) return length <= 20 ? 24 : 32;
  if (length <= 32) return length + 16;
  return length <= 36 ? 48 : Math.max(length, Math.min(64, length + 12));
}

export async function mapPrefix(
  dataset: Dataset,
  { range, length }: { readonly range: Range; readonly length: number },
  by: MapSubject,
  giveWay: GiveWay,
): Promise<AddressMap> {
  const { version, start, end } = range;
  const walk = (onPart: OnPart) => walkPrefix(dataset, range, undefined, giveWay, onPart, MAX_RUNS);
  const kindOf = by === 'network' ? await largestNetworks(dataset, walk) : kindsBy(dataset, by);
  const cellLength = cellLengthOf(version, length);
  const cells = new Cells(start, end - start + 1n, 2 ** (cellLength - length), kindOf.kinds);
  const { isTruncated } = await walk((from, to, match) => cells.add(from, to, kindOf.of(match)));
  return {
    prefix: formatPrefix(fromBigInt(start, version), length),
    cell_length: cellLength,
    ...describeCells(cells, kindOf),
    is_truncated: isTruncated,
  };
}

/** The IPv4 addresses that a network announces, one cell per /16 of all space. */
export async function mapNetwork(
  dataset: Dataset,
  asn: number,
  by: Exclude<MapSubject, 'network'>,
  giveWay: GiveWay,
): Promise<AddressMap> {
  const kindOf = kindsBy(dataset, by);
  const cells = new Cells(0n, 2n ** 32n, 2 ** 16, kindOf.kinds);
  const { ipv4 } = dataset.prefixesOf(asn);
  const isTruncated = await walkAnnounced(dataset, asn, ipv4, MAX_RUNS, giveWay, ({ start, end, match }) =>
    cells.add(start, end, kindOf.of(match)),
  );
  return { prefix: '0.0.0.0/0', cell_length: 16, ...describeCells(cells, kindOf), is_truncated: isTruncated };
}

/** What a cell can be, and which of it an announced run is. */
type KindOf = { readonly kinds: readonly string[]; readonly of: (match: Match) => string };

function kindsBy(dataset: Dataset, by: Exclude<MapSubject, 'network'>): KindOf {
  const kinds = by === 'type' ? CONNECTION_TYPES : THREAT_LEVELS;
  const field = by === 'type' ? 'connection_type' : 'level';
  return { kinds, of: (match) => describeText(dataset, dataset.textOf(match))[field] };
}

async function largestNetworks(dataset: Dataset, walk: (onPart: OnPart) => Promise<unknown>): Promise<KindOf> {
  const sizes = new Map<number, bigint>();
  await walk((from, to, match) => {
    const asn = dataset.asnNumber(match);
    sizes.set(asn, (sizes.get(asn) ?? 0n) + to - from + 1n);
  });
  const largest = [...sizes].sort(([, a], [, b]) => (a > b ? -1 : Number(a < b))).slice(0, MAX_NETWORKS);
  const names = new Map(largest.map(([asn]) => [asn, `AS${asn} ${dataset.asn(asn)?.asn_name ?? ''}`.trim()]));
  const hasOthers = sizes.size > names.size;
  return {
    kinds: [...names.values(), ...(hasOthers ? [OTHER_NETWORKS] : [])],
    of: (match) => names.get(dataset.asnNumber(match)) ?? OTHER_NETWORKS,
  };
}

/** `a` is the first of the kinds. */
function describeCells(cells: Cells<string>, { kinds }: KindOf): Pick<AddressMap, 'cells' | 'kinds'> {
  const letters = new Map(kinds.map((kind, index) => [kind, String.fromCharCode('a'.charCodeAt(0) + index)]));
  const text = Array.from(
    { length: cells.count },
    (_, cell) => letters.get(cells.most(cell) ?? '') ?? UNANNOUNCED_CELL,
  );
  return { cells: text.join(''), kinds: [...kinds] };
}

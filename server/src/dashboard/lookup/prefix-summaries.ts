/** Prefixes as the dashboard shows them: what the API says of them, with threat levels, numbers of addresses and a map. */

import type { Dataset } from '@whence/dataset/internal/file/read';
import type { Range } from '@whence/dataset/prefix';
import { CONNECTION_TYPES, THREAT_LEVELS } from '@whence/dataset/record';
import type { Requester } from '../../limits/cost-classes.ts';
import type { AddressCount } from '../../lookup/address-counts.ts';
import { Cells } from '../../lookup/cells.ts';
import type { DatasetWalks, GiveWay } from '../../lookup/dataset-walks.ts';
import { countAddresses, describePart, describeText } from '../../lookup/prefix-content.ts';
import { WalkScratch, walkPrefix } from '../../lookup/prefix-walk.ts';
import type { PrefixSummary } from '../wire/lookups.ts';

export type PrefixRequest = { readonly range: Range; readonly length: number };

/** Cells in the map of a prefix. */
const MAX_CELLS = 256;

type PrefixCounts = Omit<PrefixSummary, 'prefix' | 'covered_by' | 'special_purpose' | 'limits' | 'credits'>;

export class PrefixSummaries {
  readonly #walks: DatasetWalks;
  /** One per dataset: walks run one at a time. */
  readonly #scratch = new WeakMap<Dataset, WalkScratch>();

  constructor(walks: DatasetWalks) {
    this.#walks = walks;
  }

  /** `prefix` is the request as text. */
  find(dataset: Dataset, prefix: string, request: PrefixRequest, requester: Requester): Promise<PrefixCounts> {
    return this.#walks.run(dataset, prefix, requester, (giveWay) => {
      const scratch = this.#scratch.get(dataset) ?? new WalkScratch(dataset);
      this.#scratch.set(dataset, scratch);
      return summarizePrefix(dataset, request, scratch, giveWay);
    });
  }
}

export async function summarizePrefix(
  dataset: Dataset,
  { range, length }: PrefixRequest,
  scratch: WalkScratch,
  giveWay: GiveWay,
): Promise<PrefixCounts> {
  const addresses = range.end - range.start + 1n;
  const count = addresses < MAX_CELLS ? Number(addresses) : MAX_CELLS;
  const levelCells = new Cells(range.start, addresses, count, THREAT_LEVELS);
  const typeCells = new Cells(range.start, addresses, count, CONNECTION_TYPES);
  const { parts, partCount, size, announced } = await walkPrefix(
    dataset,
    range,
    scratch,
    giveWay,
    (start, end, match) => {
      const { level, connection_type } = describeText(dataset, dataset.textOf(match));
      levelCells.add(start, end, level);
      typeCells.add(start, end, connection_type);
    },
  );
  const { networks, types, countries, flags, levels } = countAddresses(dataset, scratch);
  const unit = range.version === 4 || length > 64 ? 'addresses' : 'slash64s';
  // A walk measures IPv6 in /64s. A part of one counts as one.
  const perUnit = range.version === 6 && unit === 'addresses' ? 2 ** 64 : 1;
  const counted = (amount: number) => (amount === 0 ? 0 : Math.max(1, Math.round(amount * perUnit)));
  const inUnits = <Row extends AddressCount<string> | (typeof networks)[number]>(rows: readonly Row[]): Row[] =>
    rows.map((row) => ({ ...row, addresses: counted(row.addresses) }));
  return {
    unit,
    size: counted(size),
    announced: counted(announced),
    cells: Array.from({ length: count }, (_, cell) => {
      const [level, connection_type] = [levelCells.most(cell), typeCells.most(cell)];
      const share = Math.floor(levelCells.announced(cell) * 1000) / 1000;
      return { announced: share, ...(level && { level }), ...(connection_type && { connection_type }) };
    }),
    parts: parts.map((part) => {
      const { score, level } = dataset.record(part.start, part.match).threat;
      return { ...describePart(dataset, part), score, level };
    }),
    part_count: partCount,
    connection_types: inUnits(types),
    flags: inUnits(flags),
    threat_levels: inUnits(levels),
    countries: inUnits(countries),
    networks: inUnits(networks),
  };
}

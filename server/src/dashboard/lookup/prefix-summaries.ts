/**
 * Prefixes as the dashboard shows them: what the API says of them, with threat levels and numbers
 * of addresses.
 */

import type { Dataset } from '@whence/dataset/dataset';
import { scannerOf } from '../../address/scanner.ts';
import {
  type AddressCount,
  countAddresses,
  describePart,
  type PrefixRequest,
} from '../../lookup/prefix-content.ts';
import { type Walk, type WalkScratch, walkPrefix } from '../../lookup/prefix-walk.ts';
import { present } from '../../present.ts';
import type { PrefixSummary } from '../wire/lookups.ts';

export type PrefixCounts = Omit<
  PrefixSummary,
  'prefix' | 'covered_by' | 'special_purpose' | 'rpki_as_of' | 'limits' | 'credits'
>;

export function* summarizePrefix(
  dataset: Dataset,
  { range, length }: PrefixRequest,
  scratch: WalkScratch,
): Walk<PrefixCounts> {
  const { parts, partCount, size, announced } = yield* walkPrefix(dataset, range, scratch);
  const { networks, types, countries, flags, levels } = yield* countAddresses(dataset, scratch);
  const unit = range.version === 4 || length > 64 ? 'addresses' : 'slash64s';
  // A walk measures IPv6 in /64s. A part of one counts as one.
  const perUnit = range.version === 6 && unit === 'addresses' ? 2 ** 64 : 1;
  const counted = (amount: number) =>
    amount === 0 ? 0 : Math.max(1, Math.round(amount * perUnit));
  const inUnits = <Row extends AddressCount<string> | (typeof networks)[number]>(
    rows: readonly Row[],
  ): Row[] => rows.map((row) => ({ ...row, addresses: counted(row.addresses) }));
  const describedParts: PrefixCounts['parts'] = [];
  for (const part of parts) {
    yield;
    const record = dataset.record(part.start, part.match);
    const { score, level } = record.threat;
    const scanner = scannerOf(dataset, part.match)?.operator;
    describedParts.push({
      ...describePart(part, record),
      ...(scanner !== undefined && { scanner }),
      score,
      level,
      ...present({ threat_gap: dataset.threatGap(range.version, part.match) }),
    });
  }
  return {
    unit,
    size: counted(size),
    announced: counted(announced),
    parts: describedParts,
    part_count: partCount,
    connection_types: inUnits(types),
    flags: inUnits(flags),
    threat_levels: inUnits(levels),
    countries: inUnits(countries),
    networks: inUnits(networks),
  };
}

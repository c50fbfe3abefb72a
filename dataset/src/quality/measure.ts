// The quality rows of a build: sources held out, frozen labels of countries, change since the previous version.

import { latest } from '../data-files/csv-table.ts';
import { countryLabels } from '../data-files/data-files.ts';
import { forEachSegment } from '../diff/segments.ts';
import type { Dataset } from '../file/read.ts';
import { getOrInsert } from '../get-or-insert.ts';
import { fromBigInt, spaceOf } from '../prefix.ts';
import type { IpRecord, QualityRow } from '../record.ts';
import { rounded, WeightedShare } from '../weighted-share.ts';

/** `contains`: per source, the ids of the feeds that it repeats. */
export function measureQuality(
  heldOut: readonly QualityRow[],
  dataset: Dataset,
  previous: Dataset | undefined,
  contains: ReadonlyMap<string, readonly string[]> = new Map(),
): QualityRow[] {
  const rows = [
    ...heldOut,
    ...countryRows(dataset, contains),
    ...(previous === undefined ? [] : changeRows(previous, dataset)),
  ];
  return rows.sort(
    (a, b) => compareText(a.field, b.field) || compareText(a.measure, b.measure) || compareText(a.labels, b.labels),
  );
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

// By the frozen sample of geofeeds. An operator is left out if a list of it, or one that repeats it, is a source: rows
// of the embedded default are where others were wrong, so the rest would say that they never are.
function countryRows(dataset: Dataset, contains: ReadonlyMap<string, readonly string[]>): QualityRow[] {
  const used = new Set(dataset.meta.sources.flatMap(({ id }) => [id, ...(contains.get(id) ?? [])]));
  const measured = countryLabels.rows.filter(({ feeds }) => !feeds.split(' ').some((id) => used.has(id)));
  const operators = new Set(measured.map(({ operator }) => operator));
  return [...operators].flatMap((operator) => {
    const shares = { 4: new WeightedShare(), 6: new WeightedShare() };
    const rows = measured.filter((row) => row.operator === operator);
    for (const { prefix, country } of rows) {
      const match = dataset.find(fromBigInt(prefix.start, prefix.version));
      if (match === 0) continue;
      shares[prefix.version].add(dataset.attributes(dataset.attributesOf(match)).country === country, 1);
    }
    return ([4, 6] as const).flatMap((version): QualityRow[] => {
      const finished = shares[version].finish();
      if (finished === undefined) return [];
      const row = { field: 'country', measure: 'accuracy', family: `ipv${version}`, weight: 'prefix' } as const;
      const labels = `geofeed of ${operator} (frozen sample)`;
      return [{ ...row, ...finished, labels, labels_as_of: latest(rows), held_out: false }];
    });
  });
}

type Traits = Pick<IpRecord, 'country' | 'connection_type'> & Readonly<Record<string, unknown>>;

const COMPARED = [
  'asn',
  'country',
  'connection_type',
  'cloud_provider',
  'is_vpn',
  'is_tor_exit',
  'is_proxy',
  'is_ai_crawler',
] as const;

/** Space that both versions answer. An exact count, so the interval is the value itself. */
function changeRows(before: Dataset, after: Dataset): QualityRow[] {
  return ([4, 6] as const).flatMap((version) => {
    const changed = new Map<string, number>(COMPARED.map((field) => [field, 0]));
    let all = 0;
    const traits = { before: traitsOf(before), after: traitsOf(after) };
    const differing = new Map<number, readonly string[]>();
    forEachSegment(before.runs(version), after.runs(version), (start, end, a, b) => {
      if (a === 0 || b === 0) return;
      const size = spaceOf(version, end - start + 1n);
      all += size;
      if (before.asnNumber(a) !== after.asnNumber(b)) changed.set('asn', (changed.get('asn') ?? 0) + size);
      const [from, to] = [before.attributesOf(a), after.attributesOf(b)];
      const fields = getOrInsert(differing, from * 2 ** 26 + to, () => {
        const [old, now] = [traits.before(from), traits.after(to)];
        return COMPARED.filter((field) => field !== 'asn' && old[field] !== now[field]);
      });
      for (const field of fields) changed.set(field, (changed.get(field) ?? 0) + size);
    });
    if (all === 0) return [];
    return [...changed].map(([field, space]): QualityRow => {
      const value = rounded(space / all);
      return {
        field,
        measure: 'changed',
        family: `ipv${version}`,
        weight: version === 4 ? 'address' : 'slash48',
        value,
        n: Math.round(all),
        interval: [value, value],
        labels: `version ${before.meta.version}`,
        labels_as_of: before.meta.built_at.slice(0, 10),
        held_out: false,
      };
    });
  });
}

function traitsOf(dataset: Dataset): (set: number) => Traits {
  const known = new Map<number, Traits>();
  return (set) =>
    getOrInsert(known, set, () => {
      const { country, connection_type, detection } = dataset.attributes(set);
      return { country, connection_type, ...detection };
    });
}

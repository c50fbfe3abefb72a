// Countries by a frozen sample of geofeeds. An operator is left out if a list of it, or one that
// repeats it, is a source: rows of the embedded default are where others were wrong, so the rest
// would say that they never are.

import type { CompileInput } from '../../compile/input/compile-input.ts';
import { countryLabels } from '../../data-files/data-files.ts';
import type { Dataset } from '../../file/read.ts';
import { fromBigInt } from '../../prefix.ts';
import type { QualityRow } from './quality-row.ts';
import { WeightedShare } from './weighted-share.ts';

export function countrySampleRows(input: CompileInput, dataset: Dataset): QualityRow[] {
  const repeated = input.overlays.flatMap(({ contains = [] }) => contains);
  const used = new Set([...dataset.meta.sources.map(({ id }) => id), ...repeated]);
  const measured = countryLabels.rows.filter(
    ({ feeds }) => !feeds.split(' ').some((id) => used.has(id)),
  );
  const operators = new Set(measured.map(({ operator }) => operator));
  return [...operators].flatMap((operator) => {
    const shares = { 4: new WeightedShare(), 6: new WeightedShare() };
    for (const { prefix, country } of measured.filter((row) => row.operator === operator)) {
      const match = dataset.find(fromBigInt(prefix.start, prefix.version));
      if (match === 0) continue;
      const answer = dataset.attributes(dataset.attributesOf(match)).country;
      shares[prefix.version].add(answer === country, 1);
    }
    return ([4, 6] as const).flatMap((version): QualityRow[] => {
      const finished = shares[version].finish();
      if (finished === undefined) return [];
      const unit = `IPv${version} prefixes`;
      const labels = `geofeed of ${operator}, frozen sample`;
      return [{ field: 'country', measure: 'accuracy', ...finished, unit, labels }];
    });
  });
}

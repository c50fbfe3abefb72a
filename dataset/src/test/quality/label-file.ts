// The answers of a dataset against a file of labels. A prefix has the answer of most of its
// addresses.

import type { Dataset } from '../../file/read.ts';
import { getOrInsert } from '../../get-or-insert.ts';
import { fromBigInt, type Range } from '../../prefix.ts';
import { FLAGS } from '../../record.ts';
import type { LabelRow } from './label-rows.ts';
import type { QualityMeasure, QualityRow } from './quality-row.ts';
import { WeightedShare } from './weighted-share.ts';

type LabelCheck = {
  readonly rows: readonly QualityRow[];
  /** Labels that the answer disagrees with. */
  readonly wrong: readonly string[];
  /** Labels of addresses without a record, which are left out. */
  readonly unanswered: number;
};

/** A wide prefix is sampled up to this many runs. */
const MAX_RUNS = 4096;

/** `name`: of the file, as the rows call the labels. */
export function checkLabels(
  dataset: Dataset,
  labels: readonly LabelRow[],
  name: string,
): LabelCheck {
  const shares = new Map<
    string,
    Record<QualityMeasure & ('accuracy' | 'precision' | 'recall'), WeightedShare>
  >();
  const wrong: string[] = [];
  let unanswered = 0;
  for (const { subject, range, expected } of labels) {
    const answer = mainAnswer(dataset, range);
    if (answer === undefined) {
      unanswered++;
      continue;
    }
    for (const [field, value] of expected) {
      const given = answer[field] ?? 'none';
      const share = getOrInsert(shares, field, () => ({
        accuracy: new WeightedShare(),
        precision: new WeightedShare(),
        recall: new WeightedShare(),
      }));
      share.accuracy.add(value === given, 1);
      if (isFlag(field) && given === 'true') share.precision.add(value === 'true', 1);
      if (isFlag(field) && value === 'true') share.recall.add(given === 'true', 1);
      if (value !== given) wrong.push(`${subject}: ${field} ${given}, expected ${value}`);
    }
  }
  const rows = [...shares].flatMap(([field, byMeasure]) =>
    (['accuracy', 'precision', 'recall'] as const).flatMap((measure): QualityRow[] => {
      const finished = byMeasure[measure].finish();
      return finished === undefined
        ? []
        : [{ field, measure, ...finished, unit: 'labels', labels: name }];
    }),
  );
  return { rows, wrong, unanswered };
}

const isFlag = (field: string) => (FLAGS as readonly string[]).includes(field);

/** The values of the record by field, as texts. */
function mainAnswer(
  dataset: Dataset,
  { version, start, end }: Range,
): Readonly<Record<string, string>> | undefined {
  const space = new Map<number, bigint>();
  for (let at = start, runs = 0; at <= end && runs < MAX_RUNS; runs++) {
    const address = fromBigInt(at, version);
    const match = dataset.find(address);
    const bounds = dataset.bounds(address);
    const last = bounds.end < end ? bounds.end : end;
    if (match !== 0) space.set(match, (space.get(match) ?? 0n) + (last - at + 1n));
    at = last + 1n;
  }
  let main = 0;
  for (const [match, size] of space) if (main === 0 || size > (space.get(main) ?? 0n)) main = match;
  if (main === 0) return undefined;
  const { country, rir, connection_type, detection, threat } = dataset.attributes(
    dataset.attributesOf(main),
  );
  const values = {
    asn: dataset.asnNumber(main),
    country,
    rir,
    connection_type,
    ...detection,
    threat_level: threat.level,
  };
  return Object.fromEntries(Object.entries(values).map(([field, value]) => [field, String(value)]));
}

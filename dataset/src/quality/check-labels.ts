// The answers of a dataset against labels. A prefix has the answer of most of its addresses.

import type { Dataset } from '../file/read.ts';
import { getOrInsert } from '../get-or-insert.ts';
import { fromBigInt, type Range } from '../prefix.ts';
import { FLAGS } from '../record.ts';
import { WeightedShare } from '../weighted-share.ts';
import type { LabelRow } from './label-rows.ts';

type Share = NonNullable<ReturnType<WeightedShare['finish']>>;

export type FieldCheck = {
  field: string;
  accuracy: Share;
  /** For flags only, and only where there is something to divide by. */
  precision?: Share;
  recall?: Share;
  /** The most frequent pairs first. */
  confusion: { expected: string; answer: string; rows: number }[];
};

type WorstNetwork = { asn: number; asn_name: string; rows: number; wrong: number; example: string };

export type LabelCheck = {
  version: number;
  /** Rows that were compared, and rows without a record, which are left out. */
  rows: number;
  unanswered: number;
  fields: FieldCheck[];
  worst_networks: WorstNetwork[];
};

/** A wide prefix is sampled up to this many runs. */
const MAX_RUNS = 4096;

export function checkLabels(dataset: Dataset, rows: readonly LabelRow[], limit: number): LabelCheck {
  const fields = new Map<string, FieldCounter>();
  const networks = new Map<number, { rows: number; wrong: number; example: string }>();
  let unanswered = 0;
  for (const { subject, range, expected } of rows) {
    const answer = mainAnswer(dataset, range);
    if (answer === undefined) {
      unanswered++;
      continue;
    }
    const network = getOrInsert(networks, answer.asn, () => ({ rows: 0, wrong: 0, example: '' }));
    network.rows++;
    let isWrong = false;
    for (const [field, value] of expected) {
      const given = answer.values[field] ?? 'none';
      getOrInsert(fields, field, () => new FieldCounter(field)).add(value, given);
      if (value === given) continue;
      isWrong = true;
      if (network.example === '') network.example = `${subject}: ${field} ${given}, expected ${value}`;
    }
    if (isWrong) network.wrong++;
  }
  const worst = [...networks]
    .filter(([, { wrong }]) => wrong > 0)
    .sort(([a, x], [b, y]) => y.wrong - x.wrong || a - b)
    .slice(0, limit);
  return {
    version: dataset.meta.version,
    rows: rows.length - unanswered,
    unanswered,
    fields: [...fields.values()].map((counter) => counter.finish()),
    worst_networks: worst.map(([asn, network]) => ({
      asn,
      asn_name: dataset.asn(asn)?.asn_name ?? '',
      ...network,
    })),
  };
}

/** The lowest share that a limit applies to: accuracy, and for flags precision and recall as well. */
export function lowestShare({ fields }: LabelCheck): { field: string; measure: string; value: number } | undefined {
  return fields
    .flatMap(({ field, accuracy, precision, recall }) =>
      Object.entries({ accuracy, precision, recall }).flatMap(([measure, share]) =>
        share === undefined ? [] : [{ field, measure, value: share.value }],
      ),
    )
    .sort((a, b) => a.value - b.value)[0];
}

class FieldCounter {
  readonly #field: string;
  readonly #pairs = new Map<string, FieldCheck['confusion'][number]>();

  constructor(field: string) {
    this.#field = field;
  }

  add(expected: string, answer: string): void {
    getOrInsert(this.#pairs, `${expected}\t${answer}`, () => ({ expected, answer, rows: 0 })).rows++;
  }

  finish(): FieldCheck {
    const pairs = [...this.#pairs.values()].sort((a, b) => b.rows - a.rows);
    const isFlag = (FLAGS as readonly string[]).includes(this.#field);
    const shareWith = (end: 'answer' | 'expected') =>
      isFlag ? shareOf(pairs.filter((pair) => pair[end] === 'true')) : undefined;
    const [precision, recall] = [shareWith('answer'), shareWith('expected')];
    return {
      field: this.#field,
      accuracy: shareOf(pairs) as Share,
      ...(precision && { precision }),
      ...(recall && { recall }),
      confusion: pairs,
    };
  }
}

/** Of right answers. */
function shareOf(pairs: readonly FieldCheck['confusion'][number][]): Share | undefined {
  const share = new WeightedShare();
  // One row at a time: rows of a pair are separate labels.
  for (const { expected, answer, rows } of pairs)
    for (let row = 0; row < rows; row++) share.add(expected === answer, 1);
  return share.finish();
}

type Answer = { readonly asn: number; readonly values: Readonly<Record<string, string>> };

function mainAnswer(dataset: Dataset, { version, start, end }: Range): Answer | undefined {
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
  const { country, rir, connection_type, detection, threat } = dataset.attributes(dataset.attributesOf(main));
  const asn = dataset.asnNumber(main);
  const values = { asn, country, rir, connection_type, ...detection, threat_level: threat.level };
  return { asn, values: Object.fromEntries(Object.entries(values).map(([field, value]) => [field, String(value)])) };
}

import { forEachSegment } from '../diff/segments.ts';
import { type Match, prefixLength } from '../file/format.ts';
import type { Dataset } from '../file/read.ts';
import { Numbers } from '../get-or-insert.ts';
import { type SourceDates, sourceDates, withoutDates } from './record-text.ts';

/** Both ends are included. `length` is -1 where the older version has no record. The numbers are those of `texts`. */
export type ChangedRange = {
  readonly start: bigint;
  end: bigint;
  readonly length: number;
  readonly network: number;
  readonly attributes: number;
};

/** `texts`: of both versions. A text that both have is there once. */
type ChangedRanges = { readonly ranges: Record<4 | 6, ChangedRange[]>; readonly texts: readonly string[] };

export function changedRanges(before: Dataset, after: Dataset): ChangedRanges {
  const numbers = new Numbers();
  const [old, now] = [new TextNumbers(before, numbers), new TextNumbers(after, numbers)];
  const ranges = { 4: familyRanges(before, after, 4, old, now), 6: familyRanges(before, after, 6, old, now) };
  return { ranges, texts: [...numbers.keys()] };
}

function familyRanges(
  before: Dataset,
  after: Dataset,
  version: 4 | 6,
  old: TextNumbers,
  now: TextNumbers,
): ChangedRange[] {
  const ranges: ChangedRange[] = [];
  forEachSegment(before.runs(version), after.runs(version), (start, end, from, to) => {
    const length = from === 0 ? -1 : prefixLength(from);
    const network = from === 0 ? 0 : old.network(from);
    const attributes = from === 0 ? 0 : old.attributes(from);
    const isSame =
      from !== 0 &&
      to !== 0 &&
      length === prefixLength(to) &&
      network === now.network(to) &&
      attributes === now.attributes(to);
    if (isSame) return;
    const last = ranges.at(-1);
    if (
      last !== undefined &&
      last.end + 1n === start &&
      last.length === length &&
      last.network === network &&
      last.attributes === attributes
    )
      last.end = end;
    else ranges.push({ start, end, length, network, attributes });
  });
  return ranges;
}

/** Numbers of the texts of one version, made once for each network and each text of attributes. */
class TextNumbers {
  readonly #dataset: Dataset;
  readonly #dates: SourceDates;
  readonly #numbers: Numbers;
  readonly #networks: (number | undefined)[] = [];
  readonly #attributes: (number | undefined)[] = [];

  constructor(dataset: Dataset, numbers: Numbers) {
    this.#dataset = dataset;
    this.#dates = sourceDates(dataset.meta);
    this.#numbers = numbers;
  }

  network(match: Match): number {
    const row = this.#dataset.rowOf(match);
    this.#networks[row] ??= this.#numbers.of(this.#dataset.networkJson(match));
    return this.#networks[row];
  }

  attributes(match: Match): number {
    const text = this.#dataset.textOf(match);
    this.#attributes[text] ??= this.#numbers.of(
      withoutDates(this.#dataset.attributesJson(this.#dataset.attributesOf(match)), this.#dates),
    );
    return this.#attributes[text];
  }
}

import { forEachSegment } from '../diff/segments.ts';
import { type Match, prefixLength } from '../file/format.ts';
import type { Dataset } from '../file/read.ts';
import { Numbers } from '../get-or-insert.ts';
import { isSameText, sourceDates, withoutDates } from './record-text.ts';

/** Both ends are included. `length` is -1 where the older version has no record. The numbers are those of `texts`. */
export type ChangedRange = NumberedText & { readonly start: bigint; end: bigint };
type NumberedText = { readonly length: number; readonly network: number; readonly attributes: number };

const NO_RECORD: NumberedText = { length: -1, network: 0, attributes: 0 };

/** `texts`: of both versions. A text that both have is there once. */
type ChangedRanges = { readonly ranges: Record<4 | 6, ChangedRange[]>; readonly texts: readonly string[] };

export function changedRanges(before: Dataset, after: Dataset): ChangedRanges {
  const numbers = new Numbers();
  const [old, now] = [numberedTexts(before, numbers), numberedTexts(after, numbers)];
  const familyRanges = (version: 4 | 6): ChangedRange[] => {
    const ranges: ChangedRange[] = [];
    forEachSegment(before.runs(version), after.runs(version), (start, end, from, to) => {
      const text = old(from);
      if (from !== 0 && to !== 0 && isSameText(text, now(to))) return;
      const last = ranges.at(-1);
      if (last !== undefined && last.end + 1n === start && isSameText(last, text)) last.end = end;
      else ranges.push({ start, end, ...text });
    });
    return ranges;
  };
  return { ranges: { 4: familyRanges(4), 6: familyRanges(6) }, texts: [...numbers.keys()] };
}

/** Each network and each text of attributes is written once. */
function numberedTexts(dataset: Dataset, numbers: Numbers): (match: Match) => NumberedText {
  const dates = sourceDates(dataset.meta);
  const networks: (number | undefined)[] = [];
  const attributes: (number | undefined)[] = [];
  return (match) => {
    if (match === 0) return NO_RECORD;
    const [row, text] = [dataset.rowOf(match), dataset.textOf(match)];
    networks[row] ??= numbers.of(dataset.networkJson(match));
    attributes[text] ??= numbers.of(withoutDates(dataset.attributesJson(dataset.attributesOf(match)), dates));
    return { length: prefixLength(match), network: networks[row], attributes: attributes[text] };
  };
}

/**
 * The addresses that meet the conditions of lists, as the fewest prefixes that have exactly them,
 * in the order of addresses. One walk over the dataset serves all lists. Between two cuts, where a
 * prefix of a list or a special-purpose range begins or ends, conditions can tell addresses apart
 * by their records alone, so each record is tried once there.
 */

import type { Dataset } from '@whence/dataset/dataset';
import { getOrInsert } from '@whence/dataset/get-or-insert';
import { type Match, recordNumber } from '@whence/dataset/match';
import { addressBits, fromBigInt, parsePrefix, type Range } from '@whence/dataset/prefix';
import { specialPurposeRanges } from '@whence/dataset/special-purpose';
import { formatPrefixes } from '../export/merged-ranges.ts';
import { type OnPart, walkAtOnce, walkPrefix } from '../lookup/prefix-walk.ts';
import { addressMatcher, factsOf, ruleRecord } from '../rules/decide.ts';
import type { Conditions } from '../rules/rule-sets.ts';

/** One prefix per line: 18 bytes for each, while all lists are in memory. */
type ListedPrefixes = Readonly<Record<4 | 6, string>>;

/** A text that is extended by a prefix at a time takes three times the memory. */
const PREFIXES_PER_TEXT = 1_024;

/** In the order of `lists`. */
export function listPrefixes(
  lists: readonly Conditions[],
  dataset: Dataset,
): readonly ListedPrefixes[] {
  const matchers = lists.map((conditions) => addressMatcher(conditions));
  const merged = {
    4: lists.map(() => new MergedPrefixes(4)),
    6: lists.map(() => new MergedPrefixes(6)),
  };
  for (const version of [4, 6] as const) {
    const end = (1n << BigInt(addressBits(version))) - 1n;
    const cuts = cutsOf(lists, version);
    let nextCut = 0;
    /** Lists that have the addresses of a record, by its number; 0 for what is not announced. */
    let listedByRecord = new Map<number, readonly MergedPrefixes[]>();
    const add = (start: bigint, last: bigint, match?: Match) => {
      for (let from = start; from <= last; ) {
        if ((cuts[nextCut] ?? end + 1n) <= from) listedByRecord = new Map();
        while ((cuts[nextCut] ?? end + 1n) <= from) nextCut++;
        const cut = cuts[nextCut];
        const to = cut === undefined || cut > last ? last : cut - 1n;
        const number = match === undefined ? 0 : recordNumber(match);
        const first = from;
        const listed = getOrInsert(listedByRecord, number, () => {
          const record = match === undefined ? undefined : ruleRecord(dataset, match);
          const facts = factsOf({ address: fromBigInt(first, version) }, record);
          return merged[version].filter((_, i) => matchers[i]?.(facts) === true);
        });
        for (const prefixes of listed) prefixes.add(from, to);
        from = to + 1n;
      }
    };
    let next = 0n;
    const onPart: OnPart = (start, last, match) => {
      if (start > next) add(next, start - 1n);
      add(start, last, match);
      next = last + 1n;
    };
    walkAtOnce(walkPrefix(dataset, { version, start: 0n, end }, undefined, onPart));
    if (next <= end) add(next, end);
  }
  return lists.map((_, i) => ({
    4: merged[4][i]?.finish() ?? '',
    6: merged[6][i]?.finish() ?? '',
  }));
}

/** Ranges are added in ascending order. */
class MergedPrefixes {
  readonly #version: 4 | 6;
  #start = 0n;
  /** The last address of the open range; -1 without one. */
  #end = -1n;
  #lines = '';
  #last: string[] = [];

  constructor(version: 4 | 6) {
    this.#version = version;
  }

  add(start: bigint, end: bigint): void {
    if (this.#end + 1n !== start || this.#end === -1n) {
      this.#close();
      this.#start = start;
    }
    this.#end = end;
  }

  finish(): string {
    this.#close();
    return this.#lines + this.#last.join('');
  }

  #close(): void {
    if (this.#end === -1n) return;
    for (const prefix of formatPrefixes({
      version: this.#version,
      start: this.#start,
      end: this.#end,
    }))
      this.#last.push(`${prefix}\n`);
    this.#end = -1n;
    if (this.#last.length < PREFIXES_PER_TEXT) return;
    this.#lines += this.#last.join('');
    this.#last = [];
  }
}

/** First addresses of what a condition on the address itself can tell apart, ascending. */
function cutsOf(lists: readonly Conditions[], version: 4 | 6): bigint[] {
  const named = lists.flatMap(({ prefixes = [] }) =>
    prefixes.flatMap((text) => parsePrefix(text) ?? []),
  );
  const ranges: Range[] = [
    ...named.filter((range) => range.version === version),
    ...specialPurposeRanges(version),
  ];
  return [...new Set(ranges.flatMap(({ start, end }) => [start, end + 1n]))].sort((a, b) =>
    a < b ? -1 : 1,
  );
}

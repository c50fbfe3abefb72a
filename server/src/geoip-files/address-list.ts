/**
 * The addresses that meet the conditions of a list, as the fewest prefixes that have exactly them, in the order of
 * addresses. The conditions are tried once for each run of addresses that they cannot tell apart: a run of the dataset, or
 * a part of it where a prefix of the list or a special-purpose range begins or ends.
 */
import { type Match, recordNumber } from '@whence/dataset/internal/file/format';
import type { Dataset } from '@whence/dataset/internal/file/read';
import { addressBits, fromBigInt, parsePrefix, type Range } from '@whence/dataset/prefix';
import type { IpRecord } from '@whence/dataset/record';
import { specialPurposeRanges } from '@whence/dataset/special-purpose';
import { formatPrefixes } from '../export/merged-ranges.ts';
import type { YieldToEventLoop } from '../lookup/dataset-walks.ts';
import { walkPrefix } from '../lookup/prefix-walk.ts';
import { addressMatcher, factsOf, unknownFlagsOf } from '../rules/decide.ts';
import type { Conditions } from '../rules/rule-sets.ts';

export type ListedPrefixes = Readonly<Record<4 | 6, readonly string[]>>;

/** Prefixes between two looks at the clock. */
const PREFIXES_PER_LOOK = 256;

export async function listPrefixes(
  conditions: Conditions,
  dataset: Dataset,
  yieldToEventLoop: YieldToEventLoop,
): Promise<ListedPrefixes> {
  const matches = addressMatcher(conditions, unknownFlagsOf(dataset));
  const recordOf = recordReader(dataset);
  const listed: Record<4 | 6, string[]> = { 4: [], 6: [] };
  for (const version of [4, 6] as const) {
    const end = (1n << BigInt(addressBits(version))) - 1n;
    const found = new MatchingRanges(version, cutsOf(conditions, version), (start, match) =>
      matches(factsOf({ address: fromBigInt(start, version) }, match === undefined ? undefined : recordOf(match))),
    );
    let next = 0n;
    await walkPrefix(dataset, { version, start: 0n, end }, undefined, yieldToEventLoop, (start, last, match) => {
      if (start > next) found.add(next, start - 1n, undefined);
      found.add(start, last, match);
      next = last + 1n;
    });
    if (next <= end) found.add(next, end, undefined);
    for (const range of found.ranges)
      for (const prefix of formatPrefixes(range))
        if (listed[version].push(prefix) % PREFIXES_PER_LOOK === 0) await yieldToEventLoop();
  }
  return listed;
}

/** Ranges are added in ascending order, without gaps. */
class MatchingRanges {
  readonly ranges: { version: 4 | 6; start: bigint; end: bigint }[] = [];
  readonly #version: 4 | 6;
  readonly #cuts: readonly bigint[];
  readonly #matches: (start: bigint, match: Match | undefined) => boolean;
  #nextCut = 0;

  constructor(version: 4 | 6, cuts: readonly bigint[], matches: (start: bigint, match: Match | undefined) => boolean) {
    this.#version = version;
    this.#cuts = cuts;
    this.#matches = matches;
  }

  /** `match` is undefined for addresses that are not announced. */
  add(start: bigint, end: bigint, match: Match | undefined): void {
    for (let from = start; from <= end; ) {
      while ((this.#cuts[this.#nextCut] ?? end + 1n) <= from) this.#nextCut++;
      const cut = this.#cuts[this.#nextCut];
      const to = cut === undefined || cut > end ? end : cut - 1n;
      if (this.#matches(from, match)) this.#append(from, to);
      from = to + 1n;
    }
  }

  #append(start: bigint, end: bigint): void {
    const last = this.ranges.at(-1);
    if (last !== undefined && last.end + 1n === start) last.end = end;
    else this.ranges.push({ version: this.#version, start, end });
  }
}

/** First addresses of what a condition on the address itself can tell apart, ascending. */
function cutsOf({ prefixes = [] }: Conditions, version: 4 | 6): bigint[] {
  const named = prefixes.map(parsePrefix).filter((range): range is Range => range?.version === version);
  const cuts = [...named, ...specialPurposeRanges(version)].flatMap(({ start, end }) => [start, end + 1n]);
  return [...new Set(cuts)].sort((a, b) => (a < b ? -1 : 1));
}

/** What conditions compare, each record once: a million runs share about 140,000 of them. */
function recordReader(dataset: Dataset): (match: Match) => IpRecord {
  const attributes: ReturnType<Dataset['attributes']>[] = [];
  const records: IpRecord[] = [];
  return (match) => {
    const number = recordNumber(match);
    const known = records[number];
    if (known !== undefined) return known;
    const set = dataset.attributesOf(match);
    attributes[set] ??= dataset.attributes(set);
    // Conditions compare neither the address, the prefix nor the name.
    const record = { ...attributes[set], asn: dataset.asnNumber(match), ip: '', prefix: '', asn_name: '' };
    records[number] = record;
    return record;
  };
}

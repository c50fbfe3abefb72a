// A record without its address and the dates of its sources, for comparison: `threat.explanation` names the date of
// each list, so every listed address would have another record after every update.
import { type Address, formatAddress } from '../address.ts';
import { type Match, prefixLength } from '../file/format.ts';
import type { Dataset } from '../file/read.ts';
import { formatPrefix } from '../prefix.ts';
import type { Meta } from '../record.ts';

export type RecordText = {
  readonly length: number;
  readonly network: string;
  /** The members from `country` on, as JSON, with DATE instead of dates. */
  readonly attributes: string;
};

/** Date by source. A source with several dates is not in it. */
export type SourceDates = ReadonlyMap<string, string>;

/** Texts are ASCII, so they do not contain it. */
const DATE = '§';
const DATED = /\(([^(),\s]+), (\d{4}-\d\d-\d\d)\)/g;
const UNDATED = /\(([^(),\s]+), §\)/g;

export function sourceDates({ sources }: Pick<Meta, 'sources'>): SourceDates {
  const dates = new Map<string, string>();
  const ambiguous = new Set<string>();
  for (const { id, as_of } of sources) {
    if ((dates.get(id) ?? as_of) !== as_of) ambiguous.add(id);
    dates.set(id, as_of);
  }
  for (const id of ambiguous) dates.delete(id);
  return dates;
}

export function withoutDates(attributes: string, dates: SourceDates): string {
  return attributes.replace(DATED, (text, id: string, date: string) =>
    dates.get(id) === date ? `(${id}, ${DATE})` : text,
  );
}

export function recordText(dataset: Dataset, match: Match, dates: SourceDates): RecordText | undefined {
  if (match === 0) return undefined;
  return {
    length: prefixLength(match),
    network: dataset.networkJson(match),
    attributes: withoutDates(dataset.attributesJson(dataset.attributesOf(match)), dates),
  };
}

/** The record as `Dataset.json` writes it. */
export function recordJson(address: Address, { length, network, attributes }: RecordText, dates: SourceDates): string {
  const dated = attributes.replace(UNDATED, (_, id: string) => `(${id}, ${dates.get(id) ?? ''})`);
  return `{"ip":"${formatAddress(address)}","prefix":"${formatPrefix(address, length)}","asn":${network},${dated}}`;
}

type Comparable = { readonly [Field in keyof RecordText]: string | number };

export function isSameText(a: Comparable | undefined, b: Comparable | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.length === b.length && a.network === b.network && a.attributes === b.attributes;
}

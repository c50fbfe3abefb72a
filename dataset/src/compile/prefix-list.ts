/** Builds the list that a feed of prefixes comes to: duplicates dropped, labels kept once each, and what did not read counted. */
import { parseAddress } from '../address.ts';
import { parsePrefix, type Range, toBigInt } from '../prefix.ts';
import type { PrefixList } from './parsed.ts';
import { Ranges } from './ranges.ts';

export class PrefixListBuilder {
  readonly #ranges = { 4: new Ranges(), 6: new Ranges() } as const;
  readonly #labels = new Map<string, number>();
  readonly #seen = new Set<string>();
  #skipped = 0;

  /** Takes a prefix, or an address as a prefix of one. A text that is neither counts as skipped, and false is answered. */
  add(text: string, label = ''): boolean {
    return this.#take(parsePrefix(text.trim()), label);
  }

  /** Takes the addresses from `first` to `last`, both included. */
  addRange(first: string, last: string, label = ''): boolean {
    const start = parseAddress(first.trim());
    const end = parseAddress(last.trim());
    if (start === undefined || end === undefined || start.version !== end.version) return this.#take(undefined, label);
    const range = { version: start.version, start: toBigInt(start), end: toBigInt(end) };
    return this.#take(range.start > range.end ? undefined : range, label);
  }

  /** For a row of which the format itself did not read. */
  skip(): void {
    this.#skipped++;
  }

  finish(asOf?: string): PrefixList {
    return {
      shape: 'prefixes',
      ranges: this.#ranges,
      labels: [...this.#labels.keys()],
      records: this.#ranges[4].length + this.#ranges[6].length,
      skipped: this.#skipped,
      ...(asOf === undefined ? {} : { asOf }),
    };
  }

  #take(range: Range | undefined, label: string): boolean {
    if (range === undefined) {
      this.skip();
      return false;
    }
    const value = this.#labels.get(label) ?? this.#labels.size;
    const { version, start, end } = range;
    const key = `${version} ${value} ${start.toString(16)} ${end.toString(16)}`;
    if (this.#seen.has(key)) return true;
    this.#seen.add(key);
    this.#labels.set(label, value);
    this.#ranges[version].add(start, end, value);
    return true;
  }
}

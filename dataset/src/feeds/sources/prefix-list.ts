// Builds a list of prefixes: duplicates are dropped, labels stored once, unreadable rows counted.
import { parsePrefix, parseRange, type Range } from '../../prefix.ts';
import { Ranges } from '../../ranges.ts';
import type { PrefixList } from '../parsed.ts';

export class PrefixListBuilder {
  readonly #ranges = { 4: new Ranges(), 6: new Ranges() } as const;
  readonly #labels = new Map<string, number>();
  readonly #seen = new Set<number | string>();
  #skipped = 0;

  /**
   * Adds a prefix or a single address. Returns false, and counts the row as skipped, if the text is
   * neither.
   */
  add(text: string, label = ''): boolean {
    return this.#addRow(parsePrefix(text.trim()), label);
  }

  addRange(first: string, last: string): boolean {
    return this.#addRow(parseRange(first.trim(), last.trim()), '');
  }

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

  #addRow(range: Range | undefined, label: string): boolean {
    if (range === undefined) {
      this.skip();
      return false;
    }
    const value = this.#labels.get(label) ?? this.#labels.size;
    const { version, start, end } = range;
    // The size after adding shows whether the row is new, with one lookup instead of two.
    const seen = this.#seen.size;
    if (this.#seen.add(keyOf(range, value)).size === seen) return true;
    this.#labels.set(label, value);
    this.#ranges[version].add(start, end, value);
    return true;
  }
}

/**
 * A number for single IPv4 addresses, which make up the long lists: half the time and memory of a
 * string.
 */
function keyOf({ version, start, end }: Range, value: number): number | string {
  if (version === 4 && start === end && value < 2 ** 20) return value * 2 ** 32 + Number(start);
  return `${version} ${value} ${start.toString(16)} ${end.toString(16)}`;
}

/** `//` begins a comment only after white space, so that `192.0.2.0//24` is invalid. */
export function withoutComment(line: string): string {
  const mark = line.search(/[#;]|(?:^|\s)\/\//);
  return (mark < 0 ? line : line.slice(0, mark)).trim();
}

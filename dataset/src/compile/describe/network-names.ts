/**
 * The names of networks. Sources are in the order of trust; the first that has a value decides. A name that says
 * nothing counts as none, and where a network is labelled by hand, the label may be the better name.
 */
import type { DelegatedAsns, NetworkName } from '../../feeds/parsed.ts';
import type { Source } from '../../record.ts';
import type { NameSource, Stated } from '../input/compile-input.ts';
import { displayName, usableName } from './display-names.ts';

export class NetworkNames {
  readonly #sources: readonly NameSource[];
  readonly #table: Source;

  /** `table`: the networks that are labelled by hand. */
  constructor(sources: readonly NameSource[], table: Source) {
    this.#sources = sources;
    this.#table = table;
  }

  name(asn: number): Stated<string> | undefined {
    const named = this.sourceName(asn);
    const label = displayName(asn, named?.value);
    return label === undefined ? named : { value: label, source: this.#table };
  }

  /**
   * The name by the sources alone, without the table. Some registries publish only the handle as a name; a name that any
   * other source gives is better.
   */
  sourceName(asn: number): Stated<string> | undefined {
    return (
      this.#first(asn, ({ name, handle }) => (name === handle ? undefined : name && usableName(name))) ??
      this.#first(asn, ({ name }) => name && usableName(name))
    );
  }

  handle(asn: number): string | undefined {
    return this.#first(asn, ({ handle }) => handle)?.value;
  }

  country(asn: number): string | undefined {
    return this.#first(asn, ({ country }) => country)?.value;
  }

  /** The AS numbers of all sources; one that several sources name comes several times. */
  *asns(): Generator<number> {
    for (const { names } of this.#sources) yield* names.keys();
  }

  #first(asn: number, pick: (entry: NetworkName) => string | undefined): Stated<string> | undefined {
    for (const { source, names } of this.#sources) {
      const entry = names.get(asn);
      const value = entry && pick(entry);
      if (value !== undefined && value !== '') return { value, source };
    }
    return undefined;
  }
}

/** Which registry keeps an AS number, in which country and since when, by the delegated files. */

/** The first file that lists the number decides. */
export class AsnRegistry {
  readonly #files: readonly (readonly DelegatedAsns[])[];

  constructor(files: readonly (readonly DelegatedAsns[])[]) {
    this.#files = files.map((rows) => [...rows].sort((a, b) => a.first - b.first));
  }

  find(asn: number): DelegatedAsns | undefined {
    for (const rows of this.#files) {
      const row = search(rows, asn);
      if (row !== undefined) return row;
    }
    return undefined;
  }
}

function search(rows: readonly DelegatedAsns[], asn: number): DelegatedAsns | undefined {
  let from = 0;
  let to = rows.length - 1;
  while (from <= to) {
    const middle = (from + to) >>> 1;
    const row = rows[middle] as DelegatedAsns;
    if (asn < row.first) to = middle - 1;
    else if (asn > row.last) from = middle + 1;
    else return row;
  }
  return undefined;
}

/** Which registry keeps an AS number, in which country and since when, by the delegated files. */
import type { DelegatedAsns } from '../../feeds/parsed.ts';

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

/** Looks up one address, counts it and appends the insertion. Shared by all formats. */
import type { Address } from '@whence/dataset/address';
import type { Dataset } from '@whence/dataset/internal/file/read';
import type { Counts } from './counts.ts';
import type { Insertion } from './insertion.ts';
import type { OutputBuffer } from './output-buffer.ts';

export class AddressLookup {
  readonly counts: Counts;
  readonly #dataset: Dataset;
  readonly #insertion: Insertion;

  constructor(dataset: Dataset, insertion: Insertion, counts: Counts) {
    this.#dataset = dataset;
    this.#insertion = insertion;
    this.counts = counts;
  }

  append(address: Address, output: OutputBuffer): void {
    const match = this.#dataset.find(address);
    this.counts.addresses++;
    if (match === 0) this.counts.not_found++;
    else this.counts.found++;
    this.#insertion.append(address, match, output);
  }
}

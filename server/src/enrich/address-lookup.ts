/** Looks up one address, counts it and appends the insertion. Shared by all formats. */
import type { Address } from '@whence/dataset/address';
import type { Dataset } from '@whence/dataset/dataset';
import type { Flag } from '@whence/dataset/record';
import type { Counts } from './counts.ts';
import type { Insertion } from './insertion.ts';
import type { OutputBuffer } from './output-buffer.ts';

/**
 * Which records stay: those with an address that has one of the flags of `only`, and none that has
 * one of `not`.
 */
export type FlagSelection = {
  readonly only: readonly Flag[] | undefined;
  readonly not: readonly Flag[];
};

export class AddressLookup {
  readonly counts: Counts;
  readonly #selection: FlagSelection | undefined;
  /** Per set of attributes, which many prefixes share. */
  readonly #selected = new Map<number, { readonly isOnly: boolean; readonly isNot: boolean }>();
  #hasOnly = false;
  #hasNot = false;
  readonly #dataset: Dataset;
  readonly #insertion: Insertion;

  constructor(dataset: Dataset, insertion: Insertion, counts: Counts, selection?: FlagSelection) {
    this.#selection = selection;
    this.#dataset = dataset;
    this.#insertion = insertion;
    this.counts = counts;
  }

  append(address: Address, output: OutputBuffer): void {
    const match = this.#dataset.find(address);
    this.counts.addresses++;
    if (match === 0) this.counts.not_found++;
    else this.counts.found++;
    if (this.#selection !== undefined && match !== 0)
      this.#select(this.#selection, this.#dataset.attributesOf(match));
    this.#insertion.append(address, match, output);
  }

  startRecord(): void {
    this.#hasOnly = this.#selection?.only === undefined;
    this.#hasNot = false;
  }

  /** A record that has no addresses and stays, such as the header of a table. */
  keepRecord(): void {
    this.#hasOnly = true;
  }

  get isRecordKept(): boolean {
    return this.#hasOnly && !this.#hasNot;
  }

  #select({ only = [], not }: FlagSelection, set: number): void {
    let selected = this.#selected.get(set);
    if (selected === undefined) {
      const { detection } = this.#dataset.attributes(set);
      const has = (flags: readonly Flag[]) => flags.some((flag) => detection[flag] === true);
      selected = { isOnly: has(only), isNot: has(not) };
      this.#selected.set(set, selected);
    }
    this.#hasOnly ||= selected.isOnly;
    this.#hasNot ||= selected.isNot;
  }
}

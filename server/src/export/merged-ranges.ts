/** The matching addresses by a value of their networks, with adjacent networks of the same value merged. */
import { formatAddress } from '@whence/dataset/address';
import { addressBits, fromBigInt, prefixesOfRange, type Range } from '@whence/dataset/prefix';
import type { AddressMembers } from '../address/sections.ts';
import type { Fields } from './fields.ts';
import { type Selection, selectRuns } from './rows.ts';

type ValuedRange<Value> = { readonly range: Range; readonly value: Value };

/** In address order, IPv4 first, in batches. A network whose value is undefined is left out. */
export async function* mergedRanges<Value>(
  selection: Selection,
  valueFor: (fields: Fields, members: AddressMembers | undefined) => Value | undefined,
): AsyncGenerator<ValuedRange<Value>[]> {
  let merged: ValuedRange<Value>[] = [];
  const merger = new RangeMerger<Value>((range, value) => merged.push({ range, value }));
  for await (const batch of selectRuns(selection)) {
    for (const run of batch) {
      const value = valueFor(run.fields, run.members);
      if (value !== undefined) merger.add(run, value);
    }
    yield merged;
    merged = [];
  }
  merger.finish();
  yield merged;
}

/** The prefixes that cover exactly the range. */
export function* formatPrefixes({ version, start, end }: Range): Generator<string> {
  for (const [base, length] of prefixesOfRange(start, end, addressBits(version)))
    yield `${formatAddress(fromBigInt(base, version))}/${length}`;
}

/** Merges adjacent ranges with the same value. Ranges must be added in ascending order. */
class RangeMerger<Value> {
  readonly #emit: (range: Range, value: Value) => void;
  #open: { version: 4 | 6; start: bigint; end: bigint; value: Value } | undefined;

  constructor(emit: (range: Range, value: Value) => void) {
    this.#emit = emit;
  }

  add({ version, start, end }: Range, value: Value): void {
    const open = this.#open;
    if (open !== undefined && open.version === version && open.value === value && open.end + 1n === start) {
      open.end = end;
      return;
    }
    this.finish();
    this.#open = { version, start, end, value };
  }

  /** Call it after the last range. */
  finish(): void {
    if (this.#open !== undefined) this.#emit(this.#open, this.#open.value);
    this.#open = undefined;
  }
}

/** The matching addresses by a value of their networks, with adjacent networks of the same value merged. */
import { formatAddress } from '@whence/dataset/address';
import { addressBits, fromBigInt, prefixesOfRange, type Range } from '@whence/dataset/prefix';
import type { Fields } from './fields.ts';
import { type Selection, selectRuns } from './rows.ts';

type ValuedRange<Value> = { readonly range: Range; readonly value: Value };

/** In address order, IPv4 first, in batches. A network whose value is undefined is left out. */
export async function* mergedRanges<Value>(
  selection: Selection,
  valueFor: (fields: Fields) => Value | undefined,
): AsyncGenerator<ValuedRange<Value>[]> {
  let open: { readonly range: { version: 4 | 6; start: bigint; end: bigint }; readonly value: Value } | undefined;
  for await (const batch of selectRuns(selection)) {
    const merged: ValuedRange<Value>[] = [];
    for (const { version, start, end, fields } of batch) {
      const value = valueFor(fields);
      if (value === undefined) continue;
      const isAdjacent = open?.value === value && open.range.version === version && open.range.end + 1n === start;
      if (open !== undefined && isAdjacent) open.range.end = end;
      else {
        if (open !== undefined) merged.push(open);
        open = { range: { version, start, end }, value };
      }
    }
    yield merged;
  }
  if (open !== undefined) yield [open];
}

export function* formatPrefixes({ version, start, end }: Range): Generator<string> {
  for (const [base, length] of prefixesOfRange(start, end, addressBits(version)))
    yield `${formatAddress(fromBigInt(base, version))}/${length}`;
}

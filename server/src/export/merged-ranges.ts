/**
 * The matching addresses by a value of their networks, with adjacent networks of the same value
 * merged.
 */
import { formatAddress } from '@whence/dataset/address';
import { addressBits, fromBigInt, prefixesOfRange, type Range } from '@whence/dataset/prefix';
import type { Sink } from '../terminal/output.ts';
import type { Fields } from './fields.ts';
import { type Selection, selectRuns } from './rows.ts';

type ValuedRange<Value> = { readonly range: Range; readonly value: Value };

/** In address order, IPv4 first, in batches. A network whose value is undefined is left out. */
export async function* mergedRanges<Value>(
  selection: Selection,
  valueFor: (fields: Fields) => Value | undefined,
): AsyncGenerator<ValuedRange<Value>[]> {
  let open:
    | { readonly range: { version: 4 | 6; start: bigint; end: bigint }; readonly value: Value }
    | undefined;
  for await (const batch of selectRuns(selection)) {
    const merged: ValuedRange<Value>[] = [];
    for (const { version, start, end, fields } of batch) {
      const value = valueFor(fields);
      if (value === undefined) continue;
      const isAdjacent =
        open?.value === value && open.range.version === version && open.range.end + 1n === start;
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

/** A file with a line per prefix. Returns their number; without any, nothing is written. */
export async function writePrefixLines<Value>(
  selection: Selection,
  sink: Sink,
  { head, valueFor, lineOf, tail }: PrefixLines<Value>,
): Promise<number> {
  let text = head;
  let count = 0;
  for await (const batch of mergedRanges(selection, valueFor)) {
    for (const { range, value } of batch)
      for (const prefix of formatPrefixes(range)) {
        text += lineOf(prefix, value);
        count++;
      }
    if (count === 0) continue;
    await sink.write(text);
    text = '';
  }
  if (count > 0) await sink.write(tail);
  return count;
}

type PrefixLines<Value> = {
  readonly head: string;
  readonly valueFor: (fields: Fields) => Value | undefined;
  readonly lineOf: (prefix: string, value: Value) => string;
  readonly tail: string;
};

export function* formatPrefixes({ version, start, end }: Range): Generator<string> {
  for (const [base, length] of prefixesOfRange(start, end, addressBits(version)))
    yield `${formatAddress(fromBigInt(base, version))}/${length}`;
}

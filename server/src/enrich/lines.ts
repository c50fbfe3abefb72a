/**
 * Text lines: appends a TAB and the JSON of the first address to each line that has one, or an array for all of them.
 */
import type { Address } from '@whence/dataset/address';
import type { AddressLookup } from './address-lookup.ts';
import { AddressFinder } from './find-address.ts';
import type { OutputBuffer } from './output-buffer.ts';
import type { RecordWriter } from './record-stream.ts';

const TAB = 0x09;
const OPEN = 0x5b;
const CLOSE = 0x5d;
const COMMA = 0x2c;

export function linesWriter(lookup: AddressLookup, allAddresses: boolean): RecordWriter {
  const finder = new AddressFinder();
  return (bytes, start, end, output) => {
    output.append(bytes, start, end);
    const first = finder.next(bytes, start, end);
    if (first === undefined) return;
    output.appendByte(TAB);
    if (allAddresses) appendAll(lookup, finder, first, bytes, end, output);
    else lookup.append(first, output);
  };
}

/** Appends an array for `first`, which the finder has just returned, and all addresses after it. */
export function appendAll(
  lookup: AddressLookup,
  finder: AddressFinder,
  first: Address,
  bytes: Buffer,
  end: number,
  output: OutputBuffer,
): void {
  let separator = OPEN;
  for (let next: Address | undefined = first; next !== undefined; next = finder.next(bytes, finder.end, end)) {
    output.appendByte(separator);
    lookup.append(next, output);
    separator = COMMA;
  }
  output.appendByte(CLOSE);
}

/**
 * Formats with one record per line.
 *
 *   text      a TAB and the JSON of the first address are appended to each line that has one, or an array for all
 *   NDJSON    a member is added before the closing brace of every object in which one of the paths holds an address
 */
import type { Address } from '@whence/dataset/address';
import { asciiJson } from '@whence/dataset/ascii-writer';
import { AddressFinder } from '@whence/dataset/find-address';
import type { AddressLookup } from '../address-lookup.ts';
import { type OutputBuffer, viewOf } from '../output-buffer.ts';
import type { RecordWriter } from '../record-stream.ts';
import { fieldPaths } from './field-paths.ts';
import { JsonLine } from './json-line.ts';

const TAB = 0x09;
const OPEN = 0x5b;
const CLOSE = 0x5d;
const COMMA = 0x2c;

export function linesWriter(lookup: AddressLookup, allAddresses: boolean): RecordWriter {
  const finder = new AddressFinder();
  return (bytes, start, end, output) => {
    const first = finder.next(bytes, start, end);
    if (first === undefined) return;
    output.copyTo(end);
    output.appendByte(TAB);
    if (allAddresses) appendAll(lookup, finder, first, bytes, end, output);
    else lookup.append(first, output);
  };
}

export type NdjsonOptions = {
  /** Dot paths; the first that holds an address is used. */
  readonly paths: readonly string[];
  readonly memberName: string;
  readonly allAddresses: boolean;
};

export function ndjsonWriter(
  lookup: AddressLookup,
  { paths, memberName, allAddresses }: NdjsonOptions,
): RecordWriter {
  const finder = new AddressFinder();
  const line = new JsonLine(fieldPaths(paths), memberName, finder);
  const beforeMember = Buffer.from(`,${asciiJson(memberName)}:`);
  const beforeView = viewOf(beforeMember);
  return (bytes, start, end, output) => {
    const textStart = hasByteOrderMark(bytes, start) ? start + 3 : start;
    const isObject = line.read(bytes, textStart, end);
    if (!isObject && !isBlank(bytes, start, end)) lookup.counts.unreadable++;
    const address = isObject ? line.address : undefined;
    if (address !== undefined && line.hasAddedName) lookup.counts.already_there++;
    if (address === undefined || line.hasAddedName) return;
    output.copyTo(line.close);
    output.appendView(beforeMember, beforeView, 0, beforeMember.length);
    if (allAddresses) appendAll(lookup, finder, address, bytes, line.textEnd, output);
    else lookup.append(address, output);
  };
}

const hasByteOrderMark = (bytes: Buffer, at: number) =>
  bytes[at] === 0xef && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf;

function isBlank(bytes: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (bytes[i] !== 0x20 && bytes[i] !== 0x09) return false;
  return true;
}

/** Appends an array for `first`, which the finder has just returned, and all addresses after it. */
function appendAll(
  lookup: AddressLookup,
  finder: AddressFinder,
  first: Address,
  bytes: Buffer,
  end: number,
  output: OutputBuffer,
): void {
  let separator = OPEN;
  for (
    let next: Address | undefined = first;
    next !== undefined;
    next = finder.next(bytes, finder.end, end)
  ) {
    output.appendByte(separator);
    lookup.append(next, output);
    separator = COMMA;
  }
  output.appendByte(CLOSE);
}

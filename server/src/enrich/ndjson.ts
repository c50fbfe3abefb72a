/** NDJSON: adds a member before the closing brace of every object in which one of the paths holds an address. */
import { asciiJson } from '@whence/dataset/ascii-json';
import type { AddressLookup } from './address-lookup.ts';
import { fieldPaths } from './field-paths.ts';
import { AddressFinder } from './find-address.ts';
import { JsonLine } from './json-line.ts';
import { appendAll } from './lines.ts';
import type { RecordWriter } from './record-stream.ts';

export type NdjsonOptions = {
  /** Dot paths; the first that holds an address is used. */
  readonly paths: readonly string[];
  readonly memberName: string;
  readonly allAddresses: boolean;
};

export function ndjsonWriter(lookup: AddressLookup, { paths, memberName, allAddresses }: NdjsonOptions): RecordWriter {
  const finder = new AddressFinder();
  const line = new JsonLine(fieldPaths(paths), memberName, finder);
  const beforeMember = Buffer.from(`,${asciiJson(memberName)}:`);
  return (bytes, start, end, output) => {
    const textStart = hasByteOrderMark(bytes, start) ? start + 3 : start;
    const isObject = line.read(bytes, textStart, end);
    if (!isObject && !isBlank(bytes, start, end)) lookup.counts.unreadable++;
    const address = isObject ? line.address : undefined;
    if (address !== undefined && line.hasAddedName) lookup.counts.already_there++;
    if (address === undefined || line.hasAddedName) {
      output.append(bytes, start, end);
      return;
    }
    output.append(bytes, start, line.close);
    output.append(beforeMember, 0, beforeMember.length);
    if (allAddresses) appendAll(lookup, finder, address, bytes, line.textEnd, output);
    else lookup.append(address, output);
    output.append(bytes, line.close, end);
  };
}

const hasByteOrderMark = (bytes: Buffer, at: number) =>
  bytes[at] === 0xef && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf;

function isBlank(bytes: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (bytes[i] !== 0x20 && bytes[i] !== 0x09) return false;
  return true;
}

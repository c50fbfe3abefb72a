/**
 * What is added for an address, as bytes: a JSON object, or columns of CSV.
 *
 * Address and prefix are written anew each time. Everything else depends on the record alone, so fields that stand next to each other are put
 * together once per record and kept. Measured: 0.27 µs an address, where parsing the record and printing the fields takes 4.2 µs. What is kept is
 * bounded by `record-pieces.ts`, whatever the input. Keeping whole insertions by address as well was tried and left out: a log of 10,000 clients took a
 * tenth less processor time, logs of distinct addresses a fifth (IPv6) to a half (IPv4) more.
 */
import { type Address, truncateAddress } from '@whence/dataset/address';
import { asciiJson } from '@whence/dataset/ascii-json';
import { type Match, prefixLength } from '@whence/dataset/format';
import { writeAddress, writeNumber, writePiece } from '@whence/dataset/json-writer';
import type { Dataset } from '@whence/dataset/read';
import { type Field, isTailField, type Tail, type TailField, tailValue, type Value } from './fields.ts';
import type { OutputBuffer } from './output-buffer.ts';
import { RecordPieces } from './record-pieces.ts';

export type Insertion = {
  /** `match` 0: nothing is known of the address. */
  append(address: Address, match: Match, output: OutputBuffer): void;
};

const SLASH = 0x2f;
const QUOTE = 0x22;
const OPEN = 0x7b;
const CLOSE = 0x7d;
/** Address, prefix and their names at their longest. */
const FRAME_BYTES = 256;

/** `{"ip":…,…}`; the whole record of the API where no fields are named. */
export function jsonInsertion(dataset: Dataset, fields: readonly Field[] | undefined): Insertion {
  const parts =
    fields === undefined
      ? [IP_MEMBER, PREFIX_MEMBER, wholeRecord(dataset)]
      : partsOf(fields, { ip: IP_MEMBER, prefix: PREFIX_MEMBER }, (run) => members(dataset, run));
  const missing = [IP_MEMBER];
  return {
    append(address, match, output) {
      const start = output.length;
      appendParts(match === 0 ? missing : parts, address, match, output);
      output.reserve(MISSING.length + 2);
      if (match === 0) output.length = writePiece(MISSING, output.bytes, output.length);
      // Every member begins with a comma; the brace takes the place of the first.
      if (output.length === start) output.length++;
      output.bytes[start] = OPEN;
      output.bytes[output.length++] = CLOSE;
    },
  };
}

/** A delimiter before each value. Without a record all columns but the address are empty. */
export function csvInsertion(dataset: Dataset, fields: readonly Field[], delimiter: string): Insertion {
  const own = {
    ip: { kind: 'ip', before: Buffer.from(delimiter), isQuoted: false },
    prefix: { kind: 'prefix', before: Buffer.from(delimiter), isQuoted: false },
  } as const;
  const parts = partsOf(fields, own, (run) => columns(dataset, run, delimiter));
  const missing = fields.map((field) => (field === 'ip' ? own.ip : ({ kind: 'text', before: own.ip.before } as const)));
  return { append: (address, match, output) => appendParts(match === 0 ? missing : parts, address, match, output) };
}

type Part =
  | { readonly kind: 'ip' | 'prefix'; readonly before: Buffer; readonly isQuoted: boolean }
  | { readonly kind: 'text'; readonly before: Buffer }
  | { readonly kind: 'record'; readonly pieces: RecordPieces };

const IP_MEMBER: Part = { kind: 'ip', before: Buffer.from(',"ip":'), isQuoted: true };
const PREFIX_MEMBER: Part = { kind: 'prefix', before: Buffer.from(',"prefix":'), isQuoted: true };
const MISSING = Buffer.from(',"error":"no data found for IP"');

/** Runs of fields that depend on the record alone become one part. */
function partsOf(
  fields: readonly Field[],
  own: { readonly ip: Part; readonly prefix: Part },
  recordPart: (run: readonly Field[]) => Part,
): Part[] {
  const parts: Part[] = [];
  let run: Field[] = [];
  const endRun = () => {
    if (run.length > 0) parts.push(recordPart(run));
    run = [];
  };
  for (const field of fields) {
    if (field !== 'ip' && field !== 'prefix') {
      run.push(field);
      continue;
    }
    endRun();
    parts.push(own[field]);
  }
  endRun();
  return parts;
}

function appendParts(parts: readonly Part[], address: Address, match: Match, output: OutputBuffer): void {
  for (const part of parts) {
    if (part.kind === 'record') {
      part.pieces.append(match, output);
      continue;
    }
    output.reserve(FRAME_BYTES);
    const target = output.bytes;
    let at = writePiece(part.before, target, output.length);
    if (part.kind !== 'text') {
      if (part.isQuoted) target[at++] = QUOTE;
      if (part.kind === 'ip') at = writeAddress(address, target, at);
      else {
        const length = prefixLength(match);
        at = writeAddress(truncateAddress(address, length), target, at);
        target[at++] = SLASH;
        at = writeNumber(length, target, at);
      }
      if (part.isQuoted) target[at++] = QUOTE;
    }
    output.length = at;
  }
}

function wholeRecord(dataset: Dataset): Part {
  const text = (match: Match) =>
    `,"asn":${dataset.asnNumber(match)},"asn_name":"${dataset.escapedName(match)}",${dataset.tailText(dataset.tailOf(match))}`;
  return { kind: 'record', pieces: new RecordPieces(dataset.meta.counts.records, text) };
}

function members(dataset: Dataset, run: readonly Field[]): Part {
  const member = (name: string, json: string | undefined) => (json === undefined ? '' : `,"${name}":${json}`);
  const toJson = (value: Value | undefined) => (value === undefined ? undefined : asciiJson(value));
  return recordPart(dataset, run, (field, value) => member(field, toJson(value)), {
    asn: (match) => member('asn', String(dataset.asnNumber(match))),
    asn_name: (match) => member('asn_name', `"${dataset.escapedName(match)}"`),
  });
}

function columns(dataset: Dataset, run: readonly Field[], delimiter: string): Part {
  const column = (text: string) => delimiter + quoteCell(text, delimiter);
  return recordPart(dataset, run, (_, value) => column(cellText(value)), {
    asn: (match) => column(String(dataset.asnNumber(match))),
    asn_name: (match) => column(JSON.parse(`"${dataset.escapedName(match)}"`)),
  });
}

/** Fields of the tail that stand next to each other are one text per tail, kept too: parsing a tail is the dear part, and records share 8,000 of them. */
function recordPart(
  dataset: Dataset,
  run: readonly Field[],
  ofTail: (field: TailField, value: Value | undefined) => string,
  ofNetwork: Readonly<Record<'asn' | 'asn_name', (match: Match) => string>>,
): Part {
  const texts: ((match: Match) => string)[] = [];
  let tailFields: TailField[] = [];
  const endTail = () => {
    if (tailFields.length > 0) texts.push(tailText(dataset, tailFields, ofTail));
    tailFields = [];
  };
  for (const field of run) {
    if (isTailField(field)) {
      tailFields.push(field);
      continue;
    }
    endTail();
    if (field === 'asn' || field === 'asn_name') texts.push(ofNetwork[field]);
  }
  endTail();
  const text = (match: Match) => {
    let joined = '';
    for (const each of texts) joined += each(match);
    return joined;
  };
  return { kind: 'record', pieces: new RecordPieces(dataset.meta.counts.records, text) };
}

function tailText(
  dataset: Dataset,
  fields: readonly TailField[],
  ofTail: (field: TailField, value: Value | undefined) => string,
): (match: Match) => string {
  const texts: (string | undefined)[] = new Array(dataset.meta.counts.tails).fill(undefined);
  return (match) => {
    const number = dataset.tailOf(match);
    let text = texts[number];
    if (text === undefined) {
      const tail: Tail = dataset.tail(number);
      text = fields.map((field) => ofTail(field, tailValue(tail, field))).join('');
      texts[number] = text;
    }
    return text;
  };
}

function cellText(value: Value | undefined): string {
  if (value === undefined) return '';
  if (Array.isArray(value)) return value.join(' ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** RFC 4180 §2: quoted where it holds the delimiter, a quote or a line end. */
export function quoteCell(text: string, delimiter: string): string {
  return text.includes(delimiter) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

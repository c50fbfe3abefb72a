/**
 * An open dataset: address to record, AS number to network. The file is one buffer, checked once when it is opened and used
 * in place from then on; nothing here writes to it.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { type Address, formatAddress, ipv4, ipv6, truncateAddress } from './address.ts';
import { decodeCountry } from './country-code.ts';
import {
  ASN_ROW_WORDS,
  COVERED_ROW_WORDS,
  DatasetError,
  decodeFile,
  type Match,
  prefixLength,
  RIRS,
  RIVAL_ROW_WORDS,
  ROLES,
  recordNumber,
  TAIL_ROW_WORDS,
  wordsOf,
} from './format.ts';
import { Ipv4Table } from './ipv4-table.ts';
import { Ipv6Table } from './ipv6-table.ts';
import { addressBits, formatPrefix, fromBigInt, lastAddress, toBigInt } from './prefix.ts';
import type { AsnPrefixes, AsnRecord, IpRecord, Meta } from './record.ts';
import { WordIndex } from './word-index.ts';

export function openDataset(path: string): Dataset {
  const file = openSync(path, 'r');
  try {
    // A buffer of its own, not a slice of Node's pool: the typed arrays need its start to be aligned.
    const bytes = Buffer.allocUnsafeSlow(fstatSync(file).size);
    let size = 0;
    while (size < bytes.length) {
      const read = readSync(file, bytes, size, bytes.length - size, size);
      if (read === 0) throw new DatasetError(`truncated: ${size} of ${bytes.length} bytes`);
      size += read;
    }
    return new Dataset(bytes);
  } catch (error) {
    if (error instanceof DatasetError) error.message = `${path}: ${error.message}`;
    throw error;
  } finally {
    closeSync(file);
  }
}

/** Both ends included. */
export type Run = { readonly start: bigint; readonly end: bigint; readonly match: Match };

export class Dataset {
  readonly meta: Meta;
  readonly words: WordIndex;
  readonly #ipv4: Ipv4Table;
  readonly #ipv6: Ipv6Table;
  readonly #records: Uint32Array;
  readonly #asns: Uint32Array;
  readonly #asnsByNumber: Uint32Array;
  readonly #asnText: Buffer;
  readonly #tails: Uint32Array;
  readonly #pieces: Uint32Array;
  readonly #pieceText: Buffer;
  readonly #covered: Uint32Array;
  readonly #rivals: Uint32Array;
  /** Texts made when first asked for: an answer is dearer without. All of them together would take 5 MB. */
  readonly #networkStrings: (string | undefined)[];
  readonly #pieceStrings: (string | undefined)[];
  readonly #pieceViews: (Uint8Array | undefined)[];

  /** `file` must be a buffer of its own. Throws a DatasetError unless it is a whole, undamaged dataset. */
  constructor(file: Buffer) {
    const sections = decodeFile(file);
    this.meta = JSON.parse(sections.meta.toString()) as Meta;
    this.#ipv4 = new Ipv4Table(sections['v4.top'], sections['v4.buckets']);
    this.#ipv6 = new Ipv6Table({
      top: sections['v6.top'],
      first: sections['v6.first'],
      offset: sections['v6.offset'],
      second: sections['v6.second'],
      match: sections['v6.match'],
      deep: sections['v6.deep'],
    });
    this.#records = wordsOf(sections.records);
    this.#asns = wordsOf(sections.asns);
    this.#asnsByNumber = wordsOf(sections['asns.number']);
    this.#asnText = sections['asns.text'];
    this.words = new WordIndex(sections['words.text'], sections['words.rows']);
    this.#tails = wordsOf(sections.tails);
    this.#pieces = wordsOf(sections.pieces);
    this.#pieceText = sections['pieces.text'];
    this.#covered = wordsOf(sections.covered);
    this.#rivals = wordsOf(sections.rivals);
    this.#networkStrings = new Array(this.#asnsByNumber.length).fill(undefined);
    this.#pieceStrings = new Array(this.#pieces.length - 1).fill(undefined);
    this.#pieceViews = new Array(this.#pieces.length - 1).fill(undefined);
  }

  /** Which record holds for the address, and the length of the announced prefix it lies in; 0 if nobody announces it. */
  find(address: Address): Match {
    return address.version === 4
      ? this.#ipv4.find(address.w0)
      : this.#ipv6.find(address.w0, address.w1, address.w2, address.w3);
  }

  /** The record as JSON text. All ASCII, so its length is its length in bytes. */
  json(address: Address, match: Match): string {
    const prefix = formatPrefix(address, prefixLength(match));
    return `{"ip":"${formatAddress(address)}","prefix":"${prefix}","asn":${this.#network(match)},${this.tailText(this.tailOf(match))}}`;
  }

  record(address: Address, match: Match): IpRecord {
    return JSON.parse(this.json(address, match)) as IpRecord;
  }

  /** Where the second half of the record lies. Prefixes that share it agree in every field from `country` on, and in why. */
  tailOf(match: Match): number {
    return this.#records[recordNumber(match) * 2 + 1] as number;
  }

  /** Fields and the positions in `meta.sources` of those that decided them; and the value, for a field that no record shows. */
  decisions(tail: number): [field: string, source: number, value?: number][] {
    return JSON.parse(this.#piece(tail, 3));
  }

  /** Further networks that announce exactly this prefix, and the positions of the sources that saw them. */
  rivals(address: Address, length: number): { asn: number; source: number }[] {
    const { version, w0, w1, w2, w3 } = truncateAddress(address, length);
    const wanted = [(version << 8) | length, w0 >>> 0, w1 >>> 0, w2 >>> 0, w3 >>> 0];
    const rows = this.#rivals;
    /** Whether the row at this position lies before the wanted prefix, on it or after it. */
    const compare = (row: number): number => {
      const word = wanted.findIndex((value, i) => rows[row * RIVAL_ROW_WORDS + i] !== value);
      return word < 0 ? 0 : (rows[row * RIVAL_ROW_WORDS + word] as number) - (wanted[word] as number);
    };
    const count = rows.length / RIVAL_ROW_WORDS;
    let from = 0;
    for (let to = count; from < to; ) {
      const middle = (from + to) >>> 1;
      if (compare(middle) < 0) from = middle + 1;
      else to = middle;
    }
    const found: { asn: number; source: number }[] = [];
    for (; from < count && compare(from) === 0; from++) {
      const at = from * RIVAL_ROW_WORDS + 5;
      found.push({ asn: rows[at] as number, source: rows[at + 1] as number });
    }
    return found;
  }

  tail(tail: number): Omit<IpRecord, 'ip' | 'prefix' | 'asn' | 'asn_name'> {
    return JSON.parse(`{${this.tailText(tail)}}`);
  }

  /** The number of the network that the record names. */
  asnNumber(match: Match): number {
    return this.#asns[this.#asnWord(match)] as number;
  }

  /** The name in `nameBytes`, escaped as in JSON. */
  nameStart(match: Match): number {
    return this.#asns[this.#asnWord(match) + 1] as number;
  }

  nameLength(match: Match): number {
    return (this.#asns[this.#asnWord(match) + 2] as number) & 0xffff;
  }

  get nameBytes(): Buffer {
    return this.#asnText;
  }

  /** The same as text: all ASCII, and JSON with quotes around it. */
  escapedName(match: Match): string {
    const start = this.nameStart(match);
    return this.#asnText.toString('latin1', start, start + this.nameLength(match));
  }

  /** A piece of the second half of the record: 0 is the country, 1 the network, 2 the threat. One after the other they are its JSON text. */
  tailPiece(match: Match, piece: 0 | 1 | 2): Uint8Array {
    const number = this.#tails[this.tailOf(match) * TAIL_ROW_WORDS + piece] as number;
    let bytes = this.#pieceViews[number];
    if (bytes === undefined) {
      bytes = this.#pieceText.subarray(this.#pieces[number], this.#pieces[number + 1]);
      this.#pieceViews[number] = bytes;
    }
    return bytes;
  }

  /** The run of addresses around this one that share its match, or a part of that run. */
  bounds(address: Address): { start: bigint; end: bigint } {
    if (address.version === 6) return this.#ipv6.bounds(toBigInt(address));
    const { start, end } = this.#ipv4.bounds(address.w0);
    return { start: BigInt(start), end: BigInt(end) };
  }

  /** All runs of addresses with one record inside one announced prefix, in ascending order. What nobody announces is left out. */
  *runs(version: 4 | 6): Generator<Run> {
    const bits = addressBits(version);
    const cursor = version === 4 ? this.#ipv4.cursor() : this.#ipv6.cursor();
    let open: { start: bigint; match: Match; prefixEnd: bigint } | undefined;
    while (cursor.advance()) {
      const start = BigInt(cursor.start);
      const { match } = cursor;
      // The tables cut runs where their own structure needs it.
      if (open !== undefined && open.match === match && start <= open.prefixEnd) continue;
      if (open !== undefined) yield { start: open.start, end: start - 1n, match: open.match };
      open = match === 0 ? undefined : { start, match, prefixEnd: lastAddress(start, prefixLength(match), bits) };
    }
    if (open !== undefined) yield { start: open.start, end: open.prefixEnd, match: open.match };
  }

  /** Announced prefixes that no address answers with, since more specific ones cover all of them. */
  *hiddenPrefixes(version: 4 | 6): Generator<{ base: bigint; length: number; asn: number }> {
    for (let at = 0; at < this.#covered.length; at += COVERED_ROW_WORDS) {
      const [row = 0, kind = 0, w0 = 0, w1 = 0, w2 = 0, w3 = 0] = this.#covered.subarray(at, at + COVERED_ROW_WORDS);
      if (kind >> 8 !== version) continue;
      const base = toBigInt(version === 4 ? ipv4(w0) : ipv6(w0, w1, w2, w3));
      yield { base, length: kind & 0xff, asn: this.#asns[row * ASN_ROW_WORDS] as number };
    }
  }

  asn(number: number): AsnRecord | undefined {
    const row = this.rowOfAsn(number);
    return row < 0 ? undefined : this.asnAt(row);
  }

  /** Its row, or -1. */
  rowOfAsn(number: number): number {
    let from = 0;
    let to = this.#asnsByNumber.length - 1;
    while (from <= to) {
      const middle = (from + to) >>> 1;
      const row = this.#asnsByNumber[middle] as number;
      const found = this.#asns[row * ASN_ROW_WORDS] as number;
      if (found === number) return row;
      if (found < number) from = middle + 1;
      else to = middle - 1;
    }
    return -1;
  }

  asnNumberAt(row: number): number {
    return this.#asns[row * ASN_ROW_WORDS] as number;
  }

  /** The name of the network in this row, escaped as in JSON. */
  asnNameTextAt(row: number): string {
    return this.#nameText(row * ASN_ROW_WORDS);
  }

  get asnCount(): number {
    return this.#asnsByNumber.length;
  }

  /** The network in this row: rows are ordered by the number of IPv4 addresses, the most first. */
  asnAt(row: number): AsnRecord {
    const at = row * ASN_ROW_WORDS;
    const word = (i: number) => this.#asns[at + i] as number;
    const packed = word(2);
    const textStart = word(1);
    const handleStart = textStart + (packed & 0xffff) + 1;
    const handle = this.#asnText.toString('latin1', handleStart, this.#asnText.indexOf(0x0a, handleStart));
    const registered = String(word(7));
    const provider = this.meta.providers[(packed >>> 24) - 1];
    return {
      asn: word(0),
      asn_name: JSON.parse(`"${this.#nameText(at)}"`),
      country: decodeCountry(word(3)),
      rir: RIRS[(packed >>> 20) & 0xf] ?? 'ARIN',
      connection_type: ROLES[(packed >>> 16) & 0xf] ?? 'business',
      is_announced: word(4) + word(5) > 0,
      prefix_count: { ipv4: word(4), ipv6: word(5) },
      address_count: { ipv4: word(6) },
      ...(handle === '' ? {} : { handle: JSON.parse(`"${handle}"`) }),
      ...(registered === '0' ? {} : { registered: registered.replace(/(....)(..)(..)/, '$1-$2-$3') }),
      ...(provider === undefined ? {} : { cloud_provider: provider }),
    };
  }

  /** Names and handles of all networks in row order, `name TAB handle LF`, escaped as in JSON. */
  asnText(): string {
    return this.#asnText.toString('latin1');
  }

  asnTextStart(row: number): number {
    return row < this.asnCount ? (this.#asns[row * ASN_ROW_WORDS + 1] as number) : this.#asnText.length;
  }

  /**
   * All prefixes that the network announces, in numerical order, the wider first. The file has no list of them: records of one
   * network are numbered next to each other, and one pass over all intervals (2 ms) finds theirs.
   */
  prefixesOf(number: number): AsnPrefixes {
    const row = this.rowOfAsn(number);
    if (row < 0) return { ipv4: [], ipv6: [] };
    const first = this.#firstRecordOf(row);
    const last = this.#firstRecordOf(row + 1) - 1;
    const found = { 4: new PrefixSet(4), 6: new PrefixSet(6) };
    this.#ipv4.forEachOf(first, last, (start, match) => found[4].add(ipv4(start), prefixLength(match)));
    this.#ipv6.forEachOf(first, last, (start, match) => found[6].add(start, prefixLength(match)));
    for (let at = 0; at < this.#covered.length; at += COVERED_ROW_WORDS) {
      if (this.#covered[at] !== row) continue;
      const [, kind = 0, w0 = 0, w1 = 0, w2 = 0, w3 = 0] = this.#covered.subarray(at, at + COVERED_ROW_WORDS);
      if (kind >> 8 === 4) found[4].add(ipv4(w0), kind & 0xff);
      else found[6].add(ipv6(w0, w1, w2, w3), kind & 0xff);
    }
    return { ipv4: found[4].sorted(), ipv6: found[6].sorted() };
  }

  #asnWord(match: Match): number {
    return (this.#records[recordNumber(match) * 2] as number) * ASN_ROW_WORDS;
  }

  /** Number and name of the record's network, as they stand in the JSON text. */
  #network(match: Match): string {
    const row = this.#records[recordNumber(match) * 2] as number;
    let text = this.#networkStrings[row];
    if (text === undefined) {
      text = `${this.#asns[row * ASN_ROW_WORDS]},"asn_name":"${this.#nameText(row * ASN_ROW_WORDS)}"`;
      this.#networkStrings[row] = text;
    }
    return text;
  }

  #nameText(asnWord: number): string {
    const start = this.#asns[asnWord + 1] as number;
    return this.#asnText.toString('latin1', start, start + ((this.#asns[asnWord + 2] as number) & 0xffff));
  }

  /** The second half of a record as JSON text. */
  tailText(tail: number): string {
    return this.#piece(tail, 0) + this.#piece(tail, 1) + this.#piece(tail, 2);
  }

  #piece(tail: number, piece: number): string {
    const number = this.#tails[tail * TAIL_ROW_WORDS + piece] as number;
    let text = this.#pieceStrings[number];
    if (text === undefined) {
      text = this.#pieceText.toString('latin1', this.#pieces[number], this.#pieces[number + 1]);
      this.#pieceStrings[number] = text;
    }
    return text;
  }

  /** The first record whose network is this row or a later one. Record 0 is nobody's. */
  #firstRecordOf(row: number): number {
    let from = 1;
    let to = this.#records.length / 2;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#records[middle * 2] as number) < row) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

class PrefixSet {
  readonly #version: 4 | 6;
  /** Base and length in one number, which sorts as prefixes do. */
  readonly #keys = new Set<bigint>();

  constructor(version: 4 | 6) {
    this.#version = version;
  }

  add(address: Address, length: number): void {
    this.#keys.add((toBigInt(truncateAddress(address, length)) << 8n) | BigInt(length));
  }

  sorted(): string[] {
    const keys = [...this.#keys].sort((a, b) => (a < b ? -1 : 1));
    return keys.map((key) => formatPrefix(fromBigInt(key >> 8n, this.#version), Number(key & 0xffn)));
  }
}

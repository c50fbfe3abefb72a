/**
 * An open dataset: address to record, AS number to network. The file is one buffer that is verified when it is read,
 * used in place and never written to.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { type Address, formatAddress, ipv4, truncateAddress } from '../address.ts';
import { decodeCountry } from '../country-code.ts';
import { addressBits, formatPrefix, lastAddress, toBigInt } from '../prefix.ts';
import { type AsnPrefixes, type AsnRecord, CONNECTION_TYPES, type IpRecord, type Meta, RIRS } from '../record.ts';
import { checkSections } from './check-sections.ts';
import { ConsecutiveGroups } from './consecutive-groups.ts';
import { CoveredPrefixes } from './covered.ts';
import {
  ASN_ROW_WORDS,
  DatasetError,
  decodeFile,
  type Match,
  OTHER_ORIGIN_ROW_WORDS,
  prefixLength,
  recordNumber,
  wordsOf,
} from './format.ts';
import { Ipv4Table } from './ipv4-table.ts';
import { Ipv6Table } from './ipv6-table.ts';
import { NameIndex } from './name-index.ts';
import { NetworkTexts } from './network-texts.ts';
import { OriginIndex } from './origin-index.ts';
import { PrefixList, prefixesJson } from './prefix-list.ts';
import { RecordTexts } from './record-texts.ts';
import { decodeDate } from './registration-date.ts';
import { Tails } from './tails.ts';

export function openDataset(path: string): Dataset {
  return new Dataset(readChecked(path), { isChecked: true });
}

/**
 * The bytes of a file, checked: a thread can do this and hand them over, because nothing reads the file again. What
 * becomes of it on the disk afterwards does not matter. Throws a DatasetError unless it is complete and undamaged.
 */
export function readChecked(path: string): Buffer<ArrayBuffer> {
  const file = openSync(path, 'r');
  try {
    // Not a slice of Node's buffer pool: the typed arrays need an aligned start.
    const bytes = Buffer.allocUnsafeSlow(fstatSync(file).size);
    let size = 0;
    while (size < bytes.length) {
      const read = readSync(file, bytes, size, bytes.length - size, size);
      if (read === 0) throw new DatasetError(`truncated: ${size} of ${bytes.length} bytes`);
      size += read;
    }
    checkFile(bytes);
    return bytes;
  } catch (error) {
    if (error instanceof DatasetError) error.message = `${path}: ${error.message}`;
    throw error;
  } finally {
    closeSync(file);
  }
}

/** Addresses with one match inside one announced prefix, both ends included. */
export type Run = { readonly start: bigint; readonly end: bigint; readonly match: Match };

export class Dataset {
  readonly meta: Meta;
  /** For searches in names and handles. */
  readonly nameIndex: NameIndex;
  readonly networkTexts: NetworkTexts;
  /** For the writer of records as bytes. */
  readonly recordTexts = new RecordTexts();
  readonly #ipv4: Ipv4Table;
  readonly #ipv6: Ipv6Table;
  readonly #tailOf: Uint32Array;
  readonly #rowOf: ConsecutiveGroups;
  readonly #asns: Uint32Array;
  readonly #asnsByNumber: Uint32Array;
  readonly #asnText: Buffer;
  readonly #tails: Tails;
  readonly #origins: OriginIndex;
  readonly #covered: Readonly<Record<4 | 6, CoveredPrefixes>>;
  readonly #otherOrigins: Uint32Array;
  /** Made on first use, because making them per answer is slower. */
  readonly #networkStrings: (string | undefined)[];

  /**
   * `file` must not be a slice of a pooled buffer. Throws a DatasetError unless it is a complete, undamaged dataset.
   * `isChecked`: these bytes come from `readChecked`.
   */
  constructor(file: Buffer, { isChecked = false }: { readonly isChecked?: boolean } = {}) {
    if (!isChecked) checkFile(file);
    const sections = decodeFile(file, true);
    this.meta = parseMeta(sections.meta.toString());
    this.#ipv4 = new Ipv4Table(sections['v4.top'], sections['v4.buckets']);
    this.#ipv6 = new Ipv6Table({
      top: sections['v6.top'],
      first: sections['v6.first'],
      offset: sections['v6.offset'],
      second: sections['v6.second'],
      match: sections['v6.match'],
      deep: sections['v6.deep'],
    });
    this.#tailOf = wordsOf(sections.records);
    this.#rowOf = new ConsecutiveGroups(sections['records.row']);
    this.#asns = wordsOf(sections.asns);
    this.#asnsByNumber = wordsOf(sections['asns.number']);
    this.#asnText = sections['asns.text'];
    this.nameIndex = new NameIndex(sections, this.asnCount);
    this.networkTexts = new NetworkTexts(this.#asnText, this.#asns);
    const blockCounts = [this.#ipv4.blockCount, this.#ipv6.blockCount] as const;
    this.#origins = new OriginIndex(sections.origins, sections['origins.at'], blockCounts);
    this.#tails = new Tails(sections);
    this.#covered = {
      4: new CoveredPrefixes(sections.covered, 4),
      6: new CoveredPrefixes(sections['covered.v6'], 6),
    };
    this.#otherOrigins = wordsOf(sections.rivals);
    this.#networkStrings = new Array(this.#asnsByNumber.length).fill(undefined);
  }

  /**
   * Longest-prefix match: the record of the address and the length of the announced prefix; 0 if it is not announced.
   */
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

  /**
   * The record's tail. Prefixes with the same tail agree in every field from `country` on and in the deciding sources.
   */
  tailOf(match: Match): number {
    return this.#tailOf[recordNumber(match)] as number;
  }

  /**
   * Per field: the position in `meta.sources` of the source that decided it, and the value if the record does not show
   * it.
   */
  decisions(tail: number): [field: string, source: number, value?: number | string][] {
    return this.#tails.decisions(tail);
  }

  /** Other networks that announce the same prefix (MOAS), with the positions of the sources that list them. */
  otherOrigins(address: Address, match: Match): { asn: number; source: number }[] {
    const length = prefixLength(match);
    const { version, w0, w1, w2, w3 } = truncateAddress(address, length);
    const wanted = [(version << 8) | length, w0 >>> 0, w1 >>> 0, w2 >>> 0, w3 >>> 0];
    const rows = this.#otherOrigins;
    /** Negative, zero or positive: the row is before, at or after the wanted prefix. */
    const compare = (row: number): number => {
      const word = wanted.findIndex((value, i) => rows[row * OTHER_ORIGIN_ROW_WORDS + i] !== value);
      return word < 0 ? 0 : (rows[row * OTHER_ORIGIN_ROW_WORDS + word] as number) - (wanted[word] as number);
    };
    const count = rows.length / OTHER_ORIGIN_ROW_WORDS;
    let from = 0;
    for (let to = count; from < to; ) {
      const middle = (from + to) >>> 1;
      if (compare(middle) < 0) from = middle + 1;
      else to = middle;
    }
    const found: { asn: number; source: number }[] = [];
    for (; from < count && compare(from) === 0; from++) {
      const at = from * OTHER_ORIGIN_ROW_WORDS + 5;
      found.push({ asn: rows[at] as number, source: rows[at + 1] as number });
    }
    return found;
  }

  tail(tail: number): Omit<IpRecord, 'ip' | 'prefix' | 'asn' | 'asn_name'> {
    return JSON.parse(`{${this.tailText(tail)}}`);
  }

  /** The AS number of the record. */
  asnNumber(match: Match): number {
    return this.#asns[this.rowOf(match) * ASN_ROW_WORDS] as number;
  }

  /** The row of the record's network. */
  rowOf(match: Match): number {
    return this.#rowOf.of(recordNumber(match));
  }

  /** The offset of a network's name in `nameBytes`. The name is JSON-escaped ASCII. */
  nameStartAt(row: number): number {
    return this.#asns[row * ASN_ROW_WORDS + 1] as number;
  }

  nameLengthAt(row: number): number {
    return (this.#asns[row * ASN_ROW_WORDS + 2] as number) & 0xffff;
  }

  get nameBytes(): Buffer {
    return this.#asnText;
  }

  /** The record's name, JSON-escaped, without quotes. */
  escapedName(match: Match): string {
    return this.asnNameTextAt(this.rowOf(match));
  }

  /** The face of the record: records with the same face have the same text from `country` on. */
  faceOf(match: Match): number {
    return this.#tails.faceOf(this.tailOf(match));
  }

  /**
   * A piece of the face's JSON text: 0 is the country, 1 the network, 2 the threat. Concatenated they are the whole
   * text.
   */
  facePiece(face: number, piece: 0 | 1 | 2): Uint8Array {
    return this.#tails.bytes(face, piece);
  }

  /** A run of addresses around this one with the same match. It may be only a part of the whole run. */
  bounds(address: Address): { start: bigint; end: bigint } {
    if (address.version === 6) return this.#ipv6.bounds(toBigInt(address));
    const { start, end } = this.#ipv4.bounds(address.w0);
    return { start: BigInt(start), end: BigInt(end) };
  }

  /** All runs in ascending order, without unannounced space. */
  *runs(version: 4 | 6): Generator<Run> {
    const bits = addressBits(version);
    const cursor = version === 4 ? this.#ipv4.cursor() : this.#ipv6.cursor();
    let open: { start: bigint; match: Match; prefixEnd: bigint } | undefined;
    while (cursor.advance()) {
      const start = BigInt(cursor.start);
      const { match } = cursor;
      // The tables also cut runs where their structure requires it.
      if (open !== undefined && open.match === match && start <= open.prefixEnd) continue;
      if (open !== undefined) yield { start: open.start, end: start - 1n, match: open.match };
      open = match === 0 ? undefined : { start, match, prefixEnd: lastAddress(start, prefixLength(match), bits) };
    }
    if (open !== undefined) yield { start: open.start, end: open.prefixEnd, match: open.match };
  }

  /** Announced prefixes that no address answers with, because more specific ones cover all of them. */
  *coveredPrefixes(version: 4 | 6): Generator<{ base: bigint; length: number; asn: number }> {
    const covered = this.#covered[version];
    for (let index = 0; index < covered.count; index++) {
      const { base, length } = covered.at(index);
      yield { base: toBigInt(base), length, asn: this.asnNumberAt(covered.rowAt(index)) };
    }
  }

  asn(number: number): AsnRecord | undefined {
    const row = this.rowOfAsn(number);
    return row < 0 ? undefined : this.asnAt(row);
  }

  /** The row of the network, or -1. */
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

  /** The name of the network in this row, JSON-escaped. */
  asnNameTextAt(row: number): string {
    const start = this.nameStartAt(row);
    return this.#asnText.toString('latin1', start, start + this.nameLengthAt(row));
  }

  get asnCount(): number {
    return this.#asnsByNumber.length;
  }

  /** The network in this row. Rows are ordered by the number of IPv4 addresses, the most first. */
  asnAt(row: number): AsnRecord {
    const at = row * ASN_ROW_WORDS;
    const word = (i: number) => this.#asns[at + i] as number;
    const packed = word(2);
    const textStart = word(1);
    const handleStart = textStart + (packed & 0xffff) + 1;
    const handle = this.#asnText.toString('latin1', handleStart, this.#asnText.indexOf(0x0a, handleStart));
    const registered = decodeDate(word(3) >>> 16);
    const provider = this.meta.providers[(packed >>> 24) - 1];
    return {
      asn: word(0),
      asn_name: JSON.parse(`"${this.asnNameTextAt(row)}"`),
      country: decodeCountry(word(3) & 0xffff),
      rir: RIRS[(packed >>> 20) & 0xf] ?? 'ARIN',
      connection_type: CONNECTION_TYPES[(packed >>> 16) & 0xf] ?? 'business',
      is_announced: word(4) + word(5) > 0,
      prefix_count: { ipv4: word(4), ipv6: word(5) },
      address_count: { ipv4: word(6) },
      ...(handle === '' ? {} : { handle: JSON.parse(`"${handle}"`) }),
      ...(registered === undefined ? {} : { registered }),
      ...(provider === undefined ? {} : { cloud_provider: provider }),
    };
  }

  /** All prefixes that the network announces, in numerical order, shorter ones first. */
  prefixesOf(number: number): AsnPrefixes {
    const { ipv4, ipv6 } = this.#prefixLists(number);
    return { ipv4: ipv4.texts(), ipv6: ipv6.texts() };
  }

  /** The same as JSON text in bytes. */
  prefixesJson(number: number): Buffer {
    const { ipv4, ipv6 } = this.#prefixLists(number);
    return prefixesJson(ipv4, ipv6);
  }

  #prefixLists(number: number): { ipv4: PrefixList; ipv6: PrefixList } {
    const found = { ipv4: new PrefixList(), ipv6: new PrefixList() };
    const row = this.rowOfAsn(number);
    if (row < 0) return found;
    // The records of a network have consecutive numbers.
    const first = this.#firstRecordOf(row);
    const last = this.#firstRecordOf(row + 1) - 1;
    const blocks = this.#origins.blocksOf(row);
    for (const block of blocks.ipv4)
      this.#ipv4.forEachIn(block, first, last, (start, match) => found.ipv4.addRun(ipv4(start), prefixLength(match)));
    for (const block of blocks.ipv6)
      this.#ipv6.forEachIn(block, first, last, (start, match) => found.ipv6.addRun(start, prefixLength(match)));
    for (const [covered, list] of [
      [this.#covered[4], found.ipv4],
      [this.#covered[6], found.ipv6],
    ] as const) {
      for (let index = covered.firstOf(row); index < covered.count && covered.rowAt(index) === row; index++) {
        const { base, length } = covered.at(index);
        list.addCovered(base, length);
      }
    }
    return found;
  }

  /** AS number and name of the record's network, as in the JSON text. */
  #network(match: Match): string {
    const row = this.rowOf(match);
    let text = this.#networkStrings[row];
    if (text === undefined) {
      text = `${this.asnNumberAt(row)},"asn_name":"${this.asnNameTextAt(row)}"`;
      this.#networkStrings[row] = text;
    }
    return text;
  }

  /** The JSON text of a tail. */
  tailText(tail: number): string {
    return this.#tails.text(tail);
  }

  /** The first record whose network is this row or a later one. Record 0 is unused. */
  #firstRecordOf(row: number): number {
    return lowerBound(1, this.#tailOf.length, (record) => this.#rowOf.of(record) < row);
  }
}

function checkFile(file: Buffer): void {
  checkSections(decodeFile(file));
}

function parseMeta(text: string): Meta {
  try {
    return JSON.parse(text) as Meta;
  } catch {
    throw new DatasetError('damaged: section meta is not JSON');
  }
}

/** The first number in from..to for which `isBefore` is false; it is true for all before and false for all after. */
function lowerBound(from: number, to: number, isBefore: (at: number) => boolean): number {
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (isBefore(middle)) from = middle + 1;
    else to = middle;
  }
  return from;
}

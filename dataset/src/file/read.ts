// An open dataset: address to record, AS number to network. One buffer, verified when read, used in
// place.
import { createHash } from 'node:crypto';
import { type Address, formatAddress, ipv4 } from '../address.ts';
import { FOREVER, isTooOld, lastDay, threatGaps } from '../data-age.ts';
import { DatasetError } from '../dataset-error.ts';
import { dayAfter } from '../day.ts';
import { lowerBound } from '../lower-bound.ts';
import { addressBits, formatPrefix, fromBigInt, lastAddress } from '../prefix.ts';
import type { AsnPrefixes, AsnRecord, IpRecord, Meta, ThreatGap } from '../record.ts';
import { CoveredPrefixes } from './addresses/covered.ts';
import { boundsOf, type Cursor, startOf } from './addresses/cursor.ts';
import { Ipv4Table } from './addresses/ipv4-table.ts';
import { Ipv6Table } from './addresses/ipv6-table.ts';
import { OriginIndex } from './addresses/origin-index.ts';
import { type ListedOrigin, OtherOrigins } from './addresses/other-origins.ts';
import { PrefixList, prefixesJson } from './addresses/prefix-list.ts';
import { checkSections } from './check-sections.ts';
import { ConsecutiveGroups } from './consecutive-groups.ts';
import { decodeFile, type SectionName, wordsOf } from './format.ts';
import { type Match, prefixLength, recordNumber } from './match.ts';
import { Networks } from './networks/networks.ts';
import { readSectionFile } from './section-file.ts';
import { hasAgedLists, withoutAgedLists } from './texts/aged-attributes.ts';
import { AttributeSets } from './texts/attributes.ts';
import { RecordTexts } from './texts/record-texts.ts';

const COUNTRY_AT = '"country":"'.length;

/** With the answers of this day; without it, of the day on which it was built. */
export function openDataset(path: string, day?: string): Dataset {
  return new Dataset(readChecked(path, undefined, day), { isChecked: true, day });
}

/**
 * For commands: does not check again that sections fit together, which took half of the time of
 * `wh ip`.
 */
export function openPublished(path: string, day?: string): Dataset {
  return new Dataset(readPublished(path, day), { isChecked: true, day });
}

/** The bytes of such a version, for `Dataset` as `isChecked`. */
export function readPublished(path: string, day?: string): Buffer<ArrayBuffer> {
  return readChecked(path, undefined, day, decodeFile);
}

/**
 * The checked bytes. Lists too old on `day` do not count. Throws a
 * DatasetError.
 */
export function readChecked(
  path: string,
  sha256?: string,
  day?: string,
  check: (file: Buffer) => unknown = checkFile,
): Buffer<ArrayBuffer> {
  return readSectionFile(path, (file) => {
    check(file);
    if (sha256 !== undefined && createHash('sha256').update(file).digest('hex') !== sha256)
      throw new DatasetError('checksum mismatch: not the file that was published');
    return day === undefined ? file : withoutAgedLists(file, day);
  });
}

/** Whether the bytes are used as they are, with no list too old on `day`. */
export function checkAsWritten(file: Buffer<ArrayBuffer>, day: string): boolean {
  checkFile(file);
  return !hasAgedLists(file, day);
}

/** Addresses with one match inside one announced prefix, both ends included. */
export type Run = { readonly start: bigint; readonly end: bigint; readonly match: Match };

type Sections = Readonly<Record<SectionName, Buffer>>;

export class Dataset {
  readonly sections: Sections;
  readonly meta: Meta;
  /** The day by which lists were judged, yyyy-mm-dd. */
  readonly day: string;
  readonly networks: Networks;
  /** For the writer of records as bytes. */
  readonly recordTexts = new RecordTexts();
  readonly #ipv4: Ipv4Table;
  readonly #ipv6: Ipv6Table;
  readonly #attributesOf: Uint32Array;
  readonly #rowOf: ConsecutiveGroups;
  readonly #attributeSets: AttributeSets;
  readonly #origins: OriginIndex;
  readonly #covered: Readonly<Record<4 | 6, CoveredPrefixes>>;
  readonly #otherOrigins: OtherOrigins;
  /** By set of attributes, decoded on first use. */
  readonly #derived: (boolean | undefined)[] = [];
  #gaps: ReturnType<typeof threatGaps> | undefined;
  /** By set of attributes: whether a list has the addresses that no longer counts. */
  readonly #onExpired: (boolean | undefined)[] = [];
  /** Made on first use, because making them per answer is slower. */
  readonly #networkStrings: (string | undefined)[];

  /** `isChecked`: from `readChecked` with this `day`. */
  constructor(
    file: Buffer | Sections,
    {
      isChecked = false,
      day,
    }: {
      readonly isChecked?: boolean;
      readonly day?: string | undefined;
    } = {},
  ) {
    if (!isChecked && Buffer.isBuffer(file)) checkFile(file);
    const sections = Buffer.isBuffer(file) ? decodeFile(file, true) : file;
    this.sections = sections;
    this.meta = parseMeta(sections.meta.toString());
    this.day = day ?? this.meta.built_at.slice(0, 10);
    this.#ipv4 = new Ipv4Table(sections['v4.top'], sections['v4.buckets']);
    this.#ipv6 = new Ipv6Table(sections);
    this.#attributesOf = wordsOf(sections.records);
    this.#rowOf = new ConsecutiveGroups(sections['records.row']);
    this.networks = new Networks(sections, this.meta.providers);
    const blockCounts = [this.#ipv4.blockCount, this.#ipv6.blockCount] as const;
    this.#origins = new OriginIndex(sections.origins, sections['origins.at'], blockCounts);
    this.#attributeSets = new AttributeSets(sections);
    this.#covered = {
      4: new CoveredPrefixes(sections.covered, 4),
      6: new CoveredPrefixes(sections['covered.v6'], 6),
    };
    this.#otherOrigins = new OtherOrigins(sections.otherOrigins);
    this.#networkStrings = new Array(this.networks.count).fill(undefined);
  }

  /** Why the score of addresses of the family may be too low; undefined if it is complete. */
  threatGap(version: 4 | 6, match: Match): ThreatGap | undefined {
    const set = this.attributesOf(match);
    if (this.isJudged(set)) return undefined;
    this.#gaps ??= threatGaps(this.meta, this.day);
    const gap = this.#gaps[version === 4 ? 'ipv4' : 'ipv6'];
    if (gap !== undefined) return gap;
    this.#onExpired[set] ??= this.decisions(set).some(([field, source]) => {
      const list = this.meta.sources[source];
      return field === 'threat.score' && list !== undefined && isTooOld(list, this.day);
    });
    return this.#onExpired[set] ? 'expired_list' : undefined;
  }

  /** Whether the operator of this server decides the score. */
  protected isJudged(_set: number): boolean {
    return false;
  }

  /** The last day on which the same lists count as on `day`. */
  get lastDay(): string {
    const days = this.meta.sources.map((source) => lastDay(source) ?? FOREVER);
    return days.filter((last) => last >= this.day).sort()[0] ?? FOREVER;
  }

  /** The day on which a list of it stops counting, after `day`; undefined if none does. */
  get validUntil(): string | undefined {
    const { lastDay } = this;
    return lastDay === FOREVER ? undefined : dayAfter(lastDay);
  }

  /** When its answers became those of `day`: at its build, or when a list stopped counting. */
  get changedAt(): string {
    const { built_at, sources } = this.meta;
    const ended = sources
      .flatMap((source) => lastDay(source) ?? [])
      .filter((last) => last < this.day);
    const changed = `${dayAfter(ended.sort().at(-1) ?? '1970-01-01')}T00:00:00.000Z`;
    return changed > built_at ? changed : built_at;
  }

  /**
   * Longest-prefix match: the record and the length of the announced prefix; 0 if not announced.
   */
  find(address: Address): Match {
    if (address.version === 4) return this.#ipv4.find(address.w0);
    if (address.version === 6)
      return this.#ipv6.find(address.w0, address.w1, address.w2, address.w3);
    // From JavaScript: text would be looked up as an address that is not announced.
    throw new TypeError(`not a parsed address: ${address}`);
  }

  /** The same for the first `count` IPv4 addresses, given as words. */
  findAllIpv4(words: Int32Array, count: number, matches: Uint32Array): void {
    this.#ipv4.findAll(words, count, matches);
  }

  /** The record as JSON text. All ASCII, so its length is its length in bytes. */
  json(address: Address, match: Match): string {
    const prefix = formatPrefix(address, prefixLength(match));
    return `{"ip":"${formatAddress(address)}","prefix":"${prefix}","asn":${this.networkJson(match)},${this.attributesJson(this.attributesOf(match))}}`;
  }

  record(address: Address, match: Match): IpRecord {
    return JSON.parse(this.json(address, match)) as IpRecord;
  }

  /** The number of the record's set of attributes, which many records share. */
  attributesOf(match: Match): number {
    return this.#attributesOf[recordNumber(match)] as number;
  }

  /**
   * Per field: position of the deciding source in `meta.sources`, and the value if the record does
   * not show it.
   */
  decisions(set: number): [field: string, source: number, value?: number | string][] {
    return this.#attributeSets.decisions(set);
  }

  /** Whether the prefix was made from ranges, and may be wider than what the network announces. */
  isDerivedPrefix(match: Match): boolean {
    const set = this.attributesOf(match);
    this.#derived[set] ??= this.decisions(set).some(([field]) => field === 'prefix_is_derived');
    return this.#derived[set] as boolean;
  }

  /**
   * Networks that announce the same prefix (MOAS), with the positions of the sources that list
   * them.
   */
  otherOrigins(address: Address, match: Match): ListedOrigin[] {
    return this.#otherOrigins.find(address, prefixLength(match));
  }

  attributes(set: number): Omit<IpRecord, 'ip' | 'prefix' | 'asn' | 'asn_name'> {
    return JSON.parse(`{${this.attributesJson(set)}}`);
  }

  asnNumber(match: Match): number {
    return this.networks.numberAt(this.rowOf(match));
  }

  rowOf(match: Match): number {
    return this.#rowOf.of(recordNumber(match));
  }

  escapedName(match: Match): string {
    return this.networks.escapedNameAt(this.rowOf(match));
  }

  /** The number of the text from `country` on. Sets that differ only in their sources share it. */
  textOf(match: Match): number {
    return this.#attributeSets.textOf(this.attributesOf(match));
  }

  /**
   * A fragment of a text: 0 is the country, 1 the network, 2 the threat. Concatenated they are the
   * whole text.
   */
  textFragment(text: number, fragment: 0 | 1 | 2): Uint8Array {
    return this.#attributeSets.fragment(text, fragment);
  }

  country(match: Match): string {
    const bytes = this.textFragment(this.textOf(match), 0);
    return String.fromCharCode(bytes[COUNTRY_AT] as number, bytes[COUNTRY_AT + 1] as number);
  }

  /**
   * A run of addresses around this one with the same match. It may be only a part of the whole run.
   */
  bounds(address: Address): { start: bigint; end: bigint } {
    return boundsOf(address.version, this.cursorFrom(address));
  }

  /**
   * All intervals from the one that contains the address on, unannounced space (match 0) included.
   */
  cursorFrom(address: Address): Cursor {
    return address.version === 4
      ? this.#ipv4.cursorFrom(address.w0)
      : this.#ipv6.cursorFrom(address);
  }

  /** All runs in ascending order, without unannounced space. */
  *runs(version: 4 | 6): Generator<Run> {
    const bits = addressBits(version);
    const cursor = this.cursorFrom(fromBigInt(0n, version));
    let open: { start: bigint; match: Match; prefixEnd: bigint } | undefined;
    while (cursor.advance()) {
      const { match } = cursor;
      const start = startOf(version, cursor);
      // The tables also cut runs where their structure requires it.
      if (open !== undefined && open.match === match && start <= open.prefixEnd) continue;
      if (open !== undefined) yield { start: open.start, end: start - 1n, match: open.match };
      open =
        match === 0
          ? undefined
          : { start, match, prefixEnd: lastAddress(start, prefixLength(match), bits) };
    }
    if (open !== undefined) yield { start: open.start, end: open.prefixEnd, match: open.match };
  }

  asn(number: number): AsnRecord | undefined {
    const row = this.networks.rowOf(number);
    return row < 0 ? undefined : this.networks.at(row);
  }

  /** All prefixes that the network announces, in numerical order, shorter ones first. */
  prefixesOf(number: number): AsnPrefixes {
    const { ipv4, ipv6 } = this.prefixLists(number);
    return { ipv4: ipv4.texts(), ipv6: ipv6.texts() };
  }

  prefixesJson(number: number): Buffer {
    const { ipv4, ipv6 } = this.prefixLists(number);
    return prefixesJson(ipv4, ipv6);
  }

  protected prefixLists(number: number): { ipv4: PrefixList; ipv6: PrefixList } {
    const lists = { ipv4: new PrefixList(), ipv6: new PrefixList() };
    const row = this.networks.rowOf(number);
    if (row < 0) return lists;
    const { first, last } = this.recordsOf(row);
    const blocks = first > last ? { ipv4: [], ipv6: [] } : this.#origins.blocksOf(row);
    for (const block of blocks.ipv4)
      this.#ipv4.forEachIn(block, first, last, (start, match) =>
        lists.ipv4.addRun(ipv4(start), prefixLength(match)),
      );
    for (const block of blocks.ipv6)
      this.#ipv6.forEachIn(block, first, last, (start, match) =>
        lists.ipv6.addRun(start, prefixLength(match)),
      );
    for (const [covered, list] of [
      [this.#covered[4], lists.ipv4],
      [this.#covered[6], lists.ipv6],
    ] as const) {
      for (
        let index = covered.firstOf(row);
        index < covered.count && covered.rowAt(index) === row;
        index++
      ) {
        const { base, length } = covered.at(index);
        list.addCovered(base, length);
      }
    }
    return lists;
  }

  /** The numbers of the network's records, which are consecutive. */
  recordsOf(row: number): { first: number; last: number } {
    return { first: this.#firstRecordOf(row), last: this.#firstRecordOf(row + 1) - 1 };
  }

  /** What the operator calls the addresses. */
  labels(_match: Match): readonly string[] {
    return [];
  }

  /** AS number and name of the record's network, as in the JSON text. */
  networkJson(match: Match): string {
    const row = this.rowOf(match);
    let text = this.#networkStrings[row];
    if (text === undefined) {
      text = `${this.networks.numberAt(row)},"asn_name":"${this.networks.escapedNameAt(row)}"`;
      this.#networkStrings[row] = text;
    }
    return text;
  }

  attributesJson(set: number): string {
    return this.#attributeSets.json(set);
  }

  /** The first record whose network is this row or a later one. Record 0 is unused. */
  #firstRecordOf(row: number): number {
    return lowerBound(1, this.#attributesOf.length, (record) => this.#rowOf.of(record) < row);
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

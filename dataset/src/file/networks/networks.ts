// The networks of a dataset: one row per AS, the largest first.
//
//   asns          u32 x 7   number; offset in asns.text; name length | type << 16 | registry << 20 | provider << 24;
//                           country (two ASCII bytes) | registration date << 16; IPv4 prefixes; IPv6 prefixes; IPv4
//                           addresses
//   asns.number   u32       rows of asns in the order of their numbers
//   asns.text     bytes     per row: name, TAB, handle, LF; JSON-escaped ASCII
//
// Rows are ordered by IPv4 addresses, then those with records come first, then by number.
import { decodeCountry, encodeCountry } from '../../country-code.ts';
import { lowerBound } from '../../lower-bound.ts';
import {
  type AsnRecord,
  CONNECTION_TYPES,
  type ConnectionType,
  RIRS,
  type Rir,
} from '../../record.ts';
import { bytesOf, type SectionName, wordsOf } from '../format.ts';
import { asciiJson } from '../texts/ascii-writer.ts';

const ASN_ROW_WORDS = 7;
const TAB = 0x09;
const LF = 0x0a;

export type CompiledAsn = {
  readonly number: number;
  readonly name: string;
  readonly handle?: string;
  readonly registered?: string;
  readonly type: ConnectionType;
  readonly country: string;
  /** Undefined for own networks with a private number. */
  readonly rir: Rir | undefined;
  readonly cloud_provider: string | undefined;
  readonly ipv4Addresses: number;
  readonly ipv4Prefixes: number;
  readonly ipv6Prefixes: number;
};

type NetworkSection = 'asns' | 'asns.number' | 'asns.text';

/** `providers`: the names of cloud providers, which rows refer to by position. */
export function encodeNetworks(
  asns: readonly CompiledAsn[],
  providers: readonly string[],
): Record<NetworkSection, Uint8Array> {
  const rows = new Uint32Array(asns.length * ASN_ROW_WORDS);
  const texts: string[] = [];
  let length = 0;
  asns.forEach((asn, row) => {
    const name = asciiJson(asn.name).slice(1, -1);
    const text = `${name}\t${asciiJson(asn.handle ?? '').slice(1, -1)}\n`;
    const provider =
      asn.cloud_provider === undefined ? 0 : providers.indexOf(asn.cloud_provider) + 1;
    rows.set(
      [
        asn.number,
        length,
        name.length |
          (CONNECTION_TYPES.indexOf(asn.type) << 16) |
          (registryOf(asn.rir) << 20) |
          (provider << 24),
        encodeCountry(asn.country) | (encodeDate(asn.registered) << 16),
        asn.ipv4Prefixes,
        asn.ipv6Prefixes,
        asn.ipv4Addresses,
      ],
      row * ASN_ROW_WORDS,
    );
    texts.push(text);
    length += text.length;
  });
  const byNumber = Uint32Array.from(asns.keys()).sort(
    (a, b) => (asns[a]?.number ?? 0) - (asns[b]?.number ?? 0),
  );
  return {
    asns: bytesOf(rows),
    'asns.number': bytesOf(byNumber),
    'asns.text': Buffer.from(texts.join(''), 'latin1'),
  };
}

const NO_REGISTRY = 0xf;
const registryOf = (rir: Rir | undefined): number =>
  rir === undefined ? NO_REGISTRY : RIRS.indexOf(rir);

/** The sections with more rows at their end. Numbers that are there already keep their row. */
export function appendNetworks(
  sections: Record<NetworkSection, Uint8Array>,
  asns: readonly CompiledAsn[],
): Record<NetworkSection, Buffer> {
  const more = encodeNetworks(asns, []);
  const rows = wordsOf(sections.asns);
  const added = wordsOf(more.asns).slice();
  const text = sections['asns.text'];
  for (let at = 1; at < added.length; at += ASN_ROW_WORDS)
    added[at] = (added[at] as number) + text.length;
  const all = new Uint32Array(rows.length + added.length);
  all.set(rows);
  all.set(added, rows.length);
  const count = rows.length / ASN_ROW_WORDS;
  const numberAt = (row: number) => all[row * ASN_ROW_WORDS] as number;
  const byNumber = [...wordsOf(sections['asns.number'])];
  for (const [i, { number }] of asns.entries()) {
    const at = lowerBound(
      0,
      byNumber.length,
      (middle) => numberAt(byNumber[middle] as number) < number,
    );
    const isKnown = at < byNumber.length && numberAt(byNumber[at] as number) === number;
    if (!isKnown) byNumber.splice(at, 0, count + i);
  }
  return {
    asns: Buffer.from(bytesOf(all).buffer),
    'asns.number': Buffer.from(Uint32Array.from(byNumber).buffer),
    'asns.text': Buffer.concat([text, more['asns.text']]),
  };
}

export const countNetworks = (rows: Uint8Array): number => rows.length / (ASN_ROW_WORDS * 4);

/** The first section that does not fit the others, or undefined. */
export function findDamagedNetworks(
  sections: Record<NetworkSection, Buffer>,
): SectionName | undefined {
  const networks = countNetworks(sections.asns);
  if (!Number.isInteger(networks)) return 'asns';
  const byNumber = wordsOf(sections['asns.number']);
  if (byNumber.length !== networks || !byNumber.every((row) => row < networks))
    return 'asns.number';
  const rows = wordsOf(sections.asns);
  const text = sections['asns.text'];
  let start = 0;
  for (let at = 0; at < rows.length; at += ASN_ROW_WORDS) {
    const tab = start + ((rows[at + 2] as number) & 0xffff);
    if (rows[at + 1] !== start || text[tab] !== TAB) return 'asns.text';
    let end = tab;
    while (end < text.length && text[end] !== LF) end++;
    start = end + 1;
  }
  return start === text.length ? undefined : 'asns.text';
}

export class Networks {
  /** Names and handles. A name is JSON-escaped ASCII, at `nameStartAt`. */
  readonly text: Buffer;
  readonly #rows: Uint32Array;
  readonly #byNumber: Uint32Array;
  readonly #providers: readonly string[];

  constructor(sections: Record<NetworkSection, Buffer>, providers: readonly string[]) {
    this.text = sections['asns.text'];
    this.#rows = wordsOf(sections.asns);
    this.#byNumber = wordsOf(sections['asns.number']);
    this.#providers = providers;
  }

  get count(): number {
    return this.#rows.length / ASN_ROW_WORDS;
  }

  rowOf(number: number): number {
    const byNumber = this.#byNumber;
    const at = lowerBound(
      0,
      byNumber.length,
      (middle) => this.numberAt(byNumber[middle] as number) < number,
    );
    const row = byNumber[at] ?? -1;
    return row >= 0 && this.numberAt(row) === number ? row : -1;
  }

  numberAt(row: number): number {
    return this.#rows[row * ASN_ROW_WORDS] as number;
  }

  ipv4AddressesAt(row: number): number {
    return this.#rows[row * ASN_ROW_WORDS + 6] as number;
  }

  /** Rows of overrides that give a network of another row a second name, with that row. */
  aliases(): (readonly [alias: number, row: number])[] {
    if (this.#byNumber.length === this.count) return [];
    return Array.from({ length: this.count }, (_, row) => row).flatMap((row) => {
      const canonical = this.rowOf(this.numberAt(row));
      return canonical === row ? [] : [[row, canonical] as const];
    });
  }

  nameStartAt(row: number): number {
    return this.#rows[row * ASN_ROW_WORDS + 1] as number;
  }

  nameLengthAt(row: number): number {
    return (this.#rows[row * ASN_ROW_WORDS + 2] as number) & 0xffff;
  }

  escapedNameAt(row: number): string {
    const start = this.nameStartAt(row);
    return this.text.toString('latin1', start, start + this.nameLengthAt(row));
  }

  countryAt(row: number): string {
    return decodeCountry((this.#rows[row * ASN_ROW_WORDS + 3] as number) & 0xffff);
  }

  at(row: number): AsnRecord {
    const word = (i: number) => this.#rows[row * ASN_ROW_WORDS + i] as number;
    const packed = word(2);
    const rir = RIRS[(packed >>> 20) & 0xf];
    const handleStart = word(1) + (packed & 0xffff) + 1;
    const handle = this.text.toString('latin1', handleStart, this.text.indexOf(LF, handleStart));
    const registered = decodeDate(word(3) >>> 16);
    const provider = this.#providers[(packed >>> 24) - 1];
    return {
      asn: word(0),
      asn_name: JSON.parse(`"${this.escapedNameAt(row)}"`),
      country: this.countryAt(row),
      ...(rir && { rir }),
      connection_type: CONNECTION_TYPES[(packed >>> 16) & 0xf] ?? 'business',
      is_announced: word(4) + word(5) > 0,
      prefix_count: { ipv4: word(4), ipv6: word(5) },
      address_count: { ipv4: word(6) },
      ...(handle === '' ? {} : { handle: JSON.parse(`"${handle}"`) }),
      ...(registered === undefined ? {} : { registered }),
      ...(provider === undefined ? {} : { cloud_provider: provider }),
    };
  }
}

/**
 * 16 bits as in a FAT directory: year - 1980, month, day in 7, 4, 5 bits. 0: unknown or out of
 * range.
 */
const FIRST_YEAR = 1980;
const LAST_YEAR = FIRST_YEAR + 127;

/** `date` is yyyy-mm-dd. */
export function encodeDate(date: string | undefined): number {
  const [year = 0, month = 0, day = 0] = date?.split('-').map(Number) ?? [];
  return year < FIRST_YEAR || year > LAST_YEAR
    ? 0
    : ((year - FIRST_YEAR) << 9) | (month << 5) | day;
}

export function decodeDate(date: number): string | undefined {
  if (date === 0) return undefined;
  const twoDigits = (value: number) => String(value).padStart(2, '0');
  return `${FIRST_YEAR + (date >>> 9)}-${twoDigits((date >>> 5) & 15)}-${twoDigits(date & 31)}`;
}

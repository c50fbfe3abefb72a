// What is known of addresses beside their records, from feeds that are off by default: where they are, whether they are
// anycast, and which internet exchange's peering LAN they belong to. It is a second file beside a version of the dataset,
// so that a deployment without these feeds neither stores nor reads anything of it.
//
//   section      element     content
//   meta         JSON        sources, counts
//   loc.*        intervals   position in `places` (interval-table.ts); empty if no feed has locations
//   any.*        intervals   1: anycast
//   ix.*         intervals   text: name of the exchange
//   places       u32 x 5     texts of city and region; latitude and longitude in millionths of a degree, ABSENT if unknown;
//                            country << 16 | position in the sources. Place 0 is unused: it means that nothing is known
//   texts.at     u32         offset of each text; one more at the end. Text 0 is empty
//   texts        UTF-8       names of cities, regions and exchanges, each once
import { createHash } from 'node:crypto';
import type { Address } from '../address.ts';
import { decodeCountry, encodeCountry } from '../country-code.ts';
import { DatasetError } from '../dataset-error.ts';
import { bytesOf, wordsOf } from '../file/format.ts';
import {
  decodeSections,
  encodeSections,
  hasMagic,
  readSectionFile,
  type SectionFormat,
  versionOf,
} from '../file/section-file.ts';
import { addressBits } from '../prefix.ts';
import type { Source } from '../record.ts';
import {
  findIpv4,
  findIpv6,
  type Ipv4Intervals,
  type Ipv6Intervals,
  ipv4IntervalEnd,
  ipv4Intervals,
  ipv6IntervalEnd,
  ipv6Intervals,
  isIpv4Sound,
  isIpv6Sound,
} from './interval-table.ts';
import type { Intervals } from './intervals.ts';

const TABLES = ['loc', 'any', 'ix'] as const;
type Table = (typeof TABLES)[number];
const COLUMNS = ['v4.top', 'v4.low', 'v4.value', 'v6.first', 'v6.offset', 'v6.rest', 'v6.value'] as const;
type SectionName = 'meta' | `${Table}.${(typeof COLUMNS)[number]}` | 'places' | 'texts.at' | 'texts';

export const SUPPLEMENT_FORMAT = 1;
const FORMAT: SectionFormat<SectionName> = {
  magic: 'WHENCE+\n',
  version: SUPPLEMENT_FORMAT,
  sections: [
    'meta',
    ...TABLES.flatMap((table) => COLUMNS.map((column) => `${table}.${column}` as const)),
    'places',
    'texts.at',
    'texts',
  ],
};

const PLACE_WORDS = 5;
/** Beyond any latitude or longitude. */
export const ABSENT = 0x8000_0000;
const MICRODEGREES = 1_000_000;
/** Its position is stored in a byte. */
export const MAX_SOURCES = 256;

type SupplementMeta = { readonly sources: readonly Source[]; readonly places: number };

/** Where an address is, as a source says. What the source does not say is absent. */
export type Location = {
  city?: string;
  region?: string;
  latitude?: number;
  longitude?: number;
  source: string;
  as_of: string;
};

export type SupplementContent = {
  readonly meta: SupplementMeta;
  readonly tables: Readonly<Partial<Record<Table, Readonly<Record<4 | 6, Intervals>>>>>;
  /** Words, as in the section. */
  readonly places: Uint32Array;
  readonly texts: readonly string[];
};

export function encodeSupplement({ meta, tables, places, texts }: SupplementContent): Buffer {
  const sections: Partial<Record<SectionName, Uint8Array>> = { meta: Buffer.from(JSON.stringify(meta)) };
  for (const table of TABLES) {
    const intervals = tables[table];
    const v4 = intervals && ipv4Intervals(intervals[4]);
    const v6 = intervals && ipv6Intervals(intervals[6]);
    const columns = [v4?.top, v4?.low, v4?.value, v6?.first, v6?.offset, v6?.rest, v6?.value];
    COLUMNS.forEach((column, i) => {
      sections[`${table}.${column}`] = bytesOf(columns[i] ?? new Uint8Array());
    });
  }
  const encoded = texts.map((text) => Buffer.from(text));
  const at = new Uint32Array(texts.length + 1);
  encoded.forEach((text, i) => {
    at[i + 1] = (at[i] as number) + text.length;
  });
  return encodeSections(FORMAT, {
    ...(sections as Record<SectionName, Uint8Array>),
    places: bytesOf(places),
    'texts.at': bytesOf(at),
    texts: Buffer.concat(encoded),
  });
}

/** The bytes of a supplement, checked, so that a thread can do it. `sha256` is that of the file that is expected. */
export function readSupplement(path: string, sha256: string): Buffer<ArrayBuffer> {
  return readSectionFile(path, (bytes) => {
    // Also proves that it belongs to the version whose entry in the manifest names it.
    if (createHash('sha256').update(bytes).digest('hex') !== sha256)
      throw new DatasetError('checksum mismatch: not the file that was published with the version');
    new Supplement(bytes).check();
    return bytes;
  });
}

type IntervalTable = { readonly v4: Ipv4Intervals; readonly v6: Ipv6Intervals };

export class Supplement {
  readonly meta: SupplementMeta;
  readonly #tables: Readonly<Record<Table, IntervalTable | undefined>>;
  readonly #places: Uint32Array;
  readonly #textsAt: Uint32Array;
  readonly #texts: Buffer;
  /** Made on first use: decoding a text takes longer than the search for its address. */
  readonly #strings: (string | undefined)[];
  /** JSON of places, also made on first use, which takes 2 µs: in a batch many addresses share a place. */
  readonly #jsons: (string | undefined)[];

  /** `file` must not be a slice of a pooled buffer. Its checksums were compared when it was read. */
  constructor(file: Buffer) {
    if (!hasMagic(file, FORMAT.magic)) throw new DatasetError('not a supplement of a whence dataset');
    const version = versionOf(file, FORMAT.magic);
    if (version === undefined) throw new DatasetError('damaged: checksum mismatch in the header');
    if (version !== FORMAT.version)
      throw new DatasetError(`format ${version} is not readable by this version; build the dataset again`);
    const sections = decodeSections(file, FORMAT.sections, true);
    this.meta = JSON.parse(sections.meta.toString()) as SupplementMeta;
    this.#tables = { loc: tableOf(sections, 'loc'), any: tableOf(sections, 'any'), ix: tableOf(sections, 'ix') };
    this.#places = wordsOf(sections.places);
    this.#textsAt = wordsOf(sections['texts.at']);
    this.#texts = sections.texts;
    this.#strings = new Array(this.#textsAt.length);
    this.#jsons = new Array(Math.ceil(this.#places.length / PLACE_WORDS));
  }

  get hasLocations(): boolean {
    return this.#tables.loc !== undefined;
  }

  get hasAnycast(): boolean {
    return this.#tables.any !== undefined;
  }

  get hasExchanges(): boolean {
    return this.#tables.ix !== undefined;
  }

  /** 0 if none is known. An anycast address is in many places, whatever a database says. */
  placeOf(address: Address): number {
    return this.isAnycast(address) ? 0 : find(this.#tables.loc, address);
  }

  /** Consecutive addresses with one place around this one: its number and the last address. */
  placeRun(address: Address): { place: number; end: bigint } {
    const [place, anycast] = [endOf(this.#tables.loc, address), endOf(this.#tables.any, address)];
    return { place: this.placeOf(address), end: place < anycast ? place : anycast };
  }

  /** The last of the consecutive addresses around this one of which the same is known about anycast and exchanges. */
  routingEnd(address: Address): bigint {
    const [anycast, exchange] = [endOf(this.#tables.any, address), endOf(this.#tables.ix, address)];
    return anycast < exchange ? anycast : exchange;
  }

  /** In `country`, as two letters, only: a place elsewhere contradicts the record. */
  location(place: number, country: string): Location | undefined {
    return this.isPlaceIn(place, country) ? this.#location(place) : undefined;
  }

  locationJson(place: number, country: string): string | undefined {
    if (!this.isPlaceIn(place, country)) return undefined;
    let json = this.#jsons[place];
    if (json === undefined) {
      json = JSON.stringify(this.#location(place));
      this.#jsons[place] = json;
    }
    return json;
  }

  /** Whether a place is known, and in this country. */
  isPlaceIn(place: number, country: string): boolean {
    return place !== 0 && (this.#places[place * PLACE_WORDS + 4] as number) >>> 16 === encodeCountry(country);
  }

  placeCountry(place: number): string {
    return decodeCountry((this.#places[place * PLACE_WORDS + 4] as number) >>> 16);
  }

  isAnycast(address: Address): boolean {
    return find(this.#tables.any, address) === 1;
  }

  exchange(address: Address): string | undefined {
    const text = find(this.#tables.ix, address);
    return text === 0 ? undefined : this.#text(text);
  }

  /** Throws a DatasetError if a lookup could read beyond a section. */
  check(): void {
    const texts = this.#textsAt.length - 1;
    const { sources } = this.meta;
    const isTextSound = this.#textsAt.every(
      (offset, i) => offset <= this.#texts.length && (i === 0 || offset >= (this.#textsAt[i - 1] as number)),
    );
    if (texts < 1 || !isTextSound || !Array.isArray(sources)) throw damaged('texts.at');
    if (this.#places.length % PLACE_WORDS !== 0 || this.#places.length === 0) throw damaged('places');
    const places = this.#places.length / PLACE_WORDS;
    for (let at = PLACE_WORDS; at < this.#places.length; at += PLACE_WORDS) {
      const [city, region] = [this.#places[at] as number, this.#places[at + 1] as number];
      if (city >= texts || region >= texts || ((this.#places[at + 4] as number) & 0xff) >= sources.length)
        throw damaged('places');
    }
    const limits = { loc: places, any: 2, ix: texts };
    for (const table of TABLES) {
      const found = this.#tables[table];
      if (found === undefined) continue;
      if (!isIpv4Sound(found.v4, limits[table])) throw damaged(`${table}.v4`);
      if (!isIpv6Sound(found.v6, limits[table])) throw damaged(`${table}.v6`);
    }
  }

  #location(place: number): Location {
    const at = place * PLACE_WORDS;
    const city = this.#text(this.#places[at] as number);
    const region = this.#text(this.#places[at + 1] as number);
    const latitude = this.#places[at + 2] as number;
    const longitude = this.#places[at + 3] as number;
    // The number of a source is below the number of sources: `check` has looked.
    const { id, as_of } = this.meta.sources[(this.#places[at + 4] as number) & 0xff] as Source;
    // Assigned one by one, because spreads of conditional objects take several times as long.
    const location = {} as Location;
    if (city !== '') location.city = city;
    if (region !== '') location.region = region;
    if (latitude !== ABSENT && longitude !== ABSENT) {
      location.latitude = degrees(latitude);
      location.longitude = degrees(longitude);
    }
    location.source = id;
    location.as_of = as_of;
    return location;
  }

  #text(number: number): string {
    let text = this.#strings[number];
    if (text === undefined) {
      text = this.#texts.toString('utf8', this.#textsAt[number], this.#textsAt[number + 1]);
      this.#strings[number] = text;
    }
    return text;
  }
}

const degrees = (word: number): number => (word | 0) / MICRODEGREES;

function find(table: IntervalTable | undefined, address: Address): number {
  if (table === undefined) return 0;
  return address.version === 4 ? findIpv4(table.v4, address.w0) : findIpv6(table.v6, address);
}

function endOf(table: IntervalTable | undefined, address: Address): bigint {
  if (table === undefined) return (1n << BigInt(addressBits(address.version))) - 1n;
  return address.version === 4 ? ipv4IntervalEnd(table.v4, address.w0) : ipv6IntervalEnd(table.v6, address);
}

function tableOf(sections: Record<SectionName, Buffer>, table: Table): IntervalTable | undefined {
  if (sections[`${table}.v4.top`].length === 0) return undefined;
  const words = (column: (typeof COLUMNS)[number]) => wordsOf(sections[`${table}.${column}`]);
  const low = sections[`${table}.v4.low`];
  return {
    v4: {
      top: words('v4.top'),
      low: new Uint16Array(low.buffer, low.byteOffset, low.length / 2),
      value: words('v4.value'),
    },
    v6: { first: words('v6.first'), offset: words('v6.offset'), rest: words('v6.rest'), value: words('v6.value') },
  };
}

const damaged = (section: string) => new DatasetError(`damaged: section ${section} does not fit the others`);

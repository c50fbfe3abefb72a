// A database of cities in MaxMind's file format (https://maxmind.github.io/MaxMind-DB/), from any
// vendor. It is looked up by `mmdb-lib`, which trusts the file: a pointer to itself ends in a stack
// overflow, nested pointers in a record of any size. So every record is decoded once before a file
// is used, with limits, and a file with a fault is refused as a whole.

import { Reader, type Response } from 'mmdb-lib';
import decoder from 'mmdb-lib/lib/decoder.js';
import { type Address, formatAddress } from '../address.ts';
import { DatasetError } from '../dataset-error.ts';
import { dayOfMs } from '../day.ts';
import type { Location } from '../record.ts';
import { isLocated, type LocationRecord, readLocation } from './location-record.ts';

const METADATA_MARKER = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
/** The format allows 128 KiB. */
const MAX_METADATA_BYTES = 131_072;
const SEPARATOR = Buffer.alloc(16);
/** A record of GeoIP2 City, with names in eight languages, has about a hundred. */
const MAX_POINTERS = 2_000;
const MAX_VALUES = 10_000;
/** In commands, which look up a few addresses, and would take seconds to decode all records. */
const SAMPLE = 1_000;
const DATABASE_TYPE = /^[\x21-\x7e][\x20-\x7e]{0,99}$/;

export class LocationDatabase {
  readonly source: string;
  readonly as_of: string;
  readonly builtAt: Date;
  readonly bytes: number;
  readonly #limit = new PointerLimit();
  readonly #reader: Reader<Response>;
  readonly #isIpv4Only: boolean;

  /**
   * `file`: its records were checked (`checkRecords`). Throws a DatasetError if it is no database.
   */
  constructor(file: Buffer) {
    this.#reader = openReader(file, this.#limit);
    const { metadata } = this.#reader;
    this.#isIpv4Only = metadata.ipVersion === 4;
    this.source = metadata.databaseType;
    this.builtAt = metadata.buildEpoch;
    this.as_of = dayOfMs(metadata.buildEpoch.getTime());
    this.bytes = file.length;
  }

  /** A place in another country than `country`, which more sources decide, is left out. */
  find(address: Address, country: string): Location | undefined {
    // `mmdb-lib` would look up the first 32 bits.
    if (this.#isIpv4Only && address.version === 6) return undefined;
    const record = this.#read(formatAddress(address));
    if (!isLocated(record) || (record.country ?? country) !== country) return undefined;
    // Assigned one by one, because spreads of conditional objects take several times as long.
    const location = {} as Location;
    if (record.city !== undefined) location.city = record.city;
    if (record.region !== undefined) location.region = record.region;
    if (record.latitude !== undefined && record.longitude !== undefined) {
      location.latitude = record.latitude;
      location.longitude = record.longitude;
    }
    location.source = this.source;
    location.as_of = this.as_of;
    return location;
  }

  /** A record that was not in the sample of `checkRecords` may be damaged. */
  #read(ip: string): LocationRecord {
    this.#limit.reset();
    try {
      return readLocation(this.#reader.get(ip));
    } catch {
      return {};
    }
  }
}

/** Refuses pointers that lead in circles, or to more than a record has. */
class PointerLimit {
  #left = 0;

  reset(): void {
    this.#left = MAX_POINTERS;
  }

  get(): undefined {
    if (this.#left-- === 0) throw new Error(`it has more than ${MAX_POINTERS} pointers`);
    return undefined;
  }

  set(): void {}
}

type Metadata = Reader<Response>['metadata'];

function openReader(file: Buffer, limit: PointerLimit): Reader<Response> {
  const tail = file.subarray(-MAX_METADATA_BYTES);
  if (!tail.includes(METADATA_MARKER))
    throw new DatasetError(
      'not a database in the MMDB format, or its end is missing: it has no metadata',
    );
  const reader = readerOf(file, limit);
  const { metadata } = reader;
  const { binaryFormatMajorVersion, buildEpoch, databaseType, ipVersion, nodeCount } = metadata;
  const treeEnd = metadata.searchTreeSize;
  const hasTree = Number.isSafeInteger(nodeCount) && nodeCount > 0;
  if (binaryFormatMajorVersion !== 2 || !hasTree || (ipVersion !== 4 && ipVersion !== 6))
    throw damaged('its metadata is not that of MMDB format 2');
  if (typeof databaseType !== 'string' || !DATABASE_TYPE.test(databaseType))
    throw damaged('its metadata has no database type');
  const year = buildEpoch.getUTCFullYear();
  if (!(year >= 1970 && year <= 9999)) throw damaged('its metadata has no build date');
  if (treeEnd + SEPARATOR.length > file.length - METADATA_MARKER.length)
    throw damaged('its search tree is larger than the file');
  if (!file.subarray(treeEnd, treeEnd + SEPARATOR.length).equals(SEPARATOR))
    throw damaged('its search tree does not end where its metadata says');
  return reader;
}

function readerOf(file: Buffer, cache: PointerLimit): Reader<Response> {
  try {
    return new Reader<Response>(file, { cache });
  } catch (error) {
    throw damaged(`its metadata cannot be read (${(error as Error).message})`);
  }
}

const damaged = (reason: string) => new DatasetError(`damaged: ${reason}`);

/**
 * Decodes each record once, or with `isSample` the first thousand, and returns the number of
 * networks. Throws a DatasetError if one cannot be decoded, or if none has a location.
 */
export function checkRecords(file: Buffer, isSample = false): number {
  const limit = new PointerLimit();
  const { metadata } = openReader(file, limit);
  const { nodeCount, searchTreeSize } = metadata;
  const dataEnd = file.lastIndexOf(METADATA_MARKER);
  const dataBytes = dataEnd - searchTreeSize - SEPARATOR.length;
  const data = file.subarray(0, dataEnd);
  const records = new decoder.default(data, searchTreeSize + SEPARATOR.length, limit);
  /** A bit for each byte of the data section: whether a record that starts there was decoded. */
  const isDecoded = new Uint8Array((dataBytes >> 3) + 1);
  let decoded = 0;
  let located = 0;
  let networks = 0;
  const recordAt = entryReader(file, metadata);
  for (let entry = 0; entry < nodeCount * 2; entry++) {
    const value = recordAt(entry);
    if (value <= nodeCount) continue;
    networks++;
    const offset = value - nodeCount - SEPARATOR.length;
    if (offset < 0 || offset >= dataBytes)
      throw damaged(`node ${entry >> 1} of its search tree refers to data outside the file`);
    const bit = 1 << (offset & 7);
    if (((isDecoded[offset >> 3] as number) & bit) !== 0) continue;
    isDecoded[offset >> 3] = (isDecoded[offset >> 3] as number) | bit;
    if (isSample && decoded === SAMPLE) break;
    decoded++;
    limit.reset();
    if (isLocated(readLocation(decode(records, searchTreeSize + SEPARATOR.length + offset))))
      located++;
  }
  if (located === 0)
    throw new DatasetError(
      `a database of the type ${metadata.databaseType}, whose records have no city, region or coordinates`,
    );
  return networks;
}

function decode(records: InstanceType<typeof decoder.default>, at: number): unknown {
  try {
    const { value } = records.decode(at);
    countValues(value, { left: MAX_VALUES });
    return value;
  } catch (error) {
    throw damaged(`the record at byte ${at} cannot be read (${(error as Error).message})`);
  }
}

function countValues(value: unknown, count: { left: number }): void {
  if (count.left-- === 0) throw new Error(`it has more than ${MAX_VALUES} values`);
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return;
  for (const item of Object.values(value)) countValues(item, count);
}

/** The entries of the search tree, two for each node, as numbers. */
function entryReader(file: Buffer, { recordSize }: Metadata): (entry: number) => number {
  if (recordSize === 24) return (entry) => file.readUIntBE(entry * 3, 3);
  if (recordSize === 32) return (entry) => file.readUInt32BE(entry * 4);
  // The byte in the middle of a node has the highest bits of both entries.
  return (entry) => {
    const node = (entry >> 1) * 7;
    const middle = file[node + 3] as number;
    return entry % 2 === 0
      ? (middle >> 4) * 0x100_0000 + file.readUIntBE(node, 3)
      : (middle & 15) * 0x100_0000 + file.readUIntBE(node + 4, 3);
  };
}

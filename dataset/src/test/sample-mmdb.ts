/**
 * A small file in the MMDB format, also one that no program writes: a buffer in a record is put in
 * as it is.
 */
import { addressBits, parsePrefix } from '../prefix.ts';

export type MmdbValue =
  | string
  | number
  | bigint
  | boolean
  | Buffer
  | readonly MmdbValue[]
  | { readonly [name: string]: MmdbValue };

type MmdbOptions = {
  readonly databaseType?: MmdbValue;
  readonly builtAt?: string;
  readonly recordSize?: 24 | 28 | 32;
  readonly ipVersion?: 4 | 6;
  /** Replaces members of the metadata. */
  readonly metadata?: Record<string, MmdbValue>;
  /** Added to the places in the data section that the search tree names. */
  readonly shift?: number;
};

type Node = [left: Node | number, right: Node | number];
const NONE = -1;

export function sampleMmdb(
  rows: readonly (readonly [prefix: string, record: MmdbValue])[],
  options: MmdbOptions = {},
): Buffer {
  const { databaseType = 'DBIP-City-Lite', builtAt = '2026-11-01', shift = 0 } = options;
  const { recordSize = 28, ipVersion = 6 } = options;
  const root: Node = [NONE, NONE];
  const data: Buffer[] = [];
  let dataBytes = 0;
  for (const [prefix, record] of rows) {
    insert(root, bitsOf(prefix, ipVersion), dataBytes + shift);
    const bytes = encode(record);
    data.push(bytes);
    dataBytes += bytes.length;
  }
  const nodes = [root];
  for (const node of nodes) for (const child of node) if (Array.isArray(child)) nodes.push(child);
  const entries = nodes.flatMap((node) =>
    node.map((child) => {
      if (Array.isArray(child)) return nodes.indexOf(child);
      return child === NONE ? nodes.length : nodes.length + 16 + child;
    }),
  );
  const metadata = {
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: BigInt(Date.parse(builtAt) / 1000),
    database_type: databaseType,
    description: { en: 'made by a test' },
    ip_version: ipVersion,
    languages: ['en'],
    node_count: nodes.length,
    record_size: recordSize,
    ...options.metadata,
  };
  return Buffer.concat([
    treeOf(entries, recordSize),
    Buffer.alloc(16),
    ...data,
    Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1'),
    encode(metadata),
  ]);
}

export type SampleLocation = {
  readonly country?: string;
  readonly region?: string;
  readonly city?: string;
  readonly at?: readonly [latitude: number, longitude: number];
};

/** As DB-IP and MaxMind write it. */
export function geoip2Record({ country, region, city, at }: SampleLocation): MmdbValue {
  return {
    ...(country !== undefined && { country: { iso_code: country } }),
    ...(region !== undefined && { subdivisions: [{ names: { en: region } }] }),
    ...(city !== undefined && { city: { names: { de: `${city} (de)`, en: city } } }),
    ...(at !== undefined && { location: { latitude: at[0], longitude: at[1] } }),
  };
}

export const cityMmdb = (
  rows: readonly (readonly [prefix: string, location: SampleLocation])[],
  options?: MmdbOptions,
): Buffer =>
  sampleMmdb(
    rows.map(([prefix, location]) => [prefix, geoip2Record(location)]),
    options,
  );

/** A pointer to a place in the data section. */
export const pointerTo = (offset: number): Buffer =>
  Buffer.from([0x20 | (offset >> 8), offset & 0xff]);

/** Single precision, as some databases store coordinates. */
export function float32(value: number): Buffer {
  const bytes = Buffer.from([4, 8, 0, 0, 0, 0]);
  bytes.writeFloatBE(value, 2);
  return bytes;
}

export function encode(value: MmdbValue): Buffer {
  if (Buffer.isBuffer(value)) return value;
  if (typeof value === 'string') return control(2, Buffer.from(value));
  if (typeof value === 'boolean') return Buffer.from([value ? 1 : 0, 7]);
  if (typeof value === 'bigint') {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64BE(value);
    return Buffer.concat([Buffer.from([8, 2]), bytes]);
  }
  if (typeof value === 'number') return encodeNumber(value);
  if (Array.isArray(value))
    return Buffer.concat([Buffer.from([value.length, 4]), ...value.map(encode)]);
  const members = Object.entries(value);
  return Buffer.concat([
    Buffer.from([(7 << 5) | members.length]),
    ...members.flatMap(([name, member]) => [encode(name), encode(member)]),
  ]);
}

/** Whole numbers of the metadata are unsigned; all others double. */
function encodeNumber(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  if (Number.isInteger(value) && value >= 0) {
    bytes.writeUInt32BE(value);
    return control(6, bytes.subarray(0, 4));
  }
  bytes.writeDoubleBE(value);
  return control(3, bytes);
}

function control(type: number, content: Buffer): Buffer {
  const { length } = content;
  const head = length < 29 ? [(type << 5) | length] : [(type << 5) | 29, length - 29];
  return Buffer.concat([Buffer.from(head), content]);
}

function bitsOf(prefix: string, ipVersion: 4 | 6): string {
  const range = parsePrefix(prefix);
  if (range === undefined) throw new Error(`not a prefix: ${prefix}`);
  const isInside = range.version === 4 && ipVersion === 6;
  const bits = range.start.toString(2).padStart(addressBits(range.version), '0');
  return (isInside ? '0'.repeat(96) : '') + bits.slice(0, Number(prefix.split('/')[1]));
}

function insert(root: Node, bits: string, offset: number): void {
  let node = root;
  for (const bit of bits.slice(0, -1)) {
    const side = Number(bit);
    const next = node[side];
    if (Array.isArray(next)) node = next;
    else {
      const child: Node = [NONE, NONE];
      node[side] = child;
      node = child;
    }
  }
  node[Number(bits.at(-1))] = offset;
}

function treeOf(entries: readonly number[], recordSize: 24 | 28 | 32): Buffer {
  const bytes = Buffer.alloc((entries.length * recordSize) / 8);
  entries.forEach((entry, i) => {
    if (recordSize === 32) bytes.writeUInt32BE(entry, i * 4);
    else if (recordSize === 24) bytes.writeUIntBE(entry, i * 3, 3);
    else {
      const node = (i >> 1) * 7;
      bytes.writeUIntBE(entry & 0xff_ffff, node + (i % 2) * 4, 3);
      const high = entry >>> 24;
      bytes[node + 3] = (bytes[node + 3] as number) | (i % 2 === 0 ? high << 4 : high);
    }
  });
  return bytes;
}

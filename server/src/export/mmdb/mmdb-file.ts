/**
 * A MaxMind DB file (format 2.0, https://maxmind.github.io/MaxMind-DB/): search tree, 16 zero
 * bytes, data section, metadata.
 *
 * One tree for both families. IPv4 is at ::/96, where readers expect it, and ::ffff:0:0/96 is an
 * alias of it.
 */

import { ipv6 } from '@whence/dataset/address';
import { getOrInsert } from '@whence/dataset/get-or-insert';
import { addressBits, fromBigInt, prefixesOfRange, type Range } from '@whence/dataset/prefix';
import {
  DataSection,
  encodeInline,
  mapOf,
  uint16,
  uint32,
  uint64,
  type Value,
} from './mmdb-data.ts';
import { SEPARATOR_BYTES, type SearchTree } from './mmdb-tree.ts';

type MmdbMetadata = {
  readonly databaseType: string;
  readonly description: string;
  readonly builtAt: Date;
};

export class MmdbValues {
  readonly #data = new DataSection();
  readonly #offsets: number[] = [];
  /** Index of a value by its offset: equal values have one. */
  readonly #indexes = new Map<number, number>();

  /** Returns the index by which the tree refers to it; equal values have the same. */
  add(value: Value): number {
    const offset = this.#data.place(value);
    return getOrInsert(this.#indexes, offset, () => this.#offsets.push(offset) - 1);
  }

  /** The file of these values. The tree must not be used afterwards. */
  encode(tree: SearchTree, metadata: MmdbMetadata): Buffer[] {
    tree.alias(IPV4_MAPPED, IPV4_DEPTH, IPV4_ROOT);
    const { bytes, recordBits } = tree.encode(this.#offsets, this.#data.bytes.length);
    return [
      bytes,
      Buffer.alloc(SEPARATOR_BYTES),
      this.#data.bytes,
      encodeMetadata(metadata, tree.nodeCount, recordBits),
    ];
  }
}

/** Adds the prefixes of a range, which must not overlap with others. */
export function insertRange(tree: SearchTree, { version, start, end }: Range, value: number): void {
  if (version === 4) {
    insertIpv4(tree, Number(start), Number(end), value);
    return;
  }
  for (const [base, length] of prefixesOfRange(start, end, addressBits(version)))
    tree.insert(fromBigInt(base, version), length, value);
}

/** The same prefixes as `prefixesOfRange`, without bigints: there are a million of them. */
function insertIpv4(tree: SearchTree, start: number, end: number, value: number): void {
  for (let base = start; base <= end; ) {
    // The lowest bit that is set says how large a prefix can be that begins here.
    let size = base === 0 ? 2 ** 32 : (base & -base) >>> 0;
    while (base + size - 1 > end) size /= 2;
    tree.insert(ipv6(0, 0, 0, base), IPV4_DEPTH + 32 - Math.log2(size), value);
    base += size;
  }
}

/** Starts with the marker by which readers find the metadata. */
export function encodeMetadata(
  metadata: MmdbMetadata,
  nodeCount: number,
  recordBits: number,
): Buffer {
  const { databaseType, description, builtAt } = metadata;
  const map = mapOf({
    binary_format_major_version: uint16(2),
    binary_format_minor_version: uint16(0),
    build_epoch: uint64(Math.floor(builtAt.getTime() / 1000)),
    database_type: databaseType,
    description: mapOf({ en: description }),
    ip_version: uint16(6),
    languages: ['en'],
    node_count: uint32(nodeCount),
    record_size: uint16(recordBits),
  });
  return Buffer.concat([METADATA_MARKER, encodeInline(map)]);
}

const METADATA_MARKER = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
const IPV4_DEPTH = 96;
const IPV4_ROOT = ipv6(0, 0, 0, 0);
const IPV4_MAPPED = ipv6(0, 0, 0xffff, 0);

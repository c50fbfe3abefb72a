/**
 * A MaxMind DB file (format 2.0, https://maxmind.github.io/MaxMind-DB/): search tree, 16 zero bytes, data section,
 * metadata.
 *
 * One tree for both families. IPv4 is at ::/96, where readers expect it, and ::ffff:0:0/96 is an alias of it.
 */
import { ipv6 } from '@whence/dataset/address';
import { addressBits, fromBigInt, prefixesOfRange, type Range } from '@whence/dataset/prefix';
import { DataSection, encodeInline, mapOf, uint16, uint32, uint64, type Value } from './mmdb-data.ts';
import { SEPARATOR_BYTES, SearchTree } from './mmdb-tree.ts';

type MmdbMetadata = {
  readonly databaseType: string;
  readonly description: string;
  readonly builtAt: Date;
};

export class MmdbFile {
  readonly #tree = new SearchTree();
  readonly #data = new DataSection();
  readonly #offsets: number[] = [];
  /** Index of a value by its offset: equal values have one. */
  readonly #indexes = new Map<number, number>();
  #networks = 0;

  /** Networks in the tree, without the alias. */
  get networks(): number {
    return this.#networks;
  }

  /** Returns the index to pass to `add`; equal values have the same. */
  addValue(value: Value): number {
    const offset = this.#data.place(value);
    const known = this.#indexes.get(offset);
    if (known !== undefined) return known;
    const index = this.#offsets.push(offset) - 1;
    this.#indexes.set(offset, index);
    return index;
  }

  /** Ranges must not overlap. */
  add({ version, start, end }: Range, value: number): void {
    if (version === 4) {
      this.#addIpv4(Number(start), Number(end), value);
      return;
    }
    for (const [base, length] of prefixesOfRange(start, end, addressBits(version))) {
      this.#tree.insert(fromBigInt(base, version), length, value);
      this.#networks++;
    }
  }

  /** The same prefixes as `prefixesOfRange`, without bigints: there are a million of them. */
  #addIpv4(start: number, end: number, value: number): void {
    for (let base = start; base <= end; ) {
      // The lowest bit that is set says how large a prefix can be that begins here.
      let size = base === 0 ? 2 ** 32 : (base & -base) >>> 0;
      while (base + size - 1 > end) size /= 2;
      this.#tree.insert(ipv6(0, 0, 0, base), IPV4_DEPTH + 32 - Math.log2(size), value);
      this.#networks++;
      base += size;
    }
  }

  /** Call it after the last `add`. */
  encode(metadata: MmdbMetadata): Buffer[] {
    this.#tree.alias(IPV4_MAPPED, IPV4_DEPTH, IPV4_ROOT);
    const { bytes, recordBits } = this.#tree.encode(this.#offsets, this.#data.bytes.length);
    return [
      bytes,
      Buffer.alloc(SEPARATOR_BYTES),
      this.#data.bytes,
      encodeMetadata(metadata, this.#tree.nodeCount, recordBits),
    ];
  }
}

/** Starts with the marker by which readers find the metadata. */
export function encodeMetadata(metadata: MmdbMetadata, nodeCount: number, recordBits: number): Buffer {
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

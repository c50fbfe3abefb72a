// Where the prefixes of a network are: for every network, the blocks of the two address tables that
// have an interval of it. Its prefixes are then found by looking through these blocks, not through
// the tables. A block is eight /16s of IPv4, about a hundred intervals, or eight neighbouring first
// words of IPv6. Smaller blocks make the index larger: 0.73 MB with one /16 per block, 0.54 MB with
// eight.
//
//   origins      bits    per network, in row order: number of IPv4 blocks + 1 as gamma code, the blocks in ascending
//                        order; the same for IPv6
//   origins.at   u32     per 16 networks: position of the first one, in bits
import { DatasetError } from '../../dataset-error.ts';
import { BitCursor, BitWriter } from '../bit-lists.ts';
import { bytesOf, wordsOf } from '../format.ts';
import { type Match, recordNumber } from '../match.ts';

/** An address table that is divided into blocks, numbered from 0. */
type BlockTable = {
  readonly blockCount: number;
  /** Calls back for all intervals, in ascending order. */
  forEachMatch(visit: (block: number, match: Match) => void): void;
};

const NETWORKS_PER_ENTRY = 16;

/** `rowOf`: row of the network per record; record 0 is unused. */
export function encodeOrigins(tables: readonly BlockTable[], rowOf: Uint32Array, networks: number) {
  const lists = tables.map((table) => ({
    range: table.blockCount,
    ...blocksByRow(table, rowOf, networks),
  }));
  const writer = new BitWriter();
  const positions: number[] = [];
  for (let row = 0; row < networks; row++) {
    if (row % NETWORKS_PER_ENTRY === 0) positions.push(writer.position);
    for (const { range, starts, blocks } of lists) {
      const list = blocks.subarray(starts[row], starts[row + 1]);
      writer.gamma(list.length + 1);
      writer.ascending(list, range);
    }
  }
  return { origins: writer.finish(), 'origins.at': bytesOf(Uint32Array.from(positions)) };
}

/**
 * The distinct blocks of all networks in one array, and where each network's begin; one more start
 * at the end.
 */
function blocksByRow(table: BlockTable, rowOf: Uint32Array, networks: number) {
  const forEach = (visit: (row: number, block: number) => void) => {
    const lastBlock = new Int32Array(networks).fill(-1);
    table.forEachMatch((block, match) => {
      if (match === 0) return;
      const row = rowOf[recordNumber(match)] as number;
      if (lastBlock[row] === block) return;
      lastBlock[row] = block;
      visit(row, block);
    });
  };
  const starts = new Uint32Array(networks + 1);
  forEach((row) => {
    starts[row + 1] = (starts[row + 1] as number) + 1;
  });
  for (let row = 0; row < networks; row++)
    starts[row + 1] = (starts[row + 1] as number) + (starts[row] as number);
  const blocks = new Uint32Array(starts[networks] as number);
  const next = starts.slice();
  forEach((row, block) => {
    const at = next[row] as number;
    blocks[at] = block;
    next[row] = at + 1;
  });
  return { starts, blocks };
}

/** Whether there is a position for every network; the lists are checked as they are read. */
export function checkOrigins(bits: Uint8Array, positions: Uint8Array, networks: number): boolean {
  if (positions.length !== Math.ceil(networks / NETWORKS_PER_ENTRY) * 4) return false;
  return wordsOf(positions).every((position) => position < bits.length * 8);
}

export class OriginIndex {
  readonly #bits: Uint8Array;
  readonly #positions: Uint32Array;
  readonly #ranges: readonly [ipv4: number, ipv6: number];

  constructor(
    bits: Uint8Array,
    positions: Uint8Array,
    ranges: readonly [ipv4: number, ipv6: number],
  ) {
    this.#bits = bits;
    this.#positions = wordsOf(positions);
    this.#ranges = ranges;
  }

  /** The blocks of each table with intervals of the network, in ascending order. */
  blocksOf(row: number): { ipv4: Uint32Array; ipv6: Uint32Array } {
    const cursor = new BitCursor(
      this.#bits,
      this.#positions[Math.floor(row / NETWORKS_PER_ENTRY)] as number,
    );
    for (let skipped = row % NETWORKS_PER_ENTRY; skipped > 0; skipped--) this.#next(cursor);
    return this.#next(cursor);
  }

  #next(cursor: BitCursor): { ipv4: Uint32Array; ipv6: Uint32Array } {
    return {
      ipv4: this.#nextList(cursor, this.#ranges[0]),
      ipv6: this.#nextList(cursor, this.#ranges[1]),
    };
  }

  #nextList(cursor: BitCursor, range: number): Uint32Array {
    const count = cursor.gamma() - 1;
    if (count > range)
      throw new DatasetError('damaged: section origins has a list that is too long');
    const blocks = new Uint32Array(count);
    cursor.ascending(blocks.length, range, blocks);
    return blocks;
  }
}

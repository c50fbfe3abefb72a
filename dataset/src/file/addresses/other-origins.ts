// Origins of prefixes that several networks announce (MOAS, multiple origin AS). The network of the
// record is among them where its peers are known.
//
//   otherOrigins   u32 x 7   family << 8 | length; four words of the address; AS number; peers << 16 | position of the
//                            source; ascending. 0 peers: unknown
import { type Address, truncateAddress } from '../../address.ts';
import { lowerBound } from '../../lower-bound.ts';
import { fromBigInt } from '../../prefix.ts';
import { bytesOf, wordsOf } from '../format.ts';

/**
 * An AS number, the position of the source that lists it, and how many of its peers see this
 * origin, if known.
 */
export type ListedOrigin = {
  readonly asn: number;
  readonly source: number;
  readonly peers?: number | undefined;
};

export type CompiledOtherOrigin = ListedOrigin & {
  readonly version: 4 | 6;
  readonly start: bigint;
  readonly length: number;
};

const ROW_WORDS = 7;
const MAX_PEERS = 0xffff;
/** The words before the AS number, by which rows are found. */
const KEY_WORDS = 5;

export function encodeOtherOrigins(origins: readonly CompiledOtherOrigin[]): Uint8Array {
  const rows = origins.map(({ version, start, length, asn, source, peers = 0 }) => [
    ...keyOf(fromBigInt(start, version), length),
    asn,
    Math.min(peers, MAX_PEERS) * 0x10000 + source,
  ]);
  rows.sort((a, b) => {
    const different = a.findIndex((word, i) => word !== b[i]);
    return different < 0 ? 0 : (a[different] ?? 0) - (b[different] ?? 0);
  });
  return bytesOf(Uint32Array.from(rows.flat()));
}

export function checkOtherOrigins(bytes: Uint8Array): boolean {
  return bytes.length % (ROW_WORDS * 4) === 0;
}

export class OtherOrigins {
  readonly #rows: Uint32Array;

  constructor(bytes: Uint8Array) {
    this.#rows = wordsOf(bytes);
  }

  find(address: Address, length: number): ListedOrigin[] {
    const wanted = keyOf(truncateAddress(address, length), length);
    const rows = this.#rows;
    /** Negative, zero or positive: the row is before, at or after the wanted prefix. */
    const compare = (row: number): number => {
      const word = wanted.findIndex((value, i) => rows[row * ROW_WORDS + i] !== value);
      return word < 0 ? 0 : (rows[row * ROW_WORDS + word] as number) - (wanted[word] as number);
    };
    const count = rows.length / ROW_WORDS;
    const origins: ListedOrigin[] = [];
    for (
      let row = lowerBound(0, count, (at) => compare(at) < 0);
      row < count && compare(row) === 0;
      row++
    ) {
      const at = row * ROW_WORDS + KEY_WORDS;
      const stated = rows[at + 1] as number;
      const peers = stated >>> 16;
      origins.push({
        asn: rows[at] as number,
        source: stated & 0xffff,
        ...(peers > 0 && { peers }),
      });
    }
    return origins;
  }
}

function keyOf({ version, w0, w1, w2, w3 }: Address, length: number): number[] {
  return [(version << 8) | length, w0 >>> 0, w1 >>> 0, w2 >>> 0, w3 >>> 0];
}

/**
 * Validated ROA payloads (VRPs), and whether they allow a network to originate a prefix (RFC 6811
 * §2). In one array, so that a thread can hand it over: rows of six words, sorted by length and
 * prefix, so that each length is one binary search.
 *
 *   w0 w1 w2 w3   the prefix; IPv4 uses the first word
 *   AS number
 *   family << 16 | length << 8 | maximum length
 */
import {
  type Address,
  compareWords,
  formatAddress,
  ipv4,
  ipv6,
  truncateAddress,
} from '@whence/dataset/address';
import { addressBits } from '@whence/dataset/prefix';

export type Vrp = {
  readonly address: Address;
  readonly length: number;
  readonly maxLength: number;
  readonly asn: number;
};
export const RPKI_STATES = ['valid', 'invalid', 'not_found'] as const;
export type RpkiState = (typeof RPKI_STATES)[number];

const ROW_WORDS = 6;

export function encodeVrps(vrps: readonly Vrp[]): Uint32Array<ArrayBuffer> {
  const rows = vrps.map(({ address, length, maxLength, asn }) => {
    const { version, w0, w1, w2, w3 } = truncateAddress(address, length);
    const words = [w0, w1, w2, w3].map((word) => word >>> 0);
    return {
      kind: (version << 8) | length,
      row: [...words, asn, (version << 16) | (length << 8) | maxLength],
    };
  });
  rows.sort((a, b) => a.kind - b.kind || compareWords(a.row, 0, b.row, 0, ROW_WORDS));
  // Several trust anchors may have the same payload; each is listed once.
  const distinct = rows.filter(
    ({ row }, i) => i === 0 || compareWords(row, 0, rows[i - 1]?.row ?? [], 0, ROW_WORDS) !== 0,
  );
  const words = new Uint32Array(distinct.length * ROW_WORDS);
  distinct.forEach(({ row }, i) => {
    words.set(row, i * ROW_WORDS);
  });
  return words;
}

export class VrpTable {
  readonly #rows: Uint32Array;
  /** First row of each family and length that has rows, and the row after the last. */
  readonly #slices: readonly {
    readonly version: number;
    readonly length: number;
    from: number;
    to: number;
  }[];

  /** `rows`: as `encodeVrps` makes them. */
  constructor(rows: Uint32Array) {
    this.#rows = rows;
    const slices: { version: number; length: number; from: number; to: number }[] = [];
    for (let row = 0; row < this.count; row++) {
      const kind = rows[row * ROW_WORDS + 5] as number;
      const version = kind >>> 16;
      const length = (kind >>> 8) & 0xff;
      const last = slices.at(-1);
      if (last?.version === version && last.length === length) last.to = row + 1;
      else slices.push({ version, length, from: row, to: row + 1 });
    }
    this.#slices = slices;
  }

  get count(): number {
    return this.#rows.length / ROW_WORDS;
  }

  /** RFC 6811 §2: those whose prefix covers all of the route's prefix. */
  covering(address: Address, length: number): Vrp[] {
    const covering: Vrp[] = [];
    for (const slice of this.#slices) {
      if (slice.version !== address.version || slice.length > length) continue;
      const base = truncateAddress(address, slice.length);
      const wanted = [base.w0 >>> 0, base.w1 >>> 0, base.w2 >>> 0, base.w3 >>> 0];
      const compare = (row: number) =>
        compareWords(this.#rows, row * ROW_WORDS, wanted, 0, wanted.length);
      let row = slice.from;
      for (let to = slice.to; row < to; ) {
        const middle = (row + to) >>> 1;
        if (compare(middle) < 0) row = middle + 1;
        else to = middle;
      }
      for (; row < slice.to && compare(row) === 0; row++) covering.push(this.#at(row));
    }
    return covering;
  }

  #at(row: number): Vrp {
    const words = this.#rows.subarray(row * ROW_WORDS, (row + 1) * ROW_WORDS);
    const [w0 = 0, w1 = 0, w2 = 0, w3 = 0, asn = 0, kind = 0] = words;
    const address = kind >>> 16 === 4 ? ipv4(w0) : ipv6(w0, w1, w2, w3);
    return { address, length: (kind >>> 8) & 0xff, maxLength: kind & 0xff, asn };
  }
}

/**
 * RFC 6811 §2: the maximum length allows the route's, and the AS is the same. AS 0 matches no route
 * (RFC 7607).
 */
export function isMatched({ maxLength, asn }: Vrp, length: number, origin: number): boolean {
  return length <= maxLength && asn === origin && asn !== 0;
}

export function originState(covering: readonly Vrp[], length: number, origin: number): RpkiState {
  if (covering.length === 0) return 'not_found';
  return covering.some((vrp) => isMatched(vrp, length, origin)) ? 'valid' : 'invalid';
}

/** Undefined unless the prefix, the maximum length and the AS number are possible (RFC 9582 §4). */
export function vrpOf(
  address: Address,
  length: number,
  maxLength: number,
  asn: number,
): Vrp | undefined {
  const isLength =
    Number.isInteger(maxLength) && maxLength >= length && maxLength <= addressBits(address.version);
  return isLength && Number.isInteger(asn) && asn >= 0 && asn <= 0xffffffff
    ? { address, length, maxLength, asn }
    : undefined;
}

export const formatVrp = ({ address, length, maxLength, asn }: Vrp) => ({
  asn,
  prefix: `${formatAddress(address)}/${length}`,
  max_length: maxLength,
});

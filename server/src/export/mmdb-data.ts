/**
 * Values of a MaxMind DB (format 2.0, https://maxmind.github.io/MaxMind-DB/): the data section, in which equal maps and texts are
 * stored once, and the metadata.
 *
 * A value starts with a control byte: three bits of type, five of size.
 *
 *   type  1 pointer  2 text  5 uint16  6 uint32  7 map  above 7: zero here, and type - 7 in the next byte (9 uint64, 11 array,
 *                                                       14 boolean)
 *   size  up to 28 as it is; 29, 30, 31: one, two, three more bytes hold size - 29, - 285, - 65,821
 *
 * A pointer has two bits for its own length and begins the offset in the three that are left.
 */
export type Value = string | boolean | Uint | readonly Value[] | ReadonlyMap<string, Value>;
export type Uint = { readonly bits: 16 | 32 | 64; readonly value: number };

export const uint16 = (value: number): Uint => ({ bits: 16, value });
export const uint32 = (value: number): Uint => ({ bits: 32, value });
export const uint64 = (value: number): Uint => ({ bits: 64, value });

const TEXT = 2;
const MAP = 7;
const ARRAY = 11;
const BOOLEAN = 14;
const UINT_TYPES = { 16: 5, 32: 6, 64: 9 } as const;

/** A text of two letters is shorter than any pointer that is not among the first. */
const SHORTEST_SHARED_BYTES = 4;

export class DataSection {
  #bytes = Buffer.allocUnsafe(1 << 16);
  #length = 0;
  /** By encoded form. What is inside has been placed before, so equal values have equal bytes. */
  readonly #offsets = new Map<string, number>();
  /** Keys and names come again and again. */
  readonly #texts = new Map<string, Buffer>();

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Returns where the value lies. */
  place(value: Value): number {
    return this.#placeEncoded(encode(value, (inner) => this.#refer(inner)));
  }

  /** A pointer, or the value itself where that is shorter. */
  #refer(value: Value): Buffer {
    if (typeof value !== 'string') return this.#referAnew(value);
    const known = this.#texts.get(value);
    if (known !== undefined) return known;
    const reference = this.#referAnew(value);
    this.#texts.set(value, reference);
    return reference;
  }

  #referAnew(value: Value): Buffer {
    const encoded = encode(value, (inner) => this.#refer(inner));
    if (encoded.length < SHORTEST_SHARED_BYTES || typeof value === 'boolean' || isUint(value)) return encoded;
    return encodePointer(this.#placeEncoded(encoded));
  }

  #placeEncoded(encoded: Buffer): number {
    const key = encoded.toString('latin1');
    const known = this.#offsets.get(key);
    if (known !== undefined) return known;
    const offset = this.#length;
    this.#offsets.set(key, offset);
    this.#reserve(encoded.length);
    encoded.copy(this.#bytes, offset);
    this.#length += encoded.length;
    return offset;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const wider = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + count));
    this.#bytes.copy(wider, 0, 0, this.#length);
    this.#bytes = wider;
  }
}

/** The whole value in one piece, without pointers. */
export function encodeWhole(value: Value): Buffer {
  return encode(value, encodeWhole);
}

/** `refer` stands in for the values inside. */
function encode(value: Value, refer: (inner: Value) => Buffer): Buffer {
  if (typeof value === 'string') {
    const text = Buffer.from(value);
    return Buffer.concat([control(TEXT, text.length), text]);
  }
  if (typeof value === 'boolean') return control(BOOLEAN, value ? 1 : 0);
  if (isUint(value)) return encodeUint(value);
  if (isArray(value)) return Buffer.concat([control(ARRAY, value.length), ...value.map(refer)]);
  const members = [...value].flatMap(([key, inner]) => [refer(key), refer(inner)]);
  return Buffer.concat([control(MAP, value.size), ...members]);
}

/** Big-endian without leading zeros: 0 has no bytes at all. */
function encodeUint({ bits, value }: Uint): Buffer {
  const bytes: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.concat([control(UINT_TYPES[bits], bytes.length), Buffer.from(bytes)]);
}

function control(type: number, size: number): Buffer {
  const [sizeBits, ...moreSize] = encodeSize(size);
  const typeBits = type > 7 ? 0 : type << 5;
  return Buffer.from([typeBits | sizeBits, ...(type > 7 ? [type - 7] : []), ...moreSize]);
}

function encodeSize(size: number): [number, ...number[]] {
  if (size < 29) return [size];
  if (size < 285) return [29, size - 29];
  if (size < 65_821) return [30, ...bigEndian(size - 285, 2)];
  if (size < 65_821 + 2 ** 24) return [31, ...bigEndian(size - 65_821, 3)];
  throw new RangeError(`a value of ${size} bytes does not fit into a MaxMind DB`);
}

function encodePointer(offset: number): Buffer {
  if (offset < 2048) return Buffer.from([0x20 | (offset >>> 8), offset & 0xff]);
  if (offset < 526_336) {
    const rest = offset - 2048;
    return Buffer.from([0x28 | (rest >>> 16), ...bigEndian(rest, 2)]);
  }
  if (offset < 526_336 + 2 ** 27) {
    const rest = offset - 526_336;
    return Buffer.from([0x30 | (rest >>> 24), ...bigEndian(rest, 3)]);
  }
  if (offset < 2 ** 32) return Buffer.from([0x38, ...bigEndian(offset, 4)]);
  throw new RangeError('the data section of a MaxMind DB ends at 4 GiB');
}

/** The lowest bytes of the number. */
function bigEndian(value: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => Math.floor(value / 256 ** (count - 1 - i)) & 0xff);
}

const isUint = (value: Value): value is Uint => typeof value === 'object' && 'bits' in value;
const isArray = (value: Value): value is readonly Value[] => Array.isArray(value);

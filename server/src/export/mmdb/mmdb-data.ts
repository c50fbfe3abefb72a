/**
 * Values of a MaxMind DB (format 2.0, https://maxmind.github.io/MaxMind-DB/): the data section, which stores equal maps
 * and strings once, and the metadata.
 *
 * A value starts with a control byte: three bits of type, five bits of size.
 *
 *   type  1 pointer, 2 string, 3 double, 5 uint16, 6 uint32, 7 map; above 7: zero here, type - 7 in the next byte
 *         (9 uint64, 11 array, 14 boolean)
 *   size  up to 28 in place; 29, 30, 31: size - 29, - 285, - 65,821 follows in one, two, three bytes
 *
 * In a pointer, two of the size bits are its own length and the other three are the high bits of the offset.
 */
/** A number is a double. */
export type Value = string | boolean | number | Uint | readonly Value[] | ReadonlyMap<string, Value>;
type Uint = { readonly bits: 16 | 32 | 64; readonly value: number };

export const uint16 = (value: number): Uint => ({ bits: 16, value });
export const uint32 = (value: number): Uint => ({ bits: 32, value });
export const uint64 = (value: number): Uint => ({ bits: 64, value });

const STRING = 2;
const DOUBLE = 3;
const MAP = 7;
const ARRAY = 11;
const BOOLEAN = 14;
const UINT_TYPES = { 16: 5, 32: 6, 64: 9 } as const;

/** Shorter values are stored in place: a pointer beyond the first 2 KiB takes three bytes. */
const MIN_SHARED_BYTES = 4;

export class DataSection {
  #bytes = Buffer.allocUnsafe(1 << 16);
  #length = 0;
  /** By encoded bytes. Nested values are placed first, so equal values have equal bytes. */
  readonly #offsets = new Map<string, number>();
  /** Cached, because keys and names repeat. */
  readonly #stringReferences = new Map<string, Buffer>();

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Returns the offset of the value. */
  place(value: Value): number {
    return this.#placeEncoded(encode(value, (inner) => this.#reference(inner)));
  }

  /** A pointer, or the encoded value if that is shorter. */
  #reference(value: Value): Buffer {
    if (typeof value !== 'string') return this.#newReference(value);
    const known = this.#stringReferences.get(value);
    if (known !== undefined) return known;
    const reference = this.#newReference(value);
    this.#stringReferences.set(value, reference);
    return reference;
  }

  #newReference(value: Value): Buffer {
    const encoded = encode(value, (inner) => this.#reference(inner));
    if (encoded.length < MIN_SHARED_BYTES || typeof value === 'boolean' || isUint(value)) return encoded;
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
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + count));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

/** Encodes the value without pointers. */
export function encodeInline(value: Value): Buffer {
  return encode(value, encodeInline);
}

/** `reference` encodes nested values. */
function encode(value: Value, reference: (inner: Value) => Buffer): Buffer {
  if (typeof value === 'string') {
    const text = Buffer.from(value);
    return Buffer.concat([control(STRING, text.length), text]);
  }
  if (typeof value === 'boolean') return control(BOOLEAN, value ? 1 : 0);
  if (typeof value === 'number') return encodeDouble(value);
  if (isUint(value)) return encodeUint(value);
  if (isArray(value)) return Buffer.concat([control(ARRAY, value.length), ...value.map(reference)]);
  const members = [...value].flatMap(([key, inner]) => [reference(key), reference(inner)]);
  return Buffer.concat([control(MAP, value.size), ...members]);
}

function encodeDouble(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return Buffer.concat([control(DOUBLE, 8), bytes]);
}

/** Big-endian without leading zeros: 0 has no bytes. */
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
  throw new RangeError(`a value of ${size} bytes is too large for a MaxMind DB`);
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
  throw new RangeError('the data section exceeds 4 GiB, the limit of a MaxMind DB');
}

/** The low `count` bytes. */
function bigEndian(value: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => Math.floor(value / 256 ** (count - 1 - i)) & 0xff);
}

const isUint = (value: Value): value is Uint => typeof value === 'object' && 'bits' in value;
const isArray = (value: Value): value is readonly Value[] => Array.isArray(value);

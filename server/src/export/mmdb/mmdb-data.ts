/**
 * Values of a MaxMind DB (format 2.0, https://maxmind.github.io/MaxMind-DB/): the data section,
 * which stores equal maps and strings once, and the metadata.
 *
 * A value starts with a control byte: three bits of type, five bits of size.
 *
 *   type  1 pointer, 2 string, 3 double, 5 uint16, 6 uint32, 7 map; above 7: zero here, type - 7 in the next byte
 *         (9 uint64, 11 array, 14 boolean)
 *   size  up to 28 in place; 29, 30, 31: size - 29, - 285, - 65,821 follows in one, two, three bytes
 *
 * In a pointer, two of the size bits are its own length and the other three are the high bits of
 * the offset.
 */
/** A number is a double. */
export type Value =
  | string
  | boolean
  | number
  | Uint
  | Shared
  | readonly Value[]
  | ReadonlyMap<string, Value>;
/** A value that a caller uses many times: it is encoded once. */
type Shared = { readonly shared: ReadonlyMap<string, Value> };
type Uint = { readonly bits: 16 | 32 | 64; readonly value: number };

export type Members = Readonly<Record<string, Value | undefined>>;

export function mapOf(members: Members): ReadonlyMap<string, Value> {
  const map = new Map<string, Value>();
  for (const name in members) {
    const value = members[name];
    if (value !== undefined) map.set(name, value);
  }
  return map;
}

export const sharedMap = (members: Members): Shared => ({ shared: mapOf(members) });

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
const IN_PLACE = -1;

class GrowingBytes {
  bytes = Buffer.allocUnsafe(1 << 16);
  length = 0;

  push(byte: number): void {
    this.#reserve(1);
    this.bytes[this.length++] = byte;
  }

  /** The low `count` bytes, the highest first. */
  pushInteger(value: number, count: number): void {
    this.#reserve(count);
    for (let i = count - 1; i >= 0; i--)
      this.bytes[this.length++] =
        i < 4 && value < 2 ** 32 ? value >>> (8 * i) : Math.floor(value / 256 ** i);
  }

  append(source: Buffer, start = 0, end = source.length): void {
    this.#reserve(end - start);
    // Most are pointers, for which a call of `copy` takes longer.
    if (end - start > 16) this.length += source.copy(this.bytes, this.length, start, end);
    else for (let i = start; i < end; i++) this.bytes[this.length++] = source[i] as number;
  }

  #reserve(count: number): void {
    if (this.length + count <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.length + count));
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }
}

/**
 * Values are encoded at the end of `#scratch`, the inner ones behind the outer ones, and moved from
 * there when they are whole.
 */
export class DataSection {
  readonly #placed = new GrowingBytes();
  readonly #scratch = new GrowingBytes();
  /** By encoded bytes. Nested values are placed first, so equal values have equal bytes. */
  readonly #offsets = new Map<string, number>();
  /** Offsets of keys, names and shared values, which repeat; IN_PLACE for short ones. */
  readonly #references = new Map<string | Shared, number>();

  get bytes(): Buffer {
    return this.#placed.bytes.subarray(0, this.#placed.length);
  }

  place(value: Value): number {
    const start = this.#scratch.length;
    this.#encode(value);
    return this.#move(start);
  }

  readonly #referInner = (value: Value): void => this.#refer(value);

  #encode(value: Value): void {
    encodeValue(value, this.#scratch, this.#referInner);
  }

  /** Encodes a pointer, or the value itself if that is shorter. */
  #refer(value: Value): void {
    if (typeof value === 'string') this.#referRepeated(value);
    else if (value instanceof Map) this.#referNew(value);
    else if (typeof value === 'boolean' || isUint(value)) encodeScalar(value, this.#scratch);
    else if (isShared(value)) this.#referRepeated(value);
    else this.#referNew(value);
  }

  #referRepeated(value: string | Shared): void {
    const offset = this.#references.get(value);
    if (offset === undefined) this.#references.set(value, this.#referNew(value));
    else if (offset === IN_PLACE) this.#encode(value);
    else encodePointer(offset, this.#scratch);
  }

  /** Returns its offset, or IN_PLACE. */
  #referNew(value: Value): number {
    const start = this.#scratch.length;
    this.#encode(value);
    if (this.#scratch.length - start < MIN_SHARED_BYTES) return IN_PLACE;
    // A text is looked for in `#references` first, so this one is new.
    const offset = typeof value === 'string' ? this.#append(start) : this.#move(start);
    encodePointer(offset, this.#scratch);
    return offset;
  }

  /** Takes what is encoded from `start` on, and returns its offset. */
  #move(start: number): number {
    const scratch = this.#scratch;
    const key = scratch.bytes.toString('latin1', start, scratch.length);
    const offset = this.#offsets.get(key);
    if (offset === undefined) {
      this.#offsets.set(key, this.#placed.length);
      return this.#append(start);
    }
    scratch.length = start;
    return offset;
  }

  #append(start: number): number {
    const offset = this.#placed.length;
    this.#placed.append(this.#scratch.bytes, start, this.#scratch.length);
    this.#scratch.length = start;
    return offset;
  }
}

export function encodeInline(value: Value): Buffer {
  const output = new GrowingBytes();
  const encode = (inner: Value): void => encodeValue(inner, output, encode);
  encode(value);
  return output.bytes.subarray(0, output.length);
}

function encodeValue(
  value: Value,
  output: GrowingBytes,
  encodeInner: (inner: Value) => void,
): void {
  // Maps first: most values are, and `in` is slow on objects of many shapes.
  if (value instanceof Map) {
    encodeControl(MAP, value.size, output);
    for (const [key, inner] of value) {
      encodeInner(key);
      encodeInner(inner);
    }
  } else if (typeof value !== 'object' || isUint(value)) encodeScalar(value, output);
  else if (isShared(value)) encodeValue(value.shared, output, encodeInner);
  else {
    const array = value as readonly Value[];
    encodeControl(ARRAY, array.length, output);
    for (const inner of array) encodeInner(inner);
  }
}

/** Integers are big-endian without leading zeros: 0 has no bytes. */
function encodeScalar(value: string | boolean | number | Uint, output: GrowingBytes): void {
  if (typeof value === 'string') {
    const text = Buffer.from(value);
    encodeControl(STRING, text.length, output);
    output.append(text);
  } else if (typeof value === 'boolean') encodeControl(BOOLEAN, value ? 1 : 0, output);
  else if (typeof value === 'number') {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleBE(value);
    encodeControl(DOUBLE, 8, output);
    output.append(bytes);
  } else {
    let count = 0;
    for (let rest = value.value; rest > 0; rest = Math.floor(rest / 256)) count++;
    encodeControl(UINT_TYPES[value.bits], count, output);
    output.pushInteger(value.value, count);
  }
}

/** The five bits of the control byte, and what follows in `count` bytes. */
function sizeFields(size: number): { sizeBits: number; more: number; count: number } {
  if (size < 29) return { sizeBits: size, more: 0, count: 0 };
  if (size < 285) return { sizeBits: 29, more: size - 29, count: 1 };
  if (size < 65_821) return { sizeBits: 30, more: size - 285, count: 2 };
  return { sizeBits: 31, more: size - 65_821, count: 3 };
}

function encodeControl(type: number, size: number, output: GrowingBytes): void {
  if (type <= 7 && size < 29) {
    output.push((type << 5) | size);
    return;
  }
  const { sizeBits, more, count } = sizeFields(size);
  if (more >= 2 ** 24)
    throw new RangeError(`a value of ${size} bytes is too large for a MaxMind DB`);
  output.push((type > 7 ? 0 : type << 5) | sizeBits);
  if (type > 7) output.push(type - 7);
  output.pushInteger(more, count);
}

function encodePointer(offset: number, output: GrowingBytes): void {
  if (offset < 2048) output.pushInteger(0x2000 + offset, 2);
  else if (offset < 526_336) output.pushInteger(0x28_0000 + offset - 2048, 3);
  else if (offset < 526_336 + 2 ** 27) output.pushInteger(0x3000_0000 + offset - 526_336, 4);
  else if (offset < 2 ** 32) {
    output.push(0x38);
    output.pushInteger(offset, 4);
  } else throw new RangeError('the data section exceeds 4 GiB, the limit of a MaxMind DB');
}

const isUint = (value: Value): value is Uint => typeof value === 'object' && 'bits' in value;
const isShared = (value: Value): value is Shared => typeof value === 'object' && 'shared' in value;

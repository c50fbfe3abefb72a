/** Changes to bytes, as damage, truncation and malice make them. */
import type { Words } from '@whence/testing/seeded-random';
import { below, oneIn, pick } from './case-random.ts';

type MutationHints = {
  /** What the format is made of: inserted as it stands. */
  readonly words: readonly Buffer[];
  /** What parts of are spliced in. */
  readonly others: readonly Buffer[];
  readonly maxBytes: number;
};

const INTERESTING_BYTES = [
  0x00, 0x01, 0x09, 0x0a, 0x0d, 0x20, 0x22, 0x2c, 0x30, 0x3a, 0x7f, 0x80, 0xc0, 0xfe, 0xff,
];
const MAX_MUTATIONS = 4;
/** A few cases are long: repeated parts find what takes quadratic time. */
const LONG_EVERY = 200;

export function mutate(bytes: Buffer, random: Words, hints: MutationHints): Buffer {
  let result = bytes;
  for (let left = 1 + below(random, MAX_MUTATIONS); left > 0; left--)
    result = mutateOnce(result, random, hints);
  if (oneIn(random, LONG_EVERY)) result = repeatPart(result, random, hints.maxBytes);
  return result.subarray(0, hints.maxBytes);
}

function mutateOnce(bytes: Buffer, random: Words, { words, others }: MutationHints): Buffer {
  const at = below(random, bytes.length + 1);
  const length = 1 + below(random, oneIn(random, 4) ? bytes.length : 8);
  switch (below(random, 9)) {
    case 0:
      return changed(bytes, at, (byte) => byte ^ (1 << below(random, 8)));
    case 1:
      return changed(bytes, at, () => pick(random, INTERESTING_BYTES));
    case 2:
      return changed(bytes, at, () => random() & 0xff);
    case 3:
      return replaced(bytes, at, at + length, Buffer.alloc(0));
    case 4:
      return bytes.subarray(0, at);
    case 5:
      return replaced(bytes, at, at, part(bytes, random));
    case 6:
      return replaced(
        bytes,
        at,
        at + (oneIn(random, 2) ? length : 0),
        words.length === 0 ? bytes : pick(random, words),
      );
    case 7:
      return others.length === 0
        ? bytes
        : replaced(bytes, at, bytes.length, part(pick(random, others), random));
    default:
      return replaced(
        bytes,
        at,
        at,
        Buffer.from(Array.from({ length: 1 + below(random, 8) }, () => random() & 0xff)),
      );
  }
}

function repeatPart(bytes: Buffer, random: Words, maxBytes: number): Buffer {
  const repeated = part(bytes, random).subarray(0, 64);
  if (repeated.length === 0) return bytes;
  const at = below(random, bytes.length + 1);
  const count = Math.ceil(Math.max(0, maxBytes - bytes.length) / repeated.length);
  return replaced(bytes, at, at, Buffer.concat(Array.from({ length: count }, () => repeated)));
}

function part(bytes: Buffer, random: Words): Buffer {
  const start = below(random, bytes.length);
  return bytes.subarray(start, start + 1 + below(random, 64));
}

function replaced(bytes: Buffer, start: number, end: number, by: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, start), by, bytes.subarray(end)]);
}

function changed(bytes: Buffer, at: number, change: (byte: number) => number): Buffer {
  const copy = Buffer.from(bytes);
  const byte = copy[at];
  if (byte !== undefined) copy[at] = change(byte) & 0xff;
  return copy;
}

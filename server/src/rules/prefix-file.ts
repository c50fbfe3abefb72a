/**
 * The prefixes of a file that a condition names: ranges in arrays, which a thread can hand over,
 * for a binary search.
 */
import {
  type Address,
  compareWords,
  truncateAddress,
  wordMask,
  wordsOfAddress,
} from '@whence/dataset/address';
import { parseCidr, type Range, toBigInt } from '@whence/dataset/prefix';
import { checksumOf } from '../checksum.ts';

/** In all files of one rules file. */
export const MAX_FILE_PREFIXES = 1_000_000;
export const MAX_PREFIX_FILES = 100;

export type PrefixFile = {
  /** As the rules file has it. */
  readonly path: string;
  readonly checksum: string;
  readonly count: number;
  /**
   * The words of the first and of the last address of each range, ascending and without overlaps.
   */
  readonly ranges: Readonly<Record<4 | 6, Uint32Array<ArrayBuffer>>>;
};

/** Words of an address. */
const WIDTH = { 4: 1, 6: 4 } as const;

/** A prefix with host bits is more often mistyped than meant. */
export function parseExactCidr(text: string): ReturnType<typeof parseCidr> {
  const cidr = parseCidr(text);
  if (cidr === undefined) return undefined;
  const { address, length } = cidr;
  const base = wordsOfAddress(truncateAddress(address, length));
  return compareWords(base, 0, wordsOfAddress(address), 0, base.length) === 0 ? cidr : undefined;
}

/** Throws with the line of the first mistake. */
export function parsePrefixFile(path: string, content: Buffer, most: number): PrefixFile {
  const words: Record<4 | 6, number[]> = { 4: [], 6: [] };
  let line = 0;
  let count = 0;
  for (const text of linesOf(content)) {
    line++;
    const entry = (text.split('#', 1)[0] ?? '').trim();
    if (entry === '') continue;
    const cidr = parseExactCidr(entry);
    if (cidr === undefined)
      throw new Error(
        `line ${line}: ${JSON.stringify(entry.slice(0, 80))} is neither a prefix nor an address`,
      );
    if (++count > most)
      throw new Error(`line ${line}: more than ${MAX_FILE_PREFIXES} prefixes in all files`);
    const first = wordsOfAddress(cidr.address);
    words[cidr.address.version].push(
      ...first,
      ...first.map((word, i) => word | ~wordMask(cidr.length - 32 * i)),
    );
  }
  return {
    path,
    checksum: checksumOf([content]),
    count,
    ranges: { 4: disjoint(words, 4), 6: disjoint(words, 6) },
  };
}

function* linesOf(content: Buffer): Generator<string> {
  for (let start = 0; start < content.length; ) {
    const end = content.indexOf('\n', start);
    if (end < 0) {
      yield content.toString('utf8', start);
      return;
    }
    yield content.toString('utf8', start, end);
    start = end + 1;
  }
}

export function containsAddress({ ranges }: PrefixFile, address: Address): boolean {
  const rows = ranges[address.version];
  const width = WIDTH[address.version];
  const wanted = wordsOfAddress(address);
  let row = -1;
  let to = rows.length / (2 * width) - 1;
  while (row < to) {
    const middle = (row + to + 1) >> 1;
    if (compareWords(rows, middle * 2 * width, wanted, 0, width) <= 0) row = middle;
    else to = middle - 1;
  }
  return row >= 0 && compareWords(rows, (row * 2 + 1) * width, wanted, 0, width) >= 0;
}

export function* rangesOf({ ranges }: PrefixFile): Generator<Range> {
  for (const version of [4, 6] as const) {
    const rows = ranges[version];
    const width = WIDTH[version];
    const at = (start: number) => {
      const [w0 = 0, w1 = 0, w2 = 0, w3 = 0] = rows.subarray(start, start + width);
      return toBigInt({ version, w0, w1, w2, w3 });
    };
    for (let row = 0; row < rows.length; row += 2 * width)
      yield { version, start: at(row), end: at(row + width) };
  }
}

/** Prefixes overlap only if one contains the other. */
function disjoint(
  words: Readonly<Record<4 | 6, number[]>>,
  version: 4 | 6,
): Uint32Array<ArrayBuffer> {
  const all = Uint32Array.from(words[version]);
  const width = WIDTH[version];
  const starts = Array.from({ length: all.length / (2 * width) }, (_, i) => i * 2 * width);
  // Where several begin at the same address, the widest comes first.
  starts.sort(
    (a, b) =>
      compareWords(all, a, all, b, width) || compareWords(all, b + width, all, a + width, width),
  );
  let kept = 0;
  const rows = new Uint32Array(all.length);
  for (const start of starts) {
    if (kept > 0 && compareWords(rows, kept - width, all, start, width) >= 0) continue;
    rows.set(all.subarray(start, start + 2 * width), kept);
    kept += 2 * width;
  }
  return rows.slice(0, kept);
}

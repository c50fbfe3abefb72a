/**
 * The texts to look up: random announced addresses. Drawn uniformly over addresses, a few large
 * prefixes get most of the lookups and stay in the CPU caches; drawn uniformly over ranges, most
 * lookups wait for memory. Real traffic is in between.
 */
import { type Address, formatAddress, ipv4 } from '@whence/dataset/address';
import type { Dataset } from '@whence/dataset/dataset';
import { fromBigInt, type Range } from '@whence/dataset/prefix';
import type { Words } from '@whence/testing/seeded-random';

export type Mix = {
  readonly name: string;
  readonly version: 4 | 6;
  readonly texts: readonly string[];
};

export function makeMixes(dataset: Dataset, random: Words, count: number): Mix[] {
  return [
    { name: 'IPv4 by address', version: 4, texts: announcedIpv4(dataset, random, count) },
    {
      name: 'IPv4 by range',
      version: 4,
      texts: distinctTexts(count, drawFromRanges(dataset, 4, random)),
    },
    {
      name: 'IPv6 by range',
      version: 6,
      texts: distinctTexts(count, drawFromRanges(dataset, 6, random)),
    },
  ];
}

/** Distinct announced IPv4 addresses, drawn uniformly. */
export function announcedIpv4(dataset: Dataset, random: Words, count: number): string[] {
  return distinctTexts(count, () => {
    for (;;) {
      const address = ipv4(random());
      if (dataset.find(address) !== 0) return address;
    }
  });
}

/** In the order drawn. */
function distinctTexts(count: number, draw: () => Address): string[] {
  const texts = new Set<string>();
  while (texts.size < count) texts.add(formatAddress(draw()));
  // Through a buffer: V8 flattens a concatenated string on first read, which would be charged to
  // the first candidate. A string from a socket is already flat.
  return [...texts].map((text) => Buffer.from(text, 'latin1').toString('latin1'));
}

function drawFromRanges(dataset: Dataset, version: 4 | 6, random: Words): () => Address {
  const ranges = announcedRanges(dataset, version);
  return () => {
    const { start, end } = ranges[Math.floor((random() / 2 ** 32) * ranges.length)] as Range;
    let offset = 0n;
    for (let word = 0; word < 4; word++) offset = (offset << 32n) | BigInt(random());
    return fromBigInt(start + (offset % (end - start + 1n)), version);
  };
}

// All announced IPv6 is in 2000::/3, and the dataset has no bounds outside it.
const SPACE = {
  4: { first: 0n, end: 1n << 32n },
  6: { first: 1n << 125n, end: 1n << 126n },
} as const;

/**
 * Runs of addresses with the same match. The dataset splits runs at the boundaries of its table;
 * they are merged here.
 */
function announcedRanges(dataset: Dataset, version: 4 | 6): Range[] {
  const ranges: Range[] = [];
  let current = { match: 0, start: 0n };
  const { first, end: spaceEnd } = SPACE[version];
  for (let at = first; at < spaceEnd; at = dataset.bounds(fromBigInt(at, version)).end + 1n) {
    const match = dataset.find(fromBigInt(at, version));
    if (match === current.match) continue;
    if (current.match !== 0) ranges.push({ version, start: current.start, end: at - 1n });
    current = { match, start: at };
  }
  if (current.match !== 0) ranges.push({ version, start: current.start, end: spaceEnd - 1n });
  return ranges;
}

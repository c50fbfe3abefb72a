/**
 * Damaged dataset files: a DatasetError when opened or read, or lookups that work.
 *
 *   damaged   bits flipped, cut off, something appended: what a disk or a download does
 *   spliced   a section of another dataset, or a changed row of the section table, with correct checksums: what a
 *             broken compiler does
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { parseAddress } from '@whence/dataset/address';
import { AsnSearch } from '@whence/dataset/asn-search';
import { Dataset, openDataset } from '@whence/dataset/dataset';
import { DatasetError } from '@whence/dataset/dataset-error';
import { explain } from '@whence/dataset/evidence';
import { SECTION_ROWS, SECTION_TABLE, sectionsIn } from '@whence/dataset/test/file-parts';
import { ownBuffer, sampleFile } from '@whence/dataset/test/sample-dataset';
import type { Words } from '@whence/testing/seeded-random';
import { below, oneIn, pick } from '../case-random.ts';
import { describeError, type FuzzInput, type Subject } from './subject.ts';

const ORIGINAL = sampleFile({
  routes: [
    ['1.0.0.0/16', 64500, 'Exämple "Nord" GmbH'],
    ['1.0.9.0/24', 64501, 'Inner Example'],
    ['8.8.8.0/24', 15169, 'Google LLC'],
    ['2001:4860::/32', 15169, 'Google LLC'],
    ['2600:1f00::/40', 16509, 'Amazon.com, Inc.'],
  ],
  countries: [['8.8.8.0/24', 'US']],
  crawlers: [['1.0.0.16/28', 'OpenAI']],
  tor: [['1.0.9.9/32', 'Relay Friends']],
});
const OTHER = sampleFile(
  {
    routes: Array.from(
      { length: 200 },
      (_, i) => [`${i + 1}.0.0.0/8`, 64496 + i, `Network ${i}`] as const,
    ),
  },
  2,
);
const OTHER_SECTIONS = sectionsIn(OTHER);
const ADDRESSES = [
  '1.0.0.1',
  '1.0.0.17',
  '1.0.9.9',
  '8.8.8.8',
  '9.9.9.9',
  '255.255.255.255',
  '2001:4860::1',
  '2600:1f00::',
  '3fff::1',
];
/** By the three ways of the index of names. */
const SEARCHED = ['g', 'go', 'network', 'exam', 'er ex', '64501'];
const ASNS = [15169, 64500, 64501, 1] as const;

/** Reading a file takes ten times as long as checking it, so only a few are read from one. */
const FROM_FILE_EVERY = 20;

export function openDatasets(): Subject {
  const folder = mkdtempSync(join(tmpdir(), 'whence-fuzz-'));
  const path = join(folder, 'damaged.whence');
  return {
    make(random) {
      const [name, change] = oneIn(random, 2)
        ? ['damaged', damage(random)]
        : ['spliced', splice(random)];
      return { about: oneIn(random, FROM_FILE_EVERY) ? `${name} file` : name, ...change };
    },
    run({ about, bytes }: FuzzInput) {
      try {
        if (!about.endsWith('file')) return useDataset(() => new Dataset(ownBuffer(bytes)));
        writeFileSync(path, bytes);
        return useDataset(() => openDataset(path));
      } catch (error) {
        return describeError(error);
      }
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function useDataset(open: () => Dataset): string | undefined {
  let dataset: Dataset;
  try {
    dataset = open();
  } catch (error) {
    return error instanceof DatasetError ? undefined : `opening ${describeError(error)}`;
  }
  try {
    readDataset(dataset);
  } catch (error) {
    return error instanceof DatasetError ? undefined : describeError(error);
  }
  return undefined;
}

function readDataset(dataset: Dataset): void {
  for (const text of ADDRESSES) {
    const address = parseAddress(text);
    if (address === undefined) continue;
    const match = dataset.find(address);
    if (match !== 0) {
      dataset.json(address, match);
      explain(dataset, address, match);
    }
    dataset.bounds(address);
  }
  for (const asn of ASNS) dataset.asn(asn);
  // Reads both tables whole, so one is enough.
  dataset.prefixesOf(ASNS[0]);
  const search = new AsnSearch(dataset);
  for (const text of SEARCHED) search.search(text, { limit: 20 });
}

type Change = { readonly bytes: Buffer; readonly shown: string };

function damage(random: Words): Change {
  const { length } = ORIGINAL;
  const kind = below(random, 4);
  if (kind === 0) {
    const kept = below(random, length);
    return { bytes: Buffer.from(ORIGINAL.subarray(0, kept)), shown: `the first ${kept} bytes` };
  }
  if (kind === 1)
    return {
      bytes: Buffer.concat([ORIGINAL, Buffer.alloc(1 + below(random, 64))]),
      shown: 'zeros appended',
    };
  const bytes = Buffer.from(ORIGINAL);
  // The header and the table are a thousandth of the file, and most of what can go wrong.
  const places = Array.from({ length: 1 + below(random, 8) }, () =>
    below(random, oneIn(random, 2) ? SECTION_TABLE.end : length),
  );
  for (const at of places) flipBit(bytes, at, random);
  return { bytes, shown: `a bit changed in the bytes ${places.join(', ')}` };
}

function splice(random: Words): Change {
  const bytes = Buffer.from(ORIGINAL);
  const { name: target, at: row } = pick(random, SECTION_ROWS);
  if (oneIn(random, 3)) {
    const [field, at] = pick(random, [
      ['name', 0],
      ['offset', 16],
      ['length', 20],
    ] as const);
    const value = oneIn(random, 2)
      ? bytes.readUInt32LE(row + at) ^ (1 << below(random, 31))
      : random();
    bytes.writeUInt32LE(value >>> 0, row + at);
    return {
      bytes: seal(bytes),
      shown: `${field} of the section ${target} changed to ${value >>> 0}`,
    };
  }
  const name = oneIn(random, 4) ? pick(random, SECTION_ROWS).name : target;
  const section = OTHER_SECTIONS[name];
  // Appended at the end, and the row points there.
  bytes.writeUInt32LE(bytes.length, row + 16);
  bytes.writeUInt32LE(section.length, row + 20);
  const padding = Buffer.alloc((8 - (section.length % 8)) % 8);
  return {
    bytes: seal(Buffer.concat([bytes, section, padding])),
    shown: `section ${target} is ${name} of another dataset`,
  };
}

/** Writes the length and all checksums anew. */
function seal(file: Buffer): Buffer {
  file.writeBigUInt64LE(BigInt(file.length), 16);
  for (const { at: row } of SECTION_ROWS) {
    const start = file.readUInt32LE(row + 16);
    file.writeUInt32LE(crc32(file.subarray(start, start + file.readUInt32LE(row + 20))), row + 24);
  }
  file.writeUInt32LE(crc32(file.subarray(SECTION_TABLE.start, SECTION_TABLE.end)), 24);
  file.writeUInt32LE(crc32(file.subarray(0, 28)), 28);
  return file;
}

function flipBit(bytes: Buffer, at: number, random: Words): void {
  const byte = bytes[at];
  if (byte !== undefined) bytes[at] = byte ^ (1 << below(random, 8));
}

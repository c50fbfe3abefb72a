/**
 * Lookups for programs that use this package: text in, records out. Addresses are taken as text only, because an address
 * that was not parsed would be looked up as one that is not announced.
 */
import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { type Address, parseAddress } from '../address.ts';
import { DatasetError } from '../dataset-error.ts';
import type { Match } from '../file/format.ts';
import { Dataset, openDataset } from '../file/read.ts';
import type { AsnPrefixes, AsnRecord, Evidence, IpRecord, Meta } from '../record.ts';
import { openCurrent } from '../versions/publish.ts';
import { explain } from './evidence.ts';

/** Text that is not an IP address was looked up. `text` is what was given. */
export class InvalidAddressError extends Error {
  override readonly name = 'InvalidAddressError';
  readonly text: string;

  constructor(text: string) {
    const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
    super(`not an IP address: ${JSON.stringify(shown)}`);
    this.text = text;
  }
}

const MAX_SHOWN = 100;

/** Where the packages that .ci/pack.mjs makes have the compiled dataset. */
const PACKAGED = { package: '@whence/server', file: 'embedded/dataset.whence.br' };

/**
 * Opens the current version in a data directory, or one file, which may be compressed with Brotli. Without a path, the
 * dataset that is packaged with @whence/server, if that is installed beside this package or below the working directory.
 * Throws a DatasetError if there is no dataset, or if it is damaged.
 */
export function open(path: string = packagedFile()): OpenDataset {
  return new OpenDataset(openPath(path));
}

export class OpenDataset {
  readonly #dataset: Dataset;

  constructor(dataset: Dataset) {
    this.#dataset = dataset;
  }

  /** Version, time of the build, sources with their dates and licences. */
  get meta(): Meta {
    return this.#dataset.meta;
  }

  /** Undefined if the address is not announced. Throws an InvalidAddressError if the text is not an address. */
  lookup(text: string): IpRecord | undefined {
    return this.#atMatch(text, (address, match) => this.#dataset.record(address, match));
  }

  /** The source, its date and the prefix it speaks of, for each field of the record. */
  explain(text: string): Evidence[] | undefined {
    return this.#atMatch(text, (address, match) => explain(this.#dataset, address, match));
  }

  asn(number: number): AsnRecord | undefined {
    return this.#dataset.asn(number);
  }

  /** All prefixes that the network announces, in numerical order, shorter ones first. */
  prefixesOf(number: number): AsnPrefixes {
    return this.#dataset.prefixesOf(number);
  }

  #atMatch<T>(text: string, found: (address: Address, match: Match) => T): T | undefined {
    const address = typeof text === 'string' ? parseAddress(text) : undefined;
    if (address === undefined) throw new InvalidAddressError(String(text));
    const match = this.#dataset.find(address);
    return match === 0 ? undefined : found(address, match);
  }
}

function openPath(path: string): Dataset {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new DatasetError(`${path}: no such file or directory`);
  if (!found.isDirectory()) return path.endsWith('.br') ? openCompressed(path) : openDataset(path);
  const dataset = openCurrent(path);
  if (dataset === undefined)
    throw new DatasetError(`${path} has no dataset: no datasets/manifest.json; build one with: wh dataset build`);
  return dataset;
}

function openCompressed(path: string): Dataset {
  try {
    return new Dataset(brotliDecompressSync(readFileSync(path)));
  } catch (error) {
    throw new DatasetError(`${path}: ${(error as Error).message}`);
  }
}

function packagedFile(): string {
  for (const from of [import.meta.url, join(process.cwd(), 'package.json')]) {
    try {
      const manifest = createRequire(from).resolve(`${PACKAGED.package}/package.json`);
      const file = join(dirname(manifest), PACKAGED.file);
      if (statSync(file, { throwIfNoEntry: false }) !== undefined) return file;
    } catch {
      // Not installed there.
    }
  }
  throw new DatasetError(
    `no dataset is installed: install ${PACKAGED.package}, or open a data directory (wh dataset build) or a file`,
  );
}

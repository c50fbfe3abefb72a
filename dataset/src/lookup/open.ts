// Lookups for programs that use this package. Addresses are text only: one that was not parsed
// would look unannounced.
import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type Address, parseAddress } from '../address.ts';
import { DatasetError } from '../dataset-error.ts';
import { dayOfMs } from '../day.ts';
import type { Match } from '../file/match.ts';
import { type Dataset, openDataset } from '../file/read.ts';
import type { AsnPrefixes, AsnRecord, Evidence, IpRecord, Meta } from '../record.ts';
import { noDatasetError, openCurrent } from '../versions/publish.ts';
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

/** Which package that .ci/pack.mjs makes has the compiled dataset, as a data directory. */
const PACKAGED = { package: '@whence/server', folder: 'embedded' };

/**
 * Opens a data directory, a file, or without a path the dataset packaged with @whence/server.
 * Throws a DatasetError.
 */
export function open(path: string = packagedFolder()): OpenDataset {
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

  /**
   * Undefined if the address is not announced. Throws an InvalidAddressError if the text is not an
   * address.
   */
  lookup(text: string): IpRecord | undefined {
    return this.#atMatch(text, (address, match) => this.#dataset.record(address, match));
  }

  /** For each field of the record: its source, the source's date and the prefix in it. */
  explain(text: string): readonly Evidence[] | undefined {
    return this.#atMatch(text, (address, match) => explain(this.#dataset, address, match));
  }

  asn(number: number): AsnRecord | undefined {
    return this.#dataset.asn(number);
  }

  prefixesOf(number: number): AsnPrefixes {
    return this.#dataset.prefixesOf(number);
  }

  #atMatch<T>(text: string, read: (address: Address, match: Match) => T): T | undefined {
    const address = typeof text === 'string' ? parseAddress(text) : undefined;
    if (address === undefined) throw new InvalidAddressError(String(text));
    const match = this.#dataset.find(address);
    return match === 0 ? undefined : read(address, match);
  }
}

function openPath(path: string): Dataset {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new DatasetError(`${path}: no such file or directory`);
  const day = dayOfMs(Date.now());
  if (!stats.isDirectory()) return openDataset(path, day);
  const dataset = openCurrent(path, day);
  if (dataset === undefined) throw noDatasetError(path);
  return dataset;
}

function packagedFolder(): string {
  for (const from of [import.meta.url, join(process.cwd(), 'package.json')]) {
    try {
      const manifest = createRequire(from).resolve(`${PACKAGED.package}/package.json`);
      const folder = join(dirname(manifest), PACKAGED.folder);
      if (statSync(folder, { throwIfNoEntry: false }) !== undefined) return folder;
    } catch {
      // Not installed there.
    }
  }
  throw new DatasetError(
    `no dataset is installed: install ${PACKAGED.package}, or open a data directory (wh dataset build) or a file`,
  );
}

/** What the measurements share: a folder with a dataset and keys, addresses to ask for, and the processes that were started. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openCurrent } from '@whence/dataset/publish';
import type { Dataset } from '@whence/dataset/read';
import { type Random, seededRandom } from '../random.ts';
import { announcedIpv4 } from '../routed-addresses.ts';
import type { PinnedProcesses } from './pinned-processes.ts';
import { buildDataset, createKey, createKeys, exportMmdb } from './whence-server.ts';

/** More than twice what the server's cache of answers holds. */
const ADDRESSES = 50_000;
/** A pro key has 100,000 requests a day; one alone would be used up in a few seconds. */
export const PRO_KEYS = 400;

export type Workplace = {
  readonly processes: PinnedProcesses;
  readonly dataDir: string;
  readonly dataset: Dataset;
  /** The dataset as MMDB, for peers that know what we know. */
  readonly ourMmdb: string;
  readonly random: Random;
  readonly addresses: readonly string[];
  /** Of the tier enterprise, which has no limit. */
  readonly key: string;
  readonly proKeys: readonly string[];
  /** Writes the lines to a file that other processes can read, and returns its path. */
  save(name: string, lines: readonly string[]): string;
};

export async function prepareWorkplace(processes: PinnedProcesses, folder: string, seed: number): Promise<Workplace> {
  const dataDir = join(folder, 'data');
  await buildDataset(processes, dataDir);
  const ourMmdb = join(folder, 'whence.mmdb');
  await exportMmdb(processes, dataDir, ourMmdb);
  const key = await createKey(processes, dataDir, 'enterprise');
  const proKeys = await createKeys(dataDir, 'pro', PRO_KEYS);
  const dataset = openCurrent(dataDir);
  if (dataset === undefined) throw new Error(`no dataset was published in ${dataDir}`);
  const random = seededRandom(seed);
  const addresses = announcedIpv4(dataset, random, ADDRESSES);
  const save = (name: string, lines: readonly string[]) => {
    const path = join(folder, name);
    writeFileSync(path, lines.join('\n'));
    return path;
  };
  return { processes, dataDir, dataset, ourMmdb, random, addresses, key, proKeys, save };
}

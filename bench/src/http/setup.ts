/** Shared by the measurements: a folder with a dataset and keys, the addresses to look up, the child processes. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openCurrent } from '@whence/dataset/publish';
import type { Dataset } from '@whence/dataset/read';
import { announcedIpv4 } from '../engine/announced-addresses.ts';
import { type Random, seededRandom } from '../random.ts';
import type { PinnedProcesses } from './pinned-processes.ts';
import { buildDataset, createKey, createKeys, exportMmdb } from './whence-server.ts';

/** More than twice the capacity of the server's answer cache. */
const ADDRESSES = 50_000;
/** A pro key has 100,000 requests per day; a single key would be exhausted within seconds. */
export const PRO_KEYS = 400;

export type Setup = {
  readonly processes: PinnedProcesses;
  readonly folder: string;
  readonly dataDir: string;
  readonly dataset: Dataset;
  /** The dataset as MMDB, for peers with our content. */
  readonly ourMmdb: string;
  readonly random: Random;
  readonly addresses: readonly string[];
  /** An enterprise key, which has no limit. */
  readonly key: string;
  readonly proKeys: readonly string[];
  /** Writes the lines to a file and returns its path. */
  save(name: string, lines: readonly string[]): string;
};

export async function prepareSetup(processes: PinnedProcesses, folder: string, seed: number): Promise<Setup> {
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
  return { processes, folder, dataDir, dataset, ourMmdb, random, addresses, key, proKeys, save };
}

/**
 * Shared by the measurements: a folder with a dataset and keys, the addresses to look up, the child
 * processes.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Dataset } from '@whence/dataset/dataset';
import { openCurrent } from '@whence/dataset/versions';
import { type PinnedProcesses, SERVER_CORE } from '@whence/testing/pinned-processes';
import { seededWords, type Words } from '@whence/testing/seeded-random';
import {
  buildDataset,
  createKey,
  createKeys,
  exportMmdb,
  type Server,
} from '@whence/testing/whence-program';
import { announcedIpv4 } from '../engine/announced-addresses.ts';

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
  readonly random: Words;
  readonly addresses: readonly string[];
  /** An enterprise key, which has no limit. */
  readonly key: string;
  readonly proKeys: readonly string[];
  /** Writes the lines to a file and returns its path. */
  save(name: string, lines: readonly string[]): string;
};

export async function prepareSetup(
  processes: PinnedProcesses,
  folder: string,
  seed: number,
): Promise<Setup> {
  const dataDir = join(folder, 'data');
  await buildDataset(processes, dataDir);
  const ourMmdb = join(folder, 'whence.mmdb');
  await exportMmdb(processes, dataDir, ourMmdb);
  const key = await createKey(processes, dataDir, 'enterprise');
  const proKeys = await createKeys(processes, dataDir, 'pro', PRO_KEYS);
  const dataset = openCurrent(dataDir);
  if (dataset === undefined) throw new Error(`no dataset was published in ${dataDir}`);
  const random = seededWords(seed);
  const addresses = announcedIpv4(dataset, random, ADDRESSES);
  const save = (name: string, lines: readonly string[]) => {
    const path = join(folder, name);
    writeFileSync(path, lines.join('\n'));
    return path;
  };
  return { processes, folder, dataDir, dataset, ourMmdb, random, addresses, key, proKeys, save };
}

/** Starts a peer by the name of its script, which prints its port. */
export async function startPeer(
  processes: PinnedProcesses,
  script: string,
  ...args: string[]
): Promise<Server> {
  const path = fileURLToPath(new URL(`./peers/${script}.js`, import.meta.url));
  const { firstLine, ...started } = await processes.start(SERVER_CORE, [path, ...args]);
  return { ...started, url: `http://127.0.0.1:${Number(firstLine)}` };
}

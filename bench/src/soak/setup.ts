/** What a soak run needs before the server starts: two versions of the dataset, keys of three tiers, what to ask for. */
import { readFileSync } from 'node:fs';
import { decodeFile } from '@whence/dataset/format';
import { openCurrent, publish, readManifest, versionPath } from '@whence/dataset/publish';
import type { Dataset } from '@whence/dataset/read';
import type { Meta } from '@whence/dataset/record';
import { Keys } from '../../../server/dist/keys/keys.js';
import { makeSecret } from '../../../server/dist/keys/secret.js';
import { PERMISSIONS } from '../../../server/dist/keys/tiers.js';
import { openStorage } from '../../../server/dist/storage/open-storage.js';
import { announcedIpv4 } from '../engine/announced-addresses.ts';
import type { PinnedProcesses } from '../http/pinned-processes.ts';
import { makeQueries } from '../http/search-queries.ts';
import { buildDataset } from '../http/whence-server.ts';
import type { Random } from '../random.ts';
import type { MixInput } from './load/request-mix.ts';

export type SoakSetup = MixInput & { readonly dataDir: string; readonly versions: readonly [number, number] };

const ADDRESSES = 20_000;
const QUERIES = 2_000;
const ASNS = 500;
const UNKNOWN_KEYS = 100;
const KEYS = { enterprise: 3, pro: 5 };
/** A twentieth of 60,000 requests per minute is for these: more than all of them together have. */
const FREE_KEYS_PER_MINUTE = 2.5;

export async function prepareSoak(
  processes: PinnedProcesses,
  dataDir: string,
  minutes: number,
  random: Random,
): Promise<SoakSetup> {
  await buildDataset(processes, dataDir);
  const versions = publishTwin(dataDir);
  const dataset = openCurrent(dataDir);
  if (dataset === undefined) throw new Error(`no dataset was published in ${dataDir}`);
  return {
    dataDir,
    versions,
    keys: await createKeys(dataDir, { ...KEYS, free: Math.ceil(minutes * FREE_KEYS_PER_MINUTE) + 1 }),
    unknownKeys: Array.from({ length: UNKNOWN_KEYS }, makeSecret),
    addresses: announcedIpv4(dataset, random, ADDRESSES),
    asns: drawAsns(dataset, random),
    queries: makeQueries(dataset, random, QUERIES),
  };
}

/** The same answers under another number and digest: what matters here is the swap, and a build takes 15 s. */
function publishTwin(dataDir: string): readonly [number, number] {
  const [entry] = readManifest(dataDir)?.versions ?? [];
  if (entry === undefined) throw new Error(`no dataset was published in ${dataDir}`);
  const { meta, ...sections } = decodeFile(readFileSync(versionPath(dataDir, entry)));
  // Written by `dataset build`, hence the cast.
  const { sources, refused, figures, flag_sources, providers, counts } = JSON.parse(meta.toString()) as Meta;
  const content_sha256 = '0'.repeat(64);
  const twin = {
    sections,
    flaggedHomes: [],
    meta: { content_sha256, sources, refused, figures, flag_sources, providers, counts },
  };
  return [entry.version, publish(dataDir, twin, new Date()).version];
}

/** Rows are ordered by size: the square draws the large networks, whose lists of prefixes are long, more often. */
function drawAsns(dataset: Dataset, random: Random): number[] {
  return Array.from({ length: ASNS }, () =>
    dataset.asnNumberAt(Math.floor((random() / 2 ** 32) ** 2 * dataset.asnCount)),
  );
}

async function createKeys(dataDir: string, counts: Readonly<Record<'enterprise' | 'pro' | 'free', number>>) {
  const storage = await openStorage(dataDir);
  try {
    const keys = new Keys(storage.keys);
    const create = async (tier: keyof typeof counts) => {
      const secrets: string[] = [];
      for (let i = 0; i < counts[tier]; i++) {
        const key = { name: `soak ${tier} ${i}`, tier, permissions: PERMISSIONS };
        secrets.push((await keys.create(key, new Date())).secret);
      }
      return secrets;
    };
    return { enterprise: await create('enterprise'), pro: await create('pro'), free: await create('free') };
  } finally {
    await storage.close();
  }
}

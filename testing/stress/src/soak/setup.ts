/**
 * What a soak run needs before the server starts: two versions of the dataset, keys of three tiers,
 * what to ask for, an administrator and a year of statistics.
 */
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { formatAddress, ipv4, parseAddress } from '@whence/dataset/address';
import { type Dataset, openDataset } from '@whence/dataset/dataset';
import { openCurrent, publish, readManifest, versionPath } from '@whence/dataset/versions';
import { createAccount, type MadeAccount } from '@whence/testing/dashboard-session';
import type { PinnedProcesses } from '@whence/testing/pinned-processes';
import { makeQueries } from '@whence/testing/search-queries';
import type { Words } from '@whence/testing/seeded-random';
import { buildDataset, createKeys } from '@whence/testing/whence-program';
import type { MixInput } from './load/request-mix.ts';
import type { ZoneQuestion } from './load/zone-clients.ts';

export type SoakSetup = MixInput & {
  readonly dataDir: string;
  readonly versions: readonly [number, number];
  readonly administrator: MadeAccount;
  /** Rows of statistics, all within the last year. */
  readonly usageRows: number;
  readonly zoneQuestions: readonly ZoneQuestion[];
};

const ADDRESSES = 20_000;
const QUERIES = 2_000;
const ZONE_QUESTIONS = 2_000;
const ASNS = 500;
const UNKNOWN_KEYS = 100;
const ENTERPRISE_KEYS = 3;
const PRO_KEYS = 5;
/** A twentieth of 60,000 requests per minute is for these: more than all of them together have. */
const FREE_KEYS_PER_MINUTE = 2.5;
const USAGE_KEYS = 1_000;
const USAGE_DAYS = 365;
const DAY_MS = 86_400_000;

export async function prepareSoak(
  processes: PinnedProcesses,
  dataDir: string,
  minutes: number,
  random: Words,
): Promise<SoakSetup> {
  await buildDataset(processes, dataDir);
  const versions = publishTwin(dataDir);
  const dataset = openCurrent(dataDir);
  if (dataset === undefined) throw new Error(`no dataset was published in ${dataDir}`);
  const addresses = drawAddresses(dataset, random);
  const keys = {
    enterprise: await createKeys(processes, dataDir, 'enterprise', ENTERPRISE_KEYS),
    pro: await createKeys(processes, dataDir, 'pro', PRO_KEYS),
    free: await createKeys(
      processes,
      dataDir,
      'free',
      Math.ceil(minutes * FREE_KEYS_PER_MINUTE) + 1,
    ),
  };
  return {
    dataDir,
    versions,
    keys,
    administrator: await createAccount(processes, dataDir, 'soak', 'admin'),
    usageRows: insertUsage(dataDir),
    // Well-formed, because they are keys of another data directory.
    unknownKeys: await createKeys(processes, `${dataDir}-other`, 'free', UNKNOWN_KEYS),
    addresses,
    zoneQuestions: addresses.slice(0, ZONE_QUESTIONS).map((text) => askZone(dataset, text)),
    asns: drawAsns(dataset, random),
    queries: makeQueries(dataset.networks, random, QUERIES),
  };
}

/**
 * A row per key and day, of keys that no longer exist. Days that the run itself writes are left
 * out.
 */
function insertUsage(dataDir: string): number {
  const database = new DatabaseSync(join(dataDir, 'whence.sqlite'));
  const insert = database.prepare("insert into usage values (?, ?, 'ip', 2, ?)");
  const nowMs = Date.now();
  database.exec('begin');
  for (let before = 1; before < USAGE_DAYS; before++) {
    const day = new Date(nowMs - before * DAY_MS).toISOString().slice(0, 10);
    for (let key = 0; key < USAGE_KEYS; key++)
      insert.run(`soak${String(key).padStart(12, '0')}`, day, 1 + key);
  }
  database.exec('commit');
  database.close();
  return (USAGE_DAYS - 1) * USAGE_KEYS;
}

/**
 * The same answers under another number and digest: what matters here is the swap, and a build
 * takes 15 s.
 */
function publishTwin(dataDir: string): readonly [number, number] {
  const [entry] = readManifest(dataDir)?.versions ?? [];
  if (entry === undefined) throw new Error(`no dataset was published in ${dataDir}`);
  const dataset = openDataset(versionPath(dataDir, entry));
  const { meta: _meta, ...sections } = dataset.sections;
  // The number of the version is that of the twin.
  const { version: _version, ...content } = dataset.meta;
  const twin = {
    sections,
    flaggedAccessNetworks: [],
    meta: { ...content, content_sha256: '0'.repeat(64) },
  };
  return [entry.version, publish(dataDir, twin, new Date()).version];
}

/** Both versions have the same records. */
function askZone(dataset: Dataset, text: string): ZoneQuestion {
  const address = parseAddress(text);
  if (address === undefined) throw new Error(`${text} is no address`);
  const { asn, prefix, country } = dataset.record(address, dataset.find(address));
  return {
    name: `${text.split('.').reverse().join('.')}.origin.whence.invalid`,
    start: `${asn} | ${prefix} | ${country} | `,
  };
}

/**
 * Rows are ordered by size: the square draws the large networks, whose lists of prefixes are long,
 * more often.
 */
function drawAsns(dataset: Dataset, random: Words): number[] {
  return Array.from({ length: ASNS }, () =>
    dataset.networks.numberAt(Math.floor((random() / 2 ** 32) ** 2 * dataset.networks.count)),
  );
}

/** Distinct announced addresses, drawn uniformly. */
function drawAddresses(dataset: Dataset, random: Words): string[] {
  const addresses = new Set<string>();
  while (addresses.size < ADDRESSES) {
    const address = ipv4(random());
    if (dataset.find(address) !== 0) addresses.add(formatAddress(address));
  }
  return [...addresses];
}

/** Opens the local dataset, for commands that work without a server. */
import { resolve } from 'node:path';
import { DatasetError } from '@whence/dataset/dataset-error';
import { dayOfMs } from '@whence/dataset/internal/data-age';
import { type Dataset, openPublished } from '@whence/dataset/internal/file/read';
import type { Supplement } from '@whence/dataset/internal/supplement/supplement';
import {
  noDatasetError as describeMissing,
  openSupplement,
  readManifest,
  type VersionEntry,
  versionPath,
} from '@whence/dataset/internal/versions/publish';
import { CommandError } from '../terminal/exit.ts';
import { PROGRAM } from '../terminal/program-name.ts';
import { describeRunningBuild } from '../versions/running-build.ts';
import { type DataSettings, overridesFile } from './embedded-data.ts';

export function openLocalDataset(dataDir: string, entry: VersionEntry = currentEntry(dataDir)): Dataset {
  return openPublished(versionPath(dataDir, entry), dayOfMs(Date.now()));
}

/** The same with the operator's overrides. Their code is loaded only where there are some. */
export async function openOverridden(settings: DataSettings, entry?: VersionEntry): Promise<Dataset> {
  const open = () => openLocalDataset(settings.dataDir, entry);
  const file = overridesFile(settings);
  return file === undefined ? open() : (await import('./read-overrides.ts')).openWith(file, open);
}

/** The supplement of the same version; undefined if it has none. */
export function openLocalSupplement(
  dataDir: string,
  entry: VersionEntry = currentEntry(dataDir),
): Supplement | undefined {
  return openSupplement(dataDir, entry);
}

/** What a supplement may have, in messages, and the feeds that have it. */
const SUPPLEMENT_PARTS = {
  hasLocations: ['locations', 'a feed that has them, such as dbip-city-lite,'],
  hasAnycast: ['anycast prefixes', 'anycast-v4 and anycast-v6'],
  hasExchanges: ['peering LANs', 'peeringdb-ixpfx and peeringdb-ix'],
} as const;
export type SupplementPart = keyof typeof SUPPLEMENT_PARTS;

export function requireParts(supplement: Supplement | undefined, parts: readonly SupplementPart[]): Supplement {
  for (const part of parts) {
    if (supplement?.[part] === true) continue;
    const [what, feeds] = SUPPLEMENT_PARTS[part];
    throw new CommandError(
      `this version of the dataset has no ${what}: enable ${feeds} in WHENCE_FEEDS, and run: ${PROGRAM} dataset update`,
    );
  }
  if (supplement === undefined) throw new CommandError('this version of the dataset has no supplement');
  return supplement;
}

export function currentEntry(dataDir: string): VersionEntry {
  const manifest = readManifest(dataDir);
  const entry = manifest?.versions.find(({ version }) => version === manifest.current);
  if (entry === undefined) throw noDatasetError(dataDir);
  return entry;
}

export function noDatasetError(dataDir: string): DatasetError {
  const build = describeRunningBuild(dataDir, Date.now());
  if (build === undefined) return describeMissing(dataDir, PROGRAM);
  return new DatasetError(
    `the first dataset in ${resolve(dataDir)} is being built (${build}); try again when it is done`,
  );
}

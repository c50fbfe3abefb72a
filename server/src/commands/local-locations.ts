/** The location database, for commands that work without a server. */
import { existsSync } from 'node:fs';
import { DatasetError } from '@whence/dataset/dataset-error';
import {
  fetchedLocationPath,
  type LocationDatabase,
  openLocationFile,
} from '@whence/dataset/location';
import type { Config } from '../settings/config.ts';
import { SettingError } from '../terminal/exit.ts';
import { PROGRAM } from '../terminal/program-name.ts';
import { checkSettingFile } from '../terminal/setting-errors.ts';

export type LocationSettings = Pick<Config, 'dataDir' | 'locationDb'>;

/** Undefined if none is configured, and none was fetched. */
export async function openLocations({
  dataDir,
  locationDb,
}: LocationSettings): Promise<LocationDatabase | undefined> {
  const path = locationDb ?? fetchedLocationPath(dataDir);
  if (locationDb !== undefined) checkSettingFile('WHENCE_LOCATION_DB', path);
  else if (!existsSync(path)) return undefined;
  try {
    return await openLocationFile(path);
  } catch (error) {
    const reason = (error as Error).message;
    throw locationDb === undefined
      ? new DatasetError(`${path}: ${reason}`)
      : new SettingError(`WHENCE_LOCATION_DB: ${path}: ${reason}`);
  }
}

export function requireLocations(locations: LocationDatabase | undefined): LocationDatabase {
  if (locations !== undefined) return locations;
  throw new SettingError(
    `there is no location database: set WHENCE_LOCATION_DB to an MMDB file, or enable the feed dbip-city-lite in WHENCE_FEEDS and run: ${PROGRAM} dataset update`,
  );
}

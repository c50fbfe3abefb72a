/**
 * Writes the databases of the current version, all in one walk over the dataset, and the one of
 * locations as it was fetched, and removes those of older versions.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { openDataset } from '@whence/dataset/dataset';
import { DatasetError } from '@whence/dataset/dataset-error';
import { writeAtomically } from '@whence/dataset/io/files';
import { withLock } from '@whence/dataset/io/lock';
import { fetchedLocationPath, parseFetchedLocation } from '@whence/dataset/location';
import { currentOf, readManifest, type VersionEntry, versionPath } from '@whence/dataset/versions';
import { formOf, MmdbDatabases } from '../export/mmdb/mmdb.ts';
import { creditedMeta, noticeText } from '../export/notice.ts';
import { selectRuns } from '../export/rows.ts';
import { tarArchive } from './archives.ts';
import {
  DATABASES,
  type DatabaseFile,
  type DatabaseVersion,
  databasePath,
  databasesFolder,
  editionOf,
  FORMS,
  idOf,
  isValidOn,
  KEPT_VERSIONS,
  LOCATION,
  readIndex,
  replaceIndex,
} from './file-index.ts';
import { validityText } from './list-formats.ts';

/** The fastest: the usual 6 takes three times as long. */
const LEVEL = 1;
const digestOf = (algorithm: string, bytes: Buffer) =>
  createHash(algorithm).update(bytes).digest('hex');

/**
 * Does nothing if the files of the current version are the first of the index, and valid, and the
 * database of locations is the one in the index. `day` is
 * the one by which lists are judged.
 */
export async function writeGeoipFiles(
  dataDir: string,
  day: string,
): Promise<DatabaseVersion | undefined> {
  return withLock(databasesFolder(dataDir), 'writing databases', async () => {
    const entry = currentVersion(dataDir);
    const { versions: earlier, location: knownLocation, lists } = readIndex(dataDir);
    const location = writeLocation(dataDir, knownLocation);
    const isOf = ({ id, validUntil }: DatabaseVersion) => id === idOf(entry, validUntil);
    const valid = earlier.filter((version) => isValidOn(day, version));
    const isWritten = earlier[0] !== undefined && earlier[0] === valid.find(isOf);
    if (isWritten && location === knownLocation) return undefined;
    const others = earlier
      .filter((version) => !isOf(version) && valid.includes(version))
      .slice(0, KEPT_VERSIONS - 1);
    const written = valid.find(isOf) ?? (await writeVersion(dataDir, entry, day, others));
    replaceIndex(dataDir, { versions: [written, ...others], location, lists });
    return written;
  });
}

export function currentVersion(dataDir: string): VersionEntry {
  const entry = currentOf(readManifest(dataDir));
  if (entry === undefined) throw new DatasetError('there is no dataset yet');
  return entry;
}

async function writeVersion(
  dataDir: string,
  entry: VersionEntry,
  day: string,
  earlier: readonly DatabaseVersion[],
): Promise<DatabaseVersion> {
  const dataset = openDataset(versionPath(dataDir, entry), day);
  const sections = new Set<never>();
  const selection = { dataset, sections, matches: () => true, onProgress: () => {} };
  const meta = creditedMeta(selection);
  const builtOn = meta.built_at.slice(0, 10);
  const isDayTaken = earlier.some(({ date }) => date.startsWith(builtOn));
  const described = {
    version: entry.version,
    id: idOf(entry, dataset.validUntil),
    builtAt: meta.built_at,
    changedAt: dataset.changedAt,
    validUntil: dataset.validUntil,
    date: isDayTaken ? `${builtOn}-${entry.version}` : builtOn,
    notice: noticeText(meta, 'This database') + validityText(dataset),
  };
  const kinds = [...DATABASES];
  const databases = new MmdbDatabases(kinds.map((kind) => formOf(kind.compatible, dataset)));
  for await (const batch of selectRuns(selection)) for (const run of batch) databases.add(run);
  const files: DatabaseFile[] = [];
  for (const { networks, encode } of databases.finish()) {
    const kind = kinds.shift();
    if (kind === undefined || networks === 0) continue;
    const names = { name: kind.name, edition: editionOf(kind) };
    files.push(writeForms(dataDir, described, names, Buffer.concat(encode(meta))));
  }
  return { ...described, files };
}

function writeForms(
  dataDir: string,
  described: Omit<DatabaseVersion, 'files'>,
  { name, edition }: Pick<DatabaseFile, 'name' | 'edition'>,
  database: Buffer,
): DatabaseFile {
  const forms = {
    mmdb: database,
    gz: gzipSync(database, { level: LEVEL }),
    'tar.gz': gzipSync(tarArchive(described, edition, database), { level: LEVEL }),
  };
  for (const form of FORMS)
    writeAtomically(databasePath(dataDir, described, name, form), forms[form]);
  return {
    name,
    edition,
    bytes: { mmdb: database.length, gz: forms.gz.length, 'tar.gz': forms['tar.gz'].length },
    sha256: digestOf('sha256', database),
    md5: digestOf('md5', database),
    tarGzSha256: digestOf('sha256', forms['tar.gz']),
  };
}

/** DB-IP City Lite as it was fetched; undefined if it was not. */
function writeLocation(
  dataDir: string,
  earlier: DatabaseVersion | undefined,
): DatabaseVersion | undefined {
  const path = fetchedLocationPath(dataDir);
  if (!existsSync(path)) return undefined;
  const database = readFileSync(path);
  const sha256 = digestOf('sha256', database);
  if (earlier?.files[0]?.sha256 === sha256) return earlier;
  const { as_of: date, builtAt } = parseFetchedLocation(database);
  const version = Number(date.replaceAll('-', ''));
  const described = {
    version,
    id: `${version}-${sha256.slice(0, 16)}`,
    builtAt: builtAt.toISOString(),
    changedAt: builtAt.toISOString(),
    date,
    notice: LOCATION_NOTICE,
  };
  return { ...described, files: [writeForms(dataDir, described, LOCATION, database)] };
}

const LOCATION_NOTICE = `${LOCATION.edition} is an unchanged copy of DB-IP City Lite.
- licence: CC BY 4.0, https://creativecommons.org/licenses/by/4.0/
- credit: IP Geolocation by DB-IP (https://db-ip.com)
`;

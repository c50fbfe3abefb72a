/** Writes the databases of the current version, all in one walk over the dataset, and removes those of older versions. */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { DatasetError } from '@whence/dataset/dataset-error';
import { openDataset } from '@whence/dataset/internal/file/read';
import { withLock } from '@whence/dataset/internal/io/lock';
import { writeWhole } from '@whence/dataset/internal/io/whole-file';
import {
  openSupplement,
  readManifest,
  type VersionEntry,
  versionPath,
} from '@whence/dataset/internal/versions/publish';
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
  readIndex,
  replaceIndex,
} from './file-index.ts';
import { validityText } from './list-formats.ts';

/** The fastest: the usual 6 takes three times as long. */
const LEVEL = 1;
const digestOf = (algorithm: string, bytes: Buffer) => createHash(algorithm).update(bytes).digest('hex');
const isCity = ({ compatible }: (typeof DATABASES)[number]) => compatible === 'city';

/**
 * Does nothing if the files of the current version are the first of the index, and valid. `day` is the one by which lists
 * are judged.
 */
export async function writeGeoipFiles(dataDir: string, day: string): Promise<DatabaseVersion | undefined> {
  return withLock(databasesFolder(dataDir), 'writing databases', async () => {
    const entry = currentVersion(dataDir);
    const { versions: known, lists } = readIndex(dataDir);
    const isOf = ({ id, validUntil }: DatabaseVersion) => id === idOf(entry, validUntil);
    const valid = known.filter((version) => isValidOn(day, version));
    if (known[0] !== undefined && known[0] === valid.find(isOf)) return undefined;
    const others = known.filter((version) => !isOf(version) && valid.includes(version)).slice(0, KEPT_VERSIONS - 1);
    const written = valid.find(isOf) ?? (await writeVersion(dataDir, entry, day, others));
    replaceIndex(dataDir, { versions: [written, ...others], lists });
    return written;
  });
}

export function currentVersion(dataDir: string): VersionEntry {
  const manifest = readManifest(dataDir);
  const entry = manifest?.versions.find(({ version }) => version === manifest.current);
  if (entry === undefined) throw new DatasetError('there is no dataset yet');
  return entry;
}

async function writeVersion(
  dataDir: string,
  entry: VersionEntry,
  day: string,
  known: readonly DatabaseVersion[],
): Promise<DatabaseVersion> {
  const dataset = openDataset(versionPath(dataDir, entry), day);
  const supplement = openSupplement(dataDir, entry);
  const hasLocations = supplement?.hasLocations === true;
  const sections = new Set(hasLocations ? (['location'] as const) : []);
  const selection = { dataset, supplement, sections, matches: () => true, onProgress: () => {} };
  const meta = creditedMeta(selection);
  const builtOn = meta.built_at.slice(0, 10);
  const isDayTaken = known.some(({ date }) => date.startsWith(builtOn));
  const described = {
    version: entry.version,
    id: idOf(entry, dataset.validUntil),
    builtAt: meta.built_at,
    changedAt: dataset.changedAt,
    validUntil: dataset.validUntil,
    date: isDayTaken ? `${builtOn}-${entry.version}` : builtOn,
    notice: noticeText(meta, 'This database') + validityText(dataset),
  };
  const kinds = DATABASES.filter((kind) => hasLocations || !isCity(kind));
  const databases = new MmdbDatabases(
    kinds.map((kind) => ({ form: formOf(kind.compatible, dataset), hasMembers: isCity(kind) })),
  );
  for await (const batch of selectRuns(selection)) for (const run of batch) databases.add(run);
  const files: DatabaseFile[] = [];
  for (const { networks, encode } of databases.finish()) {
    const kind = kinds.shift();
    if (kind === undefined || networks === 0) continue;
    const { name } = kind;
    const edition = editionOf(kind);
    const database = Buffer.concat(encode(meta));
    const forms = {
      mmdb: database,
      gz: gzipSync(database, { level: LEVEL }),
      'tar.gz': gzipSync(tarArchive(described, edition, database), { level: LEVEL }),
    };
    for (const form of FORMS) writeWhole(databasePath(dataDir, described, name, form), forms[form]);
    files.push({
      name,
      edition,
      bytes: { mmdb: database.length, gz: forms.gz.length, 'tar.gz': forms['tar.gz'].length },
      sha256: digestOf('sha256', database),
      md5: digestOf('md5', database),
      tarGzSha256: digestOf('sha256', forms['tar.gz']),
    });
  }
  return { ...described, files };
}

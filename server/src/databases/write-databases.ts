/** Writes the databases of the current version, all in one walk over the dataset, and removes those of older versions. */
import { createHash } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
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
import type { Fields } from '../export/fields.ts';
import { formOf, MmdbDatabase } from '../export/mmdb/mmdb.ts';
import { creditedMeta, noticeText } from '../export/notice.ts';
import { selectRuns } from '../export/rows.ts';
import { deflate, tarCrc32, tarGzArchive } from './archives.ts';
import {
  DATABASES,
  type DatabaseFile,
  type DatabaseVersion,
  databasePath,
  databasesFolder,
  editionOf,
  INDEX_FORMAT,
  idOf,
  indexPath,
  KEPT_VERSIONS,
  readIndex,
} from './database-index.ts';

const NONE = -1;
const isCity = ({ compatible }: (typeof DATABASES)[number]) => compatible === 'city';

/** Does nothing if the files of the current version are the first of the index. `day` is the one by which lists are judged. */
export async function writeDatabases(dataDir: string, day: string): Promise<DatabaseVersion | undefined> {
  return withLock(databasesFolder(dataDir), 'writing databases', async () => {
    const manifest = readManifest(dataDir);
    const entry = manifest?.versions.find(({ version }) => version === manifest.current);
    if (entry === undefined) throw new DatasetError('there is no dataset yet');
    const known = readIndex(dataDir);
    if (known[0]?.id === idOf(entry)) return undefined;
    const others = known.filter(({ id }) => id !== idOf(entry)).slice(0, KEPT_VERSIONS - 1);
    const written = known.find(({ id }) => id === idOf(entry)) ?? (await writeVersion(dataDir, entry, day, known));
    const versions = [written, ...others];
    writeWhole(indexPath(dataDir), Buffer.from(JSON.stringify({ format: INDEX_FORMAT, versions })));
    removeUnnamed(dataDir, versions);
    return written;
  });
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
    id: idOf(entry),
    builtAt: meta.built_at,
    date: isDayTaken ? `${builtOn}-${entry.version}` : builtOn,
    notice: noticeText(meta, 'This database'),
  };
  const databases = DATABASES.filter((kind) => hasLocations || !isCity(kind)).map((kind) => ({
    kind,
    database: new MmdbDatabase(formOf(kind.compatible, dataset)),
  }));
  // The values of all databases that do not divide by place are found with one lookup for each run.
  const values = new Map<Fields, Int32Array>();
  const valuesOf = (fields: Fields) =>
    Int32Array.from(databases, ({ kind, database }) => (isCity(kind) ? NONE : (database.newValueOf(fields) ?? NONE)));
  for await (const batch of selectRuns(selection))
    for (const run of batch) {
      const { fields, members } = run;
      let known = values.get(fields);
      if (known === undefined) {
        known = valuesOf(fields);
        values.set(fields, known);
      }
      for (let i = 0; i < databases.length; i++) {
        const { kind, database } = databases[i] as (typeof databases)[number];
        const value = isCity(kind) ? (database.valueOf(fields, members) ?? NONE) : (known[i] as number);
        database.add(run, value === NONE ? undefined : value);
      }
    }
  const files: DatabaseFile[] = [];
  for (let next = databases.shift(); next !== undefined; next = databases.shift()) {
    const { kind, database } = next;
    if (database.networks === 0) continue;
    const { name } = kind;
    const bytes = Buffer.concat(database.encode(meta));
    const deflated = deflate(bytes);
    const size = { edition: editionOf(kind), bytes: bytes.length };
    const checksum = tarCrc32(described, size, bytes);
    const { head, tail } = tarGzArchive(described, { ...size, tarCrc32: checksum });
    const version = { ...described, files };
    writeWhole(databasePath(dataDir, version, name, 'mmdb'), bytes);
    writeWhole(databasePath(dataDir, version, name, 'deflate'), deflated);
    files.push({
      name,
      ...size,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      md5: createHash('md5').update(bytes).digest('hex'),
      crc32: crc32(bytes),
      deflatedBytes: deflated.length,
      tarCrc32: checksum,
      tarGzSha256: createHash('sha256').update(head).update(deflated).update(tail).digest('hex'),
    });
  }
  return { ...described, files };
}

/** Also files that a process left which was ended before it had written the index. The caller holds the lock. */
function removeUnnamed(dataDir: string, versions: readonly DatabaseVersion[]): void {
  const folder = databasesFolder(dataDir);
  const isNamed = (file: string) => versions.some(({ id }) => file.startsWith(`${id}-`));
  for (const file of readdirSync(folder))
    if (/^\d{6,}-/.test(file) && !isNamed(file)) rmSync(join(folder, file), { force: true });
}

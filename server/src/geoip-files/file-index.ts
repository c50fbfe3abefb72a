/**
 * The folder of database files that other programs download. A file never changes: its name has the version and the
 * digest of the dataset that it was made from. The index names the files of the last two versions and is replaced as a
 * whole, after the files are written and before older ones are removed. So a reader of an older index finds the file that
 * it named, or none.
 *
 *   databases/index.json                                the current version first
 *   databases/000042-9f86d081884c7d65-country.mmdb
 *   databases/000042-9f86d081884c7d65-country.gz        the same compressed
 *   databases/000042-9f86d081884c7d65-country.tar.gz    the same with its credits
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { VersionEntry } from '@whence/dataset/internal/versions/publish';
import { type CompatibleType, DATABASE_TYPES } from '../export/mmdb/compatible.ts';

export const INDEX_FORMAT = 2;
/** Versions whose files are kept. */
export const KEPT_VERSIONS = 2;

/** `compatible` is the form of the records; undefined for our own. */
type DatabaseKind = { readonly name: string; readonly compatible: CompatibleType | undefined };

/** City needs a version with locations. */
export const DATABASES: readonly DatabaseKind[] = [
  { name: 'whence', compatible: undefined },
  ...(['country', 'city', 'asn', 'anonymous-ip', 'connection-type'] as const).map((type) => ({
    name: type,
    compatible: type,
  })),
];

/** The name by which programs ask for a database of this form. */
export const editionOf = ({ compatible }: DatabaseKind): string =>
  compatible === undefined ? 'Whence' : DATABASE_TYPES[compatible];

/** The database itself, or compressed, or in an archive with its credits. */
export type DatabaseForm = 'mmdb' | 'gz' | 'tar.gz';

export type DatabaseFile = {
  readonly name: string;
  readonly edition: string;
  /** Sizes of the files. */
  readonly bytes: Readonly<Record<DatabaseForm, number>>;
  readonly sha256: string;
  readonly md5: string;
  readonly tarGzSha256: string;
};

export type DatabaseVersion = {
  readonly version: number;
  /** Beginning of the file names. */
  readonly id: string;
  readonly builtAt: string;
  /** The day of the build, and the version behind it where another version has the same day: unique among those kept. */
  readonly date: string;
  readonly notice: string;
  readonly files: readonly DatabaseFile[];
};

export const databasesFolder = (dataDir: string): string => join(dataDir, 'databases');
export const indexPath = (dataDir: string): string => join(databasesFolder(dataDir), 'index.json');

type Named = Pick<DatabaseVersion, 'id'>;

export function databasePath(dataDir: string, { id }: Named, name: string, form: DatabaseForm): string {
  return join(databasesFolder(dataDir), `${id}-${name}.${form}`);
}

/** The same for the same answers only: version numbers may be used again. */
export function idOf({ version, sha256, supplement }: VersionEntry): string {
  const digests = `${sha256.slice(0, 8)}${(supplement?.sha256 ?? sha256).slice(-8)}`;
  return `${String(version).padStart(6, '0')}-${digests}`;
}

/** The current version first. Empty if none is written, or another program version has written them. */
export function parseIndex(text: string): readonly DatabaseVersion[] {
  const { format, versions } = JSON.parse(text) as { format: number; versions: readonly DatabaseVersion[] };
  return format === INDEX_FORMAT ? versions : [];
}

export function readIndex(dataDir: string): readonly DatabaseVersion[] {
  try {
    return parseIndex(readFileSync(indexPath(dataDir), 'utf8'));
  } catch {
    // None yet, or damaged: the files are written again.
    return [];
  }
}

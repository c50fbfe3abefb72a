/**
 * The folder of files that other programs download: databases, and lists for firewalls. A file
 * never changes: its name has the version and the digest of the dataset that it was made from, the
 * day on which a flag in it stops counting, if there is one, and for lists a digest of what else
 * they depend on. The index names the databases of the last two versions and the lists of the
 * current one. It is replaced as a whole, after the files are written and before older ones are
 * removed. So a reader of an older index finds the file that it named, or none.
 *
 *   databases/index.json                                the current version first
 *   databases/000042-9f86d081884c7d65-country.mmdb
 *   databases/000042-9f86d081884c7d65-country.gz        the same compressed
 *   databases/000042-9f86d081884c7d65-country.tar.gz    the same with its credits
 *   databases/000042-9f86d081884c7d65-20261121-6b86b273-0.txt    the first list of the rules file
 *   databases/20261101-60303ae22b998861-dbip-city-lite.mmdb      DB-IP City Lite, in the same three forms
 *   databases/list-inputs.json                          rules and overrides of the lists, for as long as theirs are invalid
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeAtomically } from '@whence/dataset/io/files';
import { LOCATION_EDITION } from '@whence/dataset/location';
import type { VersionEntry } from '@whence/dataset/versions';
import { type CompatibleType, DATABASE_TYPES } from '../export/mmdb/compatible.ts';
import { LIST_FORMATS, type ListFormat } from './list-formats.ts';

const INDEX_FORMAT = 5;
/** Versions whose files are kept. */
export const KEPT_VERSIONS = 2;

/** `compatible` is the form of the records; undefined for our own. */
type DatabaseKind = { readonly name: string; readonly compatible: CompatibleType | undefined };

export const DATABASES: readonly DatabaseKind[] = [
  { name: 'whence', compatible: undefined },
  ...(['country', 'asn', 'anonymous-ip', 'connection-type'] as const).map((type) => ({
    name: type,
    compatible: type,
  })),
];

/** The name by which programs ask for a database of this form. */
export const editionOf = ({ compatible }: DatabaseKind): string =>
  compatible === undefined ? 'Whence' : DATABASE_TYPES[compatible];

/** DB-IP City Lite, which is given to other programs as it came. */
export const LOCATION = { name: 'dbip-city-lite', edition: LOCATION_EDITION } as const;

/** All editions, including databases that this server does not have. */
export const EDITIONS: readonly string[] = [...DATABASES.map(editionOf), LOCATION.edition];
const NAMES: readonly string[] = [...DATABASES.map(({ name }) => name), LOCATION.name];
export const isDatabase = (name: string): boolean =>
  NAMES.includes(name) || EDITIONS.includes(name);

/** The database itself, or compressed, or in an archive with its credits. */
export const FORMS = ['mmdb', 'gz', 'tar.gz'] as const;
export type DatabaseForm = (typeof FORMS)[number];

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
  /** When the answers in it became what they are: at the build, or when a flag stopped counting. */
  readonly changedAt: string;
  readonly validUntil?: string | undefined;
  /**
   * The day of the build, and the version behind it where another version has the same day: unique
   * among those kept.
   */
  readonly date: string;
  readonly notice: string;
  readonly files: readonly DatabaseFile[];
};

/** A list in all formats. */
export type WrittenList = {
  readonly name: string;
  /** File name without its format. */
  readonly file: string;
  /** Version of the dataset that the prefixes are from. */
  readonly version: number;
  /**
   * Digest of the prefixes alone: the same for two versions of the dataset with the same prefixes.
   */
  readonly etag: string;
  /** Sizes of the files. */
  readonly bytes: Readonly<Record<ListFormat, number>>;
  readonly sha256: Readonly<Record<ListFormat, string>>;
  /** The first of the versions up to `version` whose prefixes are the same. */
  readonly sinceVersion: number;
  /** Digest of the conditions and of the overrides. */
  readonly definition: string;
  readonly prefixes: number;
  /** The day on which one of its own sources stops counting. */
  readonly validUntil?: string | undefined;
  /** The version whose prefixes would have been too few, while those of `version` are kept. */
  readonly heldFrom?: number | undefined;
  /** No source that counts knows its addresses. */
  readonly isUnavailable?: boolean | undefined;
};

export type WrittenLists = {
  /** The same for the same dataset, rules and overrides. */
  readonly id: string;
  readonly validUntil?: string | undefined;
  readonly lists: readonly WrittenList[];
  /** Files of prefixes that the rules name: if one changes, lists do. */
  readonly prefixFiles?: readonly string[];
};

export type FileIndex = {
  /** The current one first. */
  readonly versions: readonly DatabaseVersion[];
  /**
   * DB-IP City Lite, whose version is the day of its build as a number; undefined without its feed.
   */
  readonly location?: DatabaseVersion | undefined;
  /** Undefined while none are written. */
  readonly lists?: WrittenLists | undefined;
};

const NONE: FileIndex = { versions: [] };

export const databasesFolder = (dataDir: string): string => join(dataDir, 'databases');
export const indexPath = (dataDir: string): string => join(databasesFolder(dataDir), 'index.json');
export const inputsPath = (dataDir: string): string =>
  join(databasesFolder(dataDir), 'list-inputs.json');

const databaseName = ({ id }: Pick<DatabaseVersion, 'id'>, name: string, form: DatabaseForm) =>
  `${id}-${name}.${form}`;
const listName = ({ file }: Pick<WrittenList, 'file'>, format: ListFormat) => `${file}.${format}`;

export const databasePath = (dataDir: string, ...file: Parameters<typeof databaseName>): string =>
  join(databasesFolder(dataDir), databaseName(...file));
export const listPath = (dataDir: string, ...file: Parameters<typeof listName>): string =>
  join(databasesFolder(dataDir), listName(...file));

/** The same for the same answers only: version numbers may be used again. */
export function idOf({ version, sha256 }: VersionEntry, validUntil: string | undefined): string {
  const day = validUntil === undefined ? '' : `-${validUntil.replaceAll('-', '')}`;
  return `${String(version).padStart(6, '0')}-${sha256.slice(0, 16)}${day}`;
}

/** Whether all flags of a file still count on this day. */
export const isValidOn = (
  day: string,
  { validUntil }: { readonly validUntil?: string | undefined },
): boolean => validUntil === undefined || day < validUntil;

/** Empty if none is written, or another program version has written them. */
export function parseIndex(text: string): FileIndex {
  const { format, ...index } = JSON.parse(text) as FileIndex & { readonly format: number };
  return format === INDEX_FORMAT ? index : NONE;
}

export function readIndex(dataDir: string): FileIndex {
  try {
    return parseIndex(readFileSync(indexPath(dataDir), 'utf8'));
  } catch {
    // None yet, or damaged: the files are written again.
    return NONE;
  }
}

/**
 * Removes the files that are no longer named, also those of a process that was ended before it had
 * replaced the index. The caller holds the lock.
 */
export function replaceIndex(dataDir: string, index: FileIndex): void {
  writeAtomically(
    indexPath(dataDir),
    Buffer.from(JSON.stringify({ format: INDEX_FORMAT, ...index })),
  );
  const named = new Set([
    ...[...index.versions, ...(index.location ? [index.location] : [])].flatMap((version) =>
      version.files.flatMap(({ name }) => FORMS.map((form) => databaseName(version, name, form))),
    ),
    ...(index.lists?.lists ?? []).flatMap((list) =>
      LIST_FORMATS.map((format) => listName(list, format)),
    ),
  ]);
  for (const file of readdirSync(databasesFolder(dataDir)))
    if (/^\d{6,}-/.test(file) && !named.has(file))
      rmSync(join(databasesFolder(dataDir), file), { force: true });
}

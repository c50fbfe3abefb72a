/**
 * What a replica reads of the manifest of a static host: the file of the current version in the newest format that this
 * program can read. During an upgrade the current version may be there only in a format of the next release; then it is
 * the newest version before it that can be read, and the caller reports why.
 */
import { DatasetError } from '../dataset-error.ts';
import { FORMATS, isReadable } from '../file/earlier-formats.ts';
import { UnreadableFormat } from '../file/format.ts';
import { SUPPLEMENT_FORMAT } from '../supplement/supplement.ts';
import { formatOfEntry, type Published, supplementName } from './publish.ts';

/** Replicas refuse anything larger. The manifest of 60 versions is about 300 kB, a dataset is 20 MB today. */
export const MAX_MANIFEST_BYTES = 1024 * 1024;
export const MAX_FILE_BYTES = 512 * 1024 * 1024;

export type PublishedChoice = Published & {
  /** The current version of the host, if this program cannot read its format. */
  readonly unreadable?: { readonly version: number; readonly format: number };
};

type Json = Record<string, unknown>;

/** Throws a DatasetError that says what is wrong with the manifest. */
export function parsePublished(text: string): PublishedChoice {
  const { current, entries } = parseManifest(text);
  const entry = entries.find(({ version }) => version === current);
  if (entry === undefined) throw new DatasetError(`names version ${current} as current, but does not list it`);
  const file = newestReadable(entry);
  if (file !== undefined) return { ...checkFile(current, file), ...supplementOf(entry) };
  const unreadable = { version: current, format: statedFormat(entry) };
  for (const earlier of earlierThan(entry, entries)) {
    const other = newestReadable(earlier);
    if (other !== undefined && isWhole(earlier['version'], 1, MAX_VERSION))
      return { ...checkFile(earlier['version'], other), ...supplementOf(earlier), unreadable };
  }
  throw new UnreadableFormat(unreadable.format, `${unreadableText(unreadable)}, and no earlier version in another one`);
}

export function unreadableText({ version, format }: { version: number; format: number }): string {
  const readable = FORMATS.join(' and ');
  return `names version ${version} in format ${format}, which this version of whence does not read (it reads ${readable})`;
}

function parseManifest(text: string): { current: number; entries: Json[] } {
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch {
    throw new DatasetError(text.trimStart().startsWith('<') ? 'is a web page, not a manifest' : 'is not a manifest');
  }
  if (!isObject(manifest) || !Array.isArray(manifest['versions']) || !isWhole(manifest['current'], 1, MAX_VERSION))
    throw new DatasetError('is not a manifest');
  return { current: manifest['current'], entries: manifest['versions'].filter(isObject) };
}

/** By the time of the build: the numbers of a publisher that has started over begin at 1 again. */
function earlierThan(current: Json, entries: readonly Json[]): Json[] {
  const builtAt = (entry: Json) => Date.parse(String(entry['built_at']));
  return entries.filter((entry) => builtAt(entry) < builtAt(current)).sort((a, b) => builtAt(b) - builtAt(a));
}

function newestReadable(entry: Json): Json | undefined {
  const others: unknown[] = Array.isArray(entry['other_formats']) ? entry['other_formats'] : [];
  return [entry, ...others.filter(isObject)]
    .filter((file) => isReadable(statedFormat(file)))
    .sort((a, b) => statedFormat(b) - statedFormat(a))[0];
}

const statedFormat = ({ format }: Json): number => formatOfEntry(typeof format === 'number' ? { format } : {});

function checkFile(version: number, { file, bytes, sha256, format }: Json): Published {
  if (typeof file !== 'string' || !SAFE_NAME.test(file))
    throw new DatasetError(`names a file that is not a plain file name: ${JSON.stringify(file)?.slice(0, 100)}`);
  if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256))
    throw new DatasetError(`has no SHA-256 for version ${version}`);
  if (!isWhole(bytes, 1, Number.MAX_SAFE_INTEGER)) throw new DatasetError(`has no size for version ${version}`);
  if (bytes > MAX_FILE_BYTES)
    throw new DatasetError(`names a file of ${bytes} bytes; replicas take ${MAX_FILE_BYTES} at most`);
  return { version, file, bytes, sha256, ...(typeof format === 'number' ? { format } : {}) };
}

/** One that this program cannot read is left out: the version can be used without it. */
function supplementOf({ version, supplement }: Json): Pick<Published, 'supplement'> {
  if (!isObject(supplement) || supplement['format'] !== SUPPLEMENT_FORMAT) return {};
  const { bytes, sha256 } = checkFile(Number(version), supplement);
  const sources = Array.isArray(supplement['sources']) ? supplement['sources'] : [];
  return { supplement: { file: supplementName(sha256), format: SUPPLEMENT_FORMAT, bytes, sha256, sources } };
}

const MAX_VERSION = 999_999_999;
/**
 * No character that is special in a URL or a path: no slash, backslash, colon, percent or question mark, no leading
 * dot.
 */
const SAFE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null;
}

function isWhole(value: unknown, from: number, to: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= from && value <= to;
}

/** What a replica reads of the manifest of a static host: the file of the current version. */
import { DatasetError } from '../dataset-error.ts';
import { FORMAT_VERSION, UnreadableFormat } from '../file/format.ts';
import type { Published } from './publish.ts';

/**
 * Replicas refuse anything larger. The manifest of 60 versions is about 300 kB, a dataset is 20 MB
 * today.
 */
export const MAX_MANIFEST_BYTES = 1024 * 1024;
export const MAX_FILE_BYTES = 512 * 1024 * 1024;

type Json = Record<string, unknown>;

/** Throws a DatasetError that says what is wrong with the manifest. */
export function parsePublished(text: string): Published {
  const { current, entries } = parseManifest(text);
  const entry = entries.find(({ version }) => version === current);
  if (entry === undefined)
    throw new DatasetError(`names version ${current} as current, but does not list it`);
  const format = typeof entry['format'] === 'number' ? entry['format'] : 0;
  if (format !== FORMAT_VERSION)
    throw new UnreadableFormat(format, `names version ${current}, which`);
  return { format, ...checkFile(current, entry) };
}

function parseManifest(text: string): { current: number; entries: Json[] } {
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch {
    throw new DatasetError(
      text.trimStart().startsWith('<') ? 'is a web page, not a manifest' : 'is not a manifest',
    );
  }
  if (
    !isObject(manifest) ||
    !Array.isArray(manifest['versions']) ||
    !isWhole(manifest['current'], 1, MAX_VERSION)
  )
    throw new DatasetError('is not a manifest');
  return { current: manifest['current'], entries: manifest['versions'].filter(isObject) };
}

function checkFile(version: number, { file, bytes, sha256 }: Json): Omit<Published, 'format'> {
  if (typeof file !== 'string' || !SAFE_NAME.test(file))
    throw new DatasetError(
      `names a file that is not a plain file name: ${JSON.stringify(file)?.slice(0, 100)}`,
    );
  if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256))
    throw new DatasetError(`has no SHA-256 for version ${version}`);
  if (!isWhole(bytes, 1, Number.MAX_SAFE_INTEGER))
    throw new DatasetError(`has no size for version ${version}`);
  if (bytes > MAX_FILE_BYTES)
    throw new DatasetError(
      `names a file of ${bytes} bytes; replicas take ${MAX_FILE_BYTES} at most`,
    );
  return { version, file, bytes, sha256 };
}

const MAX_VERSION = 999_999_999;
/** Nothing special in a URL or a path. */
const SAFE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null;
}

function isWhole(value: unknown, from: number, to: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= from && value <= to;
}

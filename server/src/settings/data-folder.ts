/**
 * Which data directory a command uses. A server uses the one that is set, or ./whence-data.
 * Commands are also run elsewhere, by people who never started a server, so they look in several
 * places:
 *
 *   set       --data-dir or WHENCE_DATA_DIR; then nothing else is tried
 *   here      ./whence-data
 *   clone     whence-data of the clone that the working folder is in
 *   own       the user's data directory
 *   package   the dataset that came with the program, which is only read
 */
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { cloneOfWorkingFolder, EMBEDDED } from '../installation.ts';
import { type Environment, settings } from './settings.ts';

/**
 * `read` answers from a dataset, `update` changes the datasets, `storage` uses keys, accounts and
 * counts.
 */
export type Purpose = 'serve' | 'read' | 'update' | 'storage';

export type DataFolder = {
  readonly path: string;
  readonly origin: 'set' | 'here' | 'clone' | 'own' | 'package';
  /** For copies of what a command downloads: `path`, unless that belongs to the package. */
  readonly cache: string;
};

/** Overrides that are used if the file exists and no other one is configured. */
export const defaultOverrides = (dataDir: string): string => join(dataDir, 'overrides.json');

export function findDataFolder(purpose: Purpose, environment: Environment): DataFolder {
  const { variable, default: here } = settings.dataDir;
  const set = environment[variable];
  if (set || purpose === 'serve') return folder(set || here, 'set');
  const clone = cloneOfWorkingFolder();
  const own = ownDataFolder(environment);
  const candidates = [
    folder(resolve(here), 'here'),
    ...(clone === undefined ? [] : [folder(join(clone, here), 'clone')]),
    // A server never uses it, and what is updated in a clone belongs there.
    ...(own !== undefined && (purpose === 'read' || (purpose === 'update' && clone === undefined))
      ? [folder(own, 'own')]
      : []),
    ...(purpose === 'read'
      ? [{ path: EMBEDDED, origin: 'package' as const, cache: own ?? tmpdir() }]
      : []),
  ];
  const [first, ...others] = candidates;
  // Where a first dataset or database belongs: a clone has its own folder, a person their own.
  const fallback = others.find(({ origin }) => origin !== 'package') ?? first;
  return (
    candidates.find(({ path }) => existsSync(join(path, CONTENT[purpose]))) ??
    (fallback as DataFolder)
  );
}

/** The file by which a folder of this purpose is known. */
const CONTENT = { read: 'datasets/manifest.json', update: '.', storage: 'whence.sqlite' } as const;

const folder = (path: string, origin: DataFolder['origin']): DataFolder => ({
  path,
  origin,
  cache: path,
});

/**
 * As the XDG Base Directory Specification, macOS and Windows have it; undefined where the
 * environment names no home.
 */
export function ownDataFolder(
  { XDG_DATA_HOME, HOME, LOCALAPPDATA }: Environment,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  if (platform === 'win32') return LOCALAPPDATA && join(LOCALAPPDATA, 'whence');
  if (platform === 'darwin') return HOME && join(HOME, 'Library/Application Support/whence');
  // A relative path is invalid by the specification, and ignored.
  if (XDG_DATA_HOME?.startsWith('/') === true) return join(XDG_DATA_HOME, 'whence');
  return HOME && join(HOME, '.local/share/whence');
}

const ORIGINS: Readonly<Record<DataFolder['origin'], string>> = {
  set: 'set by --data-dir or WHENCE_DATA_DIR',
  here: 'of the working folder',
  clone: 'of the clone',
  own: 'your own',
  package: 'packaged with the program',
};

export const describeFolder = ({ path, origin }: Pick<DataFolder, 'path' | 'origin'>) =>
  `${resolve(path)} (${ORIGINS[origin]})`;

/**
 * The embedded dataset as `wh dataset build` makes it, in a folder of node_modules/.cache: built
 * once, and again when something that it depends on has changed. A build takes 25 s of processor
 * time.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { WHENCE } from './whence-program.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CACHE = join(ROOT, 'node_modules/.cache/embedded-dataset');

export type EmbeddedDataset = {
  /** A data directory with version 1. Not to be written to: `copyTo` makes one that can be. */
  readonly dataDir: string;
  /** The dataset file in it. */
  readonly file: string;
  /** What the build printed. */
  readonly stdout: string;
  readonly stderr: string;
};

export async function prepareEmbeddedDataset(): Promise<EmbeddedDataset> {
  const folder = join(CACHE, dependencies());
  if (!existsSync(folder)) await build(folder);
  const dataDir = join(folder, 'data');
  const read = (path: string) => readFileSync(join(folder, path), 'utf8');
  const [version] = JSON.parse(read('data/datasets/manifest.json')).versions;
  return {
    dataDir,
    file: join(dataDir, 'datasets', version.file),
    stdout: read('stdout'),
    stderr: read('stderr'),
  };
}

/** Makes a data directory with the dataset, which the test may write to. */
export async function copyEmbeddedDataset(dataDir: string): Promise<void> {
  cpSync((await prepareEmbeddedDataset()).dataDir, dataDir, { recursive: true });
}

/** Two processes may build at once: the folder appears complete; the second build is dropped. */
async function build(folder: string): Promise<void> {
  mkdirSync(CACHE, { recursive: true });
  const unfinished = mkdtempSync(join(CACHE, 'unfinished-'));
  const env = { ...process.env, WHENCE_DATA_DIR: join(unfinished, 'data') };
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [WHENCE, 'dataset', 'build'],
    { env },
  );
  writeFileSync(join(unfinished, 'stdout'), stdout);
  writeFileSync(join(unfinished, 'stderr'), stderr);
  for (const name of readdirSync(CACHE))
    if (!name.startsWith('unfinished-')) rmSync(join(CACHE, name), { recursive: true });
  if (existsSync(folder)) rmSync(unfinished, { recursive: true });
  else renameSync(unfinished, folder);
}

/**
 * A hash of the compiler's code, the tables beside it, and the versions of the packages that it
 * reads.
 */
function dependencies(): string {
  const hash = createHash('sha256');
  const isTest = (name: string) => /(^|\/)test\/|\.test\.js$/.test(name);
  const code = filesIn('dataset/dist', (name) => name.endsWith('.js') && !isTest(name));
  const packages = filesIn('node_modules/@ip-location-db', (name) => name.endsWith('package.json'));
  for (const path of [...code, ...filesIn('dataset/data', () => true), ...packages])
    hash.update(path).update(readFileSync(join(ROOT, path)));
  return hash.digest('hex').slice(0, 16);
}

function filesIn(folder: string, isWanted: (name: string) => boolean): string[] {
  if (!existsSync(join(ROOT, folder))) return [];
  const entries = readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length))
    .filter(isWanted)
    .sort();
}

// Pulls the version that a static host names as current (published-folder.ts), also an older one:
// that is how a publisher goes back. A failure is a sentence, and the version in use stays. The
// next pull continues an interrupted download, `<SHA-256>.<process>.download`.
import { createHash, type Hash } from 'node:crypto';
import { createReadStream, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { DatasetError } from '../dataset-error.ts';
import { UnreadableFormat } from '../file/format.ts';
import type { Network } from '../io/download/connection.ts';
import type { TransferLimits } from '../io/download/transfer-timeouts.ts';
import { makeFolder } from '../io/files.ts';
import { isRunning } from '../io/lock.ts';
import { openInThread } from './open-version.ts';
import {
  adopt,
  datasetsFolder,
  type Published,
  readManifest,
  useVersion,
  verifyInThread,
} from './publish.ts';
import { MAX_FILE_BYTES, MAX_MANIFEST_BYTES, parsePublished } from './published-manifest.ts';
import { HostError, type StaticHost, staticHost } from './static-host.ts';

export type PullOutcome =
  | { kind: 'unchanged'; version: number }
  | { kind: 'adopted'; version: number }
  /** `format` is that of the host's version, if this program cannot read it. */
  | { kind: 'failed'; reason: string; format?: number };

/** Kept between pulls from the same URL, so that a pull without a change transfers only headers. */
export type PullMemory = {
  etag?: string | undefined;
  published?: Published;
  whole?: string;
};

type PullOptions = {
  now: () => Date;
  memory?: PullMemory;
  signal?: AbortSignal;
  timeouts?: Timeouts;
  network?: Network | undefined;
};

type Timeouts = { readonly manifest: TransferLimits; readonly file: TransferLimits };

/** 20 MB in 15 minutes is 22 kB/s; a slower replica gets the rest with the next pull. */
const TIMEOUTS: Timeouts = {
  manifest: { idleTimeoutMs: 30_000, totalTimeoutMs: 30_000 },
  file: { idleTimeoutMs: 30_000, totalTimeoutMs: 15 * 60_000 },
};

export async function pull(
  url: string,
  dataDir: string,
  options: PullOptions,
): Promise<PullOutcome> {
  const { memory = {}, signal, timeouts = TIMEOUTS } = options;
  try {
    const host = staticHost(new URL(url), options.network);
    const published = await readPublished(host, memory, timeouts.manifest, signal);
    const isNew = await bringUpToDate(host, dataDir, published, options);
    memory.whole = published.sha256;
    return { kind: isNew ? 'adopted' : 'unchanged', version: published.version };
  } catch (error) {
    if (error instanceof UnreadableFormat)
      return { kind: 'failed', reason: error.message, format: error.format };
    if (error instanceof DatasetError) return { kind: 'failed', reason: error.message };
    // An error of the file system names the path itself.
    if (error instanceof Error && 'errno' in error)
      return { kind: 'failed', reason: error.message };
    throw error;
  }
}

async function bringUpToDate(
  host: StaticHost,
  dataDir: string,
  published: Published,
  { memory = {}, signal, timeouts = TIMEOUTS, now }: PullOptions,
): Promise<boolean> {
  if (isCurrent(dataDir, published)) {
    if (memory.whole === published.sha256 || (await isWholeHere(dataDir, published))) return false;
  } else if (await isWholeHere(dataDir, published)) {
    useVersion(dataDir, published.version, { isVerified: true });
    return true;
  }
  const folder = datasetsFolder(dataDir);
  const path = await download(host, published, folder, now(), timeouts.file, signal);
  await adoptDownload(dataDir, published, path, host);
  return true;
}

async function readPublished(
  host: StaticHost,
  memory: PullMemory,
  limits: TransferLimits,
  stop: AbortSignal | undefined,
): Promise<Published> {
  const name = 'manifest.json';
  const wanted = {
    etag: memory.published && memory.etag,
    maxBytes: MAX_MANIFEST_BYTES,
    limits,
    stop,
  };
  return host.get(name, wanted, async (answer) => {
    if (answer.kind === 'not-modified' && memory.published !== undefined) return memory.published;
    const chunks: Uint8Array[] = [];
    for await (const chunk of answer.kind === 'body' ? answer.body : []) chunks.push(chunk);
    const published = parseNaming(host.describe(name), Buffer.concat(chunks).toString());
    memory.published = published;
    memory.etag = answer.kind === 'body' ? answer.etag : undefined;
    return published;
  });
}

function isCurrent(dataDir: string, { version, sha256 }: Published): boolean {
  const manifest = readManifest(dataDir);
  return (
    manifest?.current === version &&
    manifest.versions.some((entry) => isSame(entry, { version, sha256 }))
  );
}

async function isWholeHere(dataDir: string, published: Published): Promise<boolean> {
  const entry = readManifest(dataDir)?.versions.find((candidate) => isSame(candidate, published));
  if (entry === undefined) return false;
  try {
    await verifyInThread(dataDir, entry);
    return true;
  } catch {
    // Damaged or missing: it is pulled again.
    return false;
  }
}

type Identity = Pick<Published, 'version' | 'sha256'>;
const isSame = (a: Identity, b: Identity) => a.version === b.version && a.sha256 === b.sha256;

async function download(
  host: StaticHost,
  { file: name, bytes, sha256 }: Published,
  folder: string,
  now: Date,
  limits: TransferLimits,
  stop: AbortSignal | undefined,
): Promise<string> {
  makeFolder(folder);
  const path = takeOver(folder, sha256, now);
  const file = await open(path, 'a');
  let size = 0;
  try {
    let hash = createHash('sha256');
    size = await hashFile(path, hash);
    if (size > bytes) [hash, size] = await startOver(file);
    if (size < bytes) {
      const wanted = { offset: size, maxBytes: MAX_FILE_BYTES, limits, stop };
      await host.get(name, wanted, async (answer) => {
        if (answer.kind !== 'body') return;
        if (answer.offset !== size) [hash, size] = await startOver(file);
        for await (const chunk of answer.body) {
          size += chunk.length;
          if (size > bytes)
            throw new DatasetError(
              `${host.describe(name)}: larger than the ${bytes} bytes that the manifest says`,
            );
          hash.update(chunk);
          await file.appendFile(chunk);
        }
      });
    }
    if (size < bytes)
      throw new HostError(`${host.describe(name)}: ended after ${size} of ${bytes} bytes`);
    if (hash.digest('hex') !== sha256)
      throw new DatasetError(
        `${host.describe(name)}: checksum mismatch: not the SHA-256 that the manifest says`,
      );
    await file.sync();
    return path;
  } catch (error) {
    // Only an interrupted download can be continued. Removing anything else also frees a full disk.
    if (!(error instanceof HostError) || size === 0) rmSync(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

const DOWNLOAD = /^([0-9a-f]{64})\.(\d+)\.download$/;
/** Four times what a download may be idle. */
const ABANDONED_MS = 120_000;

/** The path to write to. Continues an abandoned download of the same file, removes others. */
function takeOver(folder: string, sha256: string, now: Date): string {
  const own = join(folder, `${sha256}.${process.pid}.download`);
  for (const name of readdirSync(folder)) {
    const [, digest, pid] = DOWNLOAD.exec(name) ?? [];
    const path = join(folder, name);
    if (digest === undefined || !isAbandoned(path, Number(pid), now)) continue;
    if (digest !== sha256) rmSync(path, { force: true });
    else if (path !== own) renameIfThere(path, own);
  }
  return own;
}

/** The process number alone is not enough: after a restart another process may have it. */
function isAbandoned(path: string, pid: number, now: Date): boolean {
  if (pid === process.pid || !isRunning(pid)) return true;
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && now.getTime() - stat.mtimeMs > ABANDONED_MS;
}

function renameIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    // Another pull has renamed it.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

async function hashFile(path: string, hash: Hash): Promise<number> {
  let size = 0;
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk);
    size += chunk.length;
  }
  return size;
}

async function startOver(file: FileHandle): Promise<[Hash, number]> {
  await file.truncate(0);
  return [createHash('sha256'), 0];
}

/**
 * A file refused here was published like this, as by a newer program. It is kept so as not to be
 * fetched again.
 */
async function adoptDownload(
  dataDir: string,
  published: Published,
  path: string,
  host: StaticHost,
): Promise<void> {
  try {
    const { meta } = await openInThread({ path });
    adopt(dataDir, published, path, meta);
  } catch (error) {
    if (error instanceof DatasetError)
      error.message = error.message.replace(path, host.describe(published.file));
    throw error;
  }
}

function parseNaming(address: string, text: string): Published {
  try {
    return parsePublished(text);
  } catch (error) {
    if (error instanceof DatasetError) error.message = `${address} ${error.message}`;
    throw error;
  }
}

/**
 * The database files in use. The index is looked at twice a second; a request takes an entry of it once, so that size,
 * digests and content are of one version.
 */
import { open, readFile, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { fingerprintOf } from '@whence/dataset/internal/io/file-fingerprint';
import type { ByteRange } from '../http/conditional.ts';
import { ApiError } from '../http/errors.ts';
import { CostQueue, type Requester } from '../limits/cost-classes.ts';
import {
  DATABASES,
  type DatabaseFile,
  type DatabaseForm,
  type DatabaseVersion,
  databasePath,
  editionOf,
  indexPath,
  parseIndex,
} from './file-index.ts';

const POLL_MS = 500;
/** Read ahead of a client: all that a slow download takes. */
const CHUNK_BYTES = 64 * 1024;

export type FoundDatabase = { readonly version: DatabaseVersion; readonly file: DatabaseFile };

export class LiveGeoipFiles {
  readonly #dataDir: string;
  readonly #downloads = new CostQueue('download');
  #versions: readonly DatabaseVersion[] = [];
  #seen = '';
  #timer: NodeJS.Timeout | undefined;
  #updating: Promise<void> | undefined;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  /** The current one first. Empty while none is written. */
  get versions(): readonly DatabaseVersion[] {
    return this.#versions;
  }

  async start(): Promise<void> {
    await this.update();
    this.#timer = setInterval(() => void this.update(), POLL_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#updating;
  }

  /** By its name or its edition, of the first version that `isWanted`. Throws an ApiError if there is none. */
  find(name: string, isWanted: (version: DatabaseVersion) => boolean = () => true): FoundDatabase {
    const version = this.#versions.find(isWanted);
    const found = version && findFile(version, name);
    if (found !== undefined) return found;
    const isKnown = DATABASES.some((kind) => kind.name === name || editionOf(kind) === name);
    if (this.#versions.length === 0 && isKnown) throw new ApiError('DATABASES_NOT_WRITTEN');
    const names = this.#versions[0]?.files.map((candidate) => candidate.name) ?? [];
    throw new ApiError(version === undefined && isKnown ? 'VERSION_NOT_FOUND' : 'DATABASE_NOT_FOUND', {
      extra: { details: { databases: names } },
    });
  }

  /** The same of the current version; undefined if there is none. */
  findCurrent(name: string): FoundDatabase | undefined {
    const [version] = this.#versions;
    return version && findFile(version, name);
  }

  /**
   * For as long as the client reads it, which is a slot of the queue. `range` is one of the database itself. Undefined if the
   * file was removed, because two newer versions were written since the index was read.
   */
  async read(
    { version, file }: FoundDatabase,
    form: DatabaseForm,
    requester: Requester,
    range?: ByteRange,
  ): Promise<Readable | undefined> {
    const release = await this.#downloads.enter(requester);
    if (typeof release === 'string') throw new ApiError('QUEUE_FULL');
    try {
      const handle = await open(databasePath(this.#dataDir, version, file.name, form));
      return handle.createReadStream({ ...range, highWaterMark: CHUNK_BYTES }).once('close', release);
    } catch (error) {
      release();
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      return undefined;
    }
  }

  async update(): Promise<void> {
    this.#updating ??= this.#update().finally(() => {
      this.#updating = undefined;
    });
    await this.#updating;
  }

  async #update(): Promise<void> {
    const path = indexPath(this.#dataDir);
    const found = await stat(path).then(fingerprintOf, () => 'none');
    if (found === this.#seen) return;
    // A file that cannot be read is tried again: the writer replaces it as a whole.
    const text = found === 'none' ? undefined : await readFile(path, 'utf8').catch(() => undefined);
    if (text !== undefined) this.#versions = parseIndex(text);
    this.#seen = text === undefined ? '' : found;
  }
}

function findFile(version: DatabaseVersion, name: string): FoundDatabase | undefined {
  const file = version.files.find((candidate) => candidate.name === name || candidate.edition === name);
  return file && { version, file };
}

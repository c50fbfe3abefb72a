/**
 * The files in use. The index is looked at twice a second; a request takes an entry of it once, so that size,
 * digests and content are of one version.
 */
import { open, readFile, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { dayOfMs } from '@whence/dataset/internal/data-age';
import { fingerprintOf } from '@whence/dataset/internal/io/file-fingerprint';
import type { ByteRange } from '../http/conditional.ts';
import { ApiError } from '../http/errors.ts';
import { CostQueue, type Requester } from '../limits/cost-classes.ts';
import {
  DATABASES,
  type DatabaseFile,
  type DatabaseVersion,
  editionOf,
  type FileIndex,
  indexPath,
  isValidOn,
  parseIndex,
  type WrittenLists,
} from './file-index.ts';
import { LIST_FORMATS } from './list-formats.ts';

const POLL_MS = 500;
/** Read ahead of a client: all that a slow download takes. */
const CHUNK_BYTES = 64 * 1024;

export type FoundDatabase = { readonly version: DatabaseVersion; readonly file: DatabaseFile };

export class LiveGeoipFiles {
  readonly dataDir: string;
  readonly #downloads = new CostQueue('download');
  readonly #today: () => string;
  /** As it was read, and without what is no longer valid. */
  #index: FileIndex = { versions: [] };
  #valid: FileIndex = this.#index;
  #seen = '';
  #timer: NodeJS.Timeout | undefined;
  #updating: Promise<void> | undefined;

  /** `today`: the day by which the dataset in use is judged. */
  constructor(dataDir: string, today: () => string = () => dayOfMs(Date.now())) {
    this.dataDir = dataDir;
    this.#today = today;
  }

  /** The current one first. Empty while none is written, or while those with a flag that no longer counts are replaced. */
  get versions(): readonly DatabaseVersion[] {
    return this.#valid.versions;
  }

  /** The same; undefined while none is. */
  get lists(): WrittenLists | undefined {
    return this.#valid.lists;
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
    const version = this.versions.find(isWanted);
    const found = version && findFile(version, name);
    if (found !== undefined) return found;
    const isKnown = DATABASES.some((kind) => kind.name === name || editionOf(kind) === name);
    if (this.versions.length === 0 && isKnown) throw new ApiError('DATABASES_NOT_WRITTEN');
    const names = this.versions[0]?.files.map((candidate) => candidate.name) ?? [];
    throw new ApiError(version === undefined && isKnown ? 'VERSION_NOT_FOUND' : 'DATABASE_NOT_FOUND', {
      extra: { details: { databases: names } },
    });
  }

  /** The same of the current version; undefined if there is none. */
  findCurrent(name: string): FoundDatabase | undefined {
    const [version] = this.versions;
    return version && findFile(version, name);
  }

  /** Whether a client that has this version of a file, as downloads are counted, has the current one. */
  isCurrent(file: string, version: number): boolean {
    const list = this.lists?.lists.find(({ name }) => LIST_FORMATS.some((format) => file === `${name}.${format}`));
    if (list === undefined) return version === this.versions[0]?.version;
    return list.sinceVersion <= version && version <= list.version;
  }

  /**
   * For as long as the client reads it, which is a slot of the queue. Undefined if the file was removed, because newer ones
   * were written since the index was read.
   */
  async read(path: string, requester: Requester, range?: ByteRange): Promise<Readable | undefined> {
    const release = await this.#downloads.enter(requester);
    if (typeof release === 'string') throw new ApiError('QUEUE_FULL');
    try {
      const handle = await open(path);
      const stream = handle.createReadStream({ ...range, highWaterMark: CHUNK_BYTES });
      this.#downloads.hold(stream, () => stream.bytesRead, release);
      return stream;
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
    const path = indexPath(this.dataDir);
    const found = await stat(path).then(fingerprintOf, () => 'none');
    if (found !== this.#seen) await this.#read(path, found);
    const { versions, lists } = this.#index;
    const day = this.#today();
    const isValid = (version: DatabaseVersion) => isValidOn(day, version);
    // If the current version is to be written anew, the one before must not take its place.
    const kept = versions[0] !== undefined && isValid(versions[0]) ? versions.filter(isValid) : [];
    this.#valid = { versions: kept, lists: lists && isValidOn(day, lists) ? lists : undefined };
  }

  async #read(path: string, found: string): Promise<void> {
    // A file that cannot be read is tried again: the writer replaces it as a whole.
    const text = found === 'none' ? undefined : await readFile(path, 'utf8').catch(() => undefined);
    if (text !== undefined) this.#index = parseIndex(text);
    this.#seen = text === undefined ? '' : found;
  }
}

function findFile(version: DatabaseVersion, name: string): FoundDatabase | undefined {
  const file = version.files.find((candidate) => candidate.name === name || candidate.edition === name);
  return file && { version, file };
}

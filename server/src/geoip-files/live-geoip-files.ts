/**
 * The files in use. The index is looked at twice a second; a request takes an entry of it once, so
 * that size, digests and content are of one version.
 */
import { open, readFile, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { fingerprintOf } from '@whence/dataset/io/files';
import { dayOfMs } from '../day.ts';
import type { ByteRange } from '../http/conditional.ts';
import { ApiError } from '../http/errors.ts';
import { CostQueue, type Requester } from '../limits/cost-classes.ts';
import { Polling } from '../polling.ts';
import {
  type DatabaseFile,
  type DatabaseVersion,
  type FileIndex,
  indexPath,
  isDatabase,
  isValidOn,
  parseIndex,
  type WrittenLists,
} from './file-index.ts';
import { LIST_FORMATS } from './list-formats.ts';

const POLL_MS = 500;
/** Read ahead of a client: all that a slow download takes. */
const CHUNK_BYTES = 64 * 1024;

export type ServedDatabase = { readonly version: DatabaseVersion; readonly file: DatabaseFile };

export class LiveGeoipFiles {
  readonly dataDir: string;
  readonly #downloads = new CostQueue('download');
  readonly #today: () => string;
  /** As it was read, and without what is no longer valid. */
  #index: FileIndex = { versions: [] };
  #valid: FileIndex = this.#index;
  #seen = '';
  readonly #polling = new Polling(() => this.#update(), POLL_MS);

  /** `today`: the day by which the dataset in use is judged. */
  constructor(dataDir: string, today: () => string = () => dayOfMs(Date.now())) {
    this.dataDir = dataDir;
    this.#today = today;
  }

  /**
   * The current one first. Empty while none is written, or while those with a flag that no longer
   * counts are replaced.
   */
  get versions(): readonly DatabaseVersion[] {
    return this.#valid.versions;
  }

  /** What clients get that ask for no version: of the dataset, and of DB-IP City Lite. */
  get current(): readonly DatabaseVersion[] {
    return [...this.versions.slice(0, 1), ...this.#locations];
  }

  /** With those of the version before. */
  get all(): readonly DatabaseVersion[] {
    return [...this.versions, ...this.#locations];
  }

  get #locations(): readonly DatabaseVersion[] {
    return this.#valid.location === undefined ? [] : [this.#valid.location];
  }

  /** The same; undefined while none is. */
  get lists(): WrittenLists | undefined {
    return this.#valid.lists;
  }

  start(): Promise<void> {
    return this.#polling.start();
  }

  stop(): Promise<void> {
    return this.#polling.stop();
  }

  /**
   * By its name or its edition, of the first version that `isWanted`. Throws an ApiError if there
   * is none.
   */
  find(name: string, isWanted: (version: DatabaseVersion) => boolean = () => true): ServedDatabase {
    const located = this.#locations.filter((version) => findFile(version, name) !== undefined);
    const versions = located.length === 0 ? this.versions : located;
    const version = versions.find(isWanted);
    const file = version && findFile(version, name);
    if (file !== undefined) return file;
    const isKnown = isDatabase(name);
    if (this.versions.length === 0 && isKnown) throw new ApiError('FILES_NOT_WRITTEN');
    const names = this.current.flatMap(({ files }) => files.map((candidate) => candidate.name));
    throw new ApiError(
      version === undefined && isKnown ? 'VERSION_NOT_FOUND' : 'DATABASE_NOT_FOUND',
      {
        extra: { details: { databases: names } },
      },
    );
  }

  /**
   * Whether a client that has this version of a file, as downloads are counted, has the current
   * one.
   */
  isCurrent(file: string, version: number): boolean {
    const list = this.lists?.lists.find(({ name }) =>
      LIST_FORMATS.some((format) => file === `${name}.${format}`),
    );
    if (list === undefined)
      return this.current.some(
        (candidate) => candidate.version === version && findFile(candidate, file),
      );
    return list.sinceVersion <= version && version <= list.version;
  }

  /**
   * For as long as the client reads it, which is a slot of the queue. Undefined if the file was
   * removed, because newer ones were written since the index was read.
   */
  async read(path: string, requester: Requester, range?: ByteRange): Promise<Readable | undefined> {
    return this.#downloads.run(
      requester,
      async (slot) => {
        const handle = await open(path).catch((error: NodeJS.ErrnoException) => {
          if (error.code !== 'ENOENT') throw error;
        });
        if (handle === undefined) return undefined;
        const stream = handle.createReadStream({ ...range, highWaterMark: CHUNK_BYTES });
        if (slot.signal.aborted) stream.destroy();
        else this.#downloads.holdWhileRead(stream, () => stream.bytesRead, slot);
        return stream;
      },
      () => {
        throw new ApiError('QUEUE_FULL');
      },
    );
  }

  update(): Promise<void> {
    return this.#polling.run();
  }

  async #update(): Promise<void> {
    const path = indexPath(this.dataDir);
    const fingerprint = await stat(path).then(fingerprintOf, () => 'none');
    if (fingerprint !== this.#seen) await this.#read(path, fingerprint);
    const { versions, location, lists } = this.#index;
    const day = this.#today();
    const isValid = (version: DatabaseVersion) => isValidOn(day, version);
    // If the current version is to be written anew, the one before must not take its place.
    const kept = versions[0] !== undefined && isValid(versions[0]) ? versions.filter(isValid) : [];
    this.#valid = {
      versions: kept,
      location,
      lists: lists && isValidOn(day, lists) ? lists : undefined,
    };
  }

  async #read(path: string, fingerprint: string): Promise<void> {
    // A file that cannot be read is tried again: the writer replaces it as a whole.
    const text =
      fingerprint === 'none' ? undefined : await readFile(path, 'utf8').catch(() => undefined);
    if (text !== undefined) this.#index = parseIndex(text);
    this.#seen = text === undefined ? '' : fingerprint;
  }
}

function findFile(version: DatabaseVersion, name: string): ServedDatabase | undefined {
  const file = version.files.find(
    (candidate) => candidate.name === name || candidate.edition === name,
  );
  return file && { version, file };
}

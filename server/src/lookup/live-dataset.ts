/**
 * The dataset being served. Polls the manifest twice a second and swaps one reference when it names another version; a
 * request reads the reference once, so no answer mixes two versions. While a version is served, the next one is read and
 * checked in a thread. A version that cannot be opened is reported and tried again, less and less often; meanwhile the
 * version in use stays. If there is none, the newest of the other
 * versions is served whose file is the one that was published.
 */
import { statSync } from 'node:fs';
import { AsnSearch } from '@whence/dataset/asn-search';
import { DatasetError } from '@whence/dataset/format';
import { openInThread } from '@whence/dataset/open-in-thread';
import { manifestPath, readManifest, type VersionEntry, verifyVersion, versionPath } from '@whence/dataset/publish';
import { type Dataset, openDataset } from '@whence/dataset/read';
import { AnswerCache } from './answer-cache.ts';

const POLL_MS = 500;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 60_000;
/** One for every way in which the index finds a text: prepared, by word, by parts of words, by several words. */
const WARM_UP_SEARCHES = ['a', 'te', 'net', 'network', 'oogl', 'deutsche tel', 'univ of', 'as64496', 'zzzz'];
const WARM_UP_LIMIT = 20;
const WARM_UP_ROUNDS = 8;
const WARM_UP_PAUSE_MS = 2;

/** A version with everything that is derived from it: what is remembered of it goes with it. */
export class ServedDataset {
  readonly dataset: Dataset;
  readonly version: number;
  readonly builtAtMs: number;
  readonly answers = new AnswerCache();
  #search: AsnSearch | undefined;

  constructor(dataset: Dataset) {
    this.dataset = dataset;
    this.version = dataset.meta.version;
    this.builtAtMs = Date.parse(dataset.meta.built_at);
  }

  get search(): AsnSearch {
    this.#search ??= new AsnSearch(this.dataset);
    return this.#search;
  }

  /** So that the first search takes no longer than any other. One at a time, so that no request waits for it. */
  warmUp(left = WARM_UP_ROUNDS * WARM_UP_SEARCHES.length): void {
    if (left === 0) return;
    setTimeout(() => {
      this.search.search(WARM_UP_SEARCHES[left % WARM_UP_SEARCHES.length] as string, WARM_UP_LIMIT);
      this.warmUp(left - 1);
    }, WARM_UP_PAUSE_MS).unref();
  }
}

export type DatasetEvents = {
  loaded(version: number): void;
  /** Once per reason, not per attempt. */
  failed(error: unknown): void;
  /** The version that is served while the current one cannot be loaded. */
  fellBack(version: number): void;
};

/** An attempt that failed, and when the next one is due. */
type Failure = { readonly attempts: number; readonly retryAtMs: number; readonly reason: string };

export class LiveDataset {
  readonly #dataDir: string;
  readonly #events: DatasetEvents;
  readonly #nowMs: () => number;
  #current: ServedDataset | undefined;
  /** Digest of the file in use. Its number does not do: a publisher that starts over uses numbers again. */
  #sha256 = '';
  #versions: readonly VersionEntry[] = [];
  /** What the manifest looked like when it was last read: time, size and inode tell a new one apart. */
  #seen = '';
  #failure: Failure | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** The poll that is loading a version in a thread. */
  #loading: Promise<void> | undefined;

  /** `nowMs` is a monotonic clock. */
  constructor(dataDir: string, events: DatasetEvents, nowMs: () => number = () => performance.now()) {
    this.#dataDir = dataDir;
    this.#events = events;
    this.#nowMs = nowMs;
  }

  get current(): ServedDataset | undefined {
    return this.#current;
  }

  /** Whether the version that is served is another one than the current one, because that cannot be loaded. */
  get isFallback(): boolean {
    return this.#current !== undefined && this.#failure !== undefined;
  }

  /** All published versions, as the manifest had them when it last changed. */
  get versions(): readonly VersionEntry[] {
    return this.#versions;
  }

  start(): void {
    void this.poll();
    this.#timer = setInterval(() => void this.poll(), POLL_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /**
   * Loads the version that the manifest names, if it is another one. Without a version in use it is loaded when this
   * returns; otherwise when the promise is fulfilled. Never rejects.
   */
  async poll(): Promise<void> {
    // What the manifest says by then is seen by the next poll.
    if (this.#loading !== undefined) return this.#loading;
    try {
      const seen = this.#fingerprint();
      const isNew = seen !== this.#seen;
      const isDue = this.#failure !== undefined && this.#nowMs() >= this.#failure.retryAtMs;
      if (!isNew && !isDue) return;
      if (isNew) this.#failure = undefined;
      this.#seen = seen;
      const entry = this.#entryToLoad();
      if (entry === undefined) {
        this.#failure = undefined;
        return;
      }
      if (this.#current === undefined) this.#loaded(openDataset(versionPath(this.#dataDir, entry)), entry);
      else this.#loading = this.#loadInThread(entry);
    } catch (error) {
      this.#fail(error);
      if (this.#current === undefined) this.#fallBack();
    }
    return this.#loading;
  }

  async #loadInThread(entry: VersionEntry): Promise<void> {
    try {
      this.#loaded(await openInThread({ path: versionPath(this.#dataDir, entry) }), entry);
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#loading = undefined;
    }
  }

  #loaded(dataset: Dataset, entry: VersionEntry): void {
    this.#use(dataset, entry);
    this.#failure = undefined;
    this.#events.loaded(entry.version);
  }

  /** Undefined if there is none, or if it is served already. Throws if the manifest cannot be used. */
  #entryToLoad(): VersionEntry | undefined {
    const manifest = readManifest(this.#dataDir);
    this.#versions = manifest?.versions ?? [];
    if (manifest === undefined) return undefined;
    const entry = manifest.versions.find(({ version }) => version === manifest.current);
    if (entry === undefined) throw new DatasetError(`${manifestPath(this.#dataDir)} does not list its current version`);
    return entry.sha256 === this.#sha256 ? undefined : entry;
  }

  #use(dataset: Dataset, { sha256 }: VersionEntry): void {
    const served = new ServedDataset(dataset);
    served.warmUp();
    this.#current = served;
    this.#sha256 = sha256;
  }

  #fallBack(): void {
    const newestFirst = [...this.#versions].sort((a, b) => Date.parse(b.built_at) - Date.parse(a.built_at));
    for (const entry of newestFirst) {
      try {
        this.#use(verifyVersion(this.#dataDir, entry), entry);
        this.#events.fellBack(entry.version);
        return;
      } catch {
        // Damaged or gone. Why the current one cannot be loaded was reported.
      }
    }
  }

  #fail(error: unknown): void {
    const { attempts = 0, reason: before } = this.#failure ?? {};
    const reason = error instanceof Error ? error.message : String(error);
    if (reason !== before) this.#events.failed(error);
    const delayMs = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** attempts);
    this.#failure = { attempts: attempts + 1, retryAtMs: this.#nowMs() + delayMs, reason };
  }

  #fingerprint(): string {
    const stat = statSync(manifestPath(this.#dataDir), { throwIfNoEntry: false });
    return stat === undefined ? '' : `${stat.mtimeMs} ${stat.size} ${stat.ino}`;
  }
}

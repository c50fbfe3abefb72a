// The dataset in use, read once per request, so no answer mixes versions. Polls the manifest four
// times a second; the next version is checked in a thread, or by the first process for all workers
// (process/version-checks.ts). One that cannot be opened is retried at growing intervals while the
// version in use stays, or, if there is none, the newest intact other version. When a list becomes
// too old, the version is opened again without it.

import { AsnSearch } from '@whence/dataset/asn-search';
import { type Dataset, openDataset } from '@whence/dataset/dataset';
import { DatasetError } from '@whence/dataset/dataset-error';
import { fileFingerprint } from '@whence/dataset/io/files';
import { withOverrides } from '@whence/dataset/overlaid-dataset';
import type { Overrides } from '@whence/dataset/overrides';
import {
  currentOf,
  manifestPath,
  readManifest,
  type VersionEntry,
  verifyVersion,
  versionPath,
} from '@whence/dataset/versions';
import { type CheckedFile, openChecked, openInThread } from '@whence/dataset/versions/open';
import { dayOfMs } from '../day.ts';
import { AnswerCache } from './answer-cache.ts';

const POLL_MS = 250;
/** How long a worker leaves a new version to the first process, which checks it for all of them. */
const CHECK_MS = 3_000;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 60_000;

/** A version and everything derived from it, such as cached answers, which is dropped with it. */
export class ServedDataset {
  readonly dataset: Dataset;
  readonly version: number;
  readonly builtAtMs: number;
  /** The last day on which its lists count as they do now. */
  readonly lastDay: string;
  readonly answers = new AnswerCache();
  #search: AsnSearch | undefined;

  constructor(dataset: Dataset) {
    this.dataset = dataset;
    this.version = dataset.meta.version;
    this.builtAtMs = Date.parse(dataset.meta.built_at);
    this.lastDay = dataset.lastDay;
  }

  /** Since it was built; 0 if the clock of the machine that built it is ahead. */
  ageSeconds(nowMs: number): number {
    return Math.max(0, Math.floor((nowMs - this.builtAtMs) / 1000));
  }

  get search(): AsnSearch {
    this.#search ??= new AsnSearch(this.dataset);
    return this.#search;
  }
}

export type OpenedVersion = {
  readonly dataset: Dataset;
  /** Version numbers do not identify a version: a publisher that starts over reuses them. */
  readonly sha256: string;
};

/**
 * Reads and checks the file of a version in a thread. `checked`: unless another process has checked
 * it.
 */
async function openInBackground(
  dataDir: string,
  entry: VersionEntry,
  day: string,
  checked: CheckedFile | undefined,
): Promise<OpenedVersion> {
  const path = versionPath(dataDir, entry);
  const dataset =
    (checked?.path === path && checked.day === day ? await openChecked(checked) : undefined) ??
    (await openInThread({ path, day }));
  return { dataset, sha256: entry.sha256 };
}

/**
 * Opens the current version while the program loads. Undefined on failure: `LiveDataset` retries
 * and reports.
 */
export async function openAhead(
  dataDir: string,
  checked?: CheckedFile,
): Promise<OpenedVersion | undefined> {
  try {
    const entry = currentOf(readManifest(dataDir));
    if (entry === undefined) return undefined;
    return await openInBackground(dataDir, entry, dayOfMs(Date.now()), checked);
  } catch {
    return undefined;
  }
}

type DatasetEvents = {
  loaded(version: number): void;
  /** Once per reason, not per attempt. */
  failed(error: unknown): void;
  /** The version that is served while the current one cannot be loaded. */
  fellBack(version: number): void;
};

/**
 * What the first process has told this one of the current version: `file` is absent if each process
 * must check it.
 */
export type VersionCheck = { readonly manifest: string; readonly file?: CheckedFile };

type LiveOptions = {
  /** In a worker: the first process calls `checked`. */
  readonly isWorker?: boolean;
  /** On a replica: whether a pull from its static host has succeeded. */
  readonly isPulled?: () => boolean;
  readonly nowMs?: () => number;
  /** Today in UTC, by which lists are judged. */
  readonly today?: () => string;
};

type Failure = { readonly attempts: number; readonly retryAtMs: number; readonly reason: string };

export class LiveDataset {
  readonly #dataDir: string;
  readonly #events: DatasetEvents;
  readonly #isPulled: () => boolean;
  readonly #nowMs: () => number;
  readonly #today: () => string;
  readonly #isWorker: boolean;
  #current: ServedDataset | undefined;
  #base: Dataset | undefined;
  #overrides: Overrides | undefined;
  #sha256 = '';
  #versions: readonly VersionEntry[] = [];
  /** Fingerprint of the manifest when it was last read. */
  #seen = '';
  #failure: Failure | undefined;
  #timer: NodeJS.Timeout | undefined;
  /**
   * What the first process has checked last; the manifest that it is waited for, and since when.
   */
  #check: VersionCheck | undefined;
  #awaited = { manifest: '', sinceMs: 0 };
  #loading: Promise<void> | undefined;

  constructor(
    dataDir: string,
    events: DatasetEvents,
    {
      isPulled = () => true,
      nowMs = () => performance.now(),
      today = () => dayOfMs(Date.now()),
      isWorker = false,
    }: LiveOptions = {},
  ) {
    this.#dataDir = dataDir;
    this.#events = events;
    this.#isPulled = isPulled;
    this.#nowMs = nowMs;
    this.#today = today;
    this.#isWorker = isWorker;
  }

  get current(): ServedDataset | undefined {
    return this.#current;
  }

  /** Whether another version is served than the one that should be. */
  get isFallback(): boolean {
    return this.#current !== undefined && (this.#failure !== undefined || !this.#isPulled());
  }

  /** All published versions, as of the last change of the manifest. */
  get versions(): readonly VersionEntry[] {
    return this.#versions;
  }

  /** Answers have these from now on, whatever version is in use. */
  override(overrides: Overrides | undefined): void {
    this.#overrides = overrides;
    if (this.#base !== undefined) this.#serve(this.#base);
  }

  /** `opened`: used if it is the version that the manifest names. */
  start(opened?: OpenedVersion): void {
    void this.poll(opened);
    this.#timer = setInterval(() => void this.poll(), POLL_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  checked(check: VersionCheck): Promise<void> {
    this.#check = check;
    return this.poll();
  }

  /**
   * Loads the manifest's version unless in use: in a thread, or at once if there is no version.
   * Never rejects.
   */
  async poll(opened?: OpenedVersion): Promise<void> {
    // The next poll sees later changes of the manifest.
    if (this.#loading !== undefined) return this.#loading;
    try {
      const seen = fileFingerprint(manifestPath(this.#dataDir));
      const isNew = seen !== this.#seen;
      const isDue = this.#failure !== undefined && this.#nowMs() >= this.#failure.retryAtMs;
      const hasAged = this.#current !== undefined && this.#today() > this.#current.lastDay;
      if (!isNew && !isDue && !hasAged) return;
      if (isNew) this.#failure = undefined;
      // The version in use is opened again: a list has become too old, and its answers change.
      if (hasAged && this.#failure === undefined) this.#sha256 = '';
      this.#seen = seen;
      const entry = this.#entryToLoad();
      if (entry === undefined) {
        this.#failure = undefined;
        return;
      }
      if (isNew && this.#isAwaitingCheck(seen)) {
        // The next poll looks again.
        this.#seen = '';
        return;
      }
      if (opened?.sha256 === entry.sha256) this.#loaded(opened.dataset, entry);
      else if (this.#current === undefined)
        this.#loaded(openDataset(versionPath(this.#dataDir, entry), this.#today()), entry);
      else this.#loading = this.#loadInThread(entry);
    } catch (error) {
      this.#fail(error);
      if (this.#current === undefined) this.#fallBack();
    }
    return this.#loading;
  }

  async #loadInThread(entry: VersionEntry): Promise<void> {
    try {
      const checked = this.#check?.file;
      const { dataset } = await openInBackground(this.#dataDir, entry, this.#today(), checked);
      this.#loaded(dataset, entry);
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#loading = undefined;
    }
  }

  #isAwaitingCheck(manifest: string): boolean {
    if (!this.#isWorker || this.#current === undefined || this.#check?.manifest === manifest)
      return false;
    if (this.#awaited.manifest !== manifest) this.#awaited = { manifest, sinceMs: this.#nowMs() };
    return this.#nowMs() - this.#awaited.sinceMs < CHECK_MS;
  }

  #loaded(dataset: Dataset, entry: VersionEntry): void {
    this.#use(dataset, entry);
    this.#failure = undefined;
    this.#events.loaded(entry.version);
  }

  /** Undefined if there is none, or if it is in use already. Throws if the manifest is invalid. */
  #entryToLoad(): VersionEntry | undefined {
    const manifest = readManifest(this.#dataDir);
    this.#versions = manifest?.versions ?? [];
    if (manifest === undefined) return undefined;
    const entry = currentOf(manifest);
    if (entry === undefined)
      throw new DatasetError(`${manifestPath(this.#dataDir)} does not list its current version`);
    return entry.sha256 === this.#sha256 ? undefined : entry;
  }

  #use(dataset: Dataset, entry: VersionEntry): void {
    this.#serve(dataset);
    this.#sha256 = entry.sha256;
  }

  #serve(base: Dataset): void {
    this.#base = base;
    this.#current = new ServedDataset(withOverrides(base, this.#overrides));
  }

  #fallBack(): void {
    const newestFirst = [...this.#versions].sort(
      (a, b) => Date.parse(b.built_at) - Date.parse(a.built_at),
    );
    for (const entry of newestFirst) {
      try {
        this.#use(verifyVersion(this.#dataDir, entry), entry);
        this.#events.fellBack(entry.version);
        return;
      } catch {
        // Damaged or removed. The reason why the current version cannot be loaded was reported.
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
}

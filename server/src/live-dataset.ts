/**
 * The dataset that is being served. Looks at the manifest twice a second and swaps one reference when it names another version; a request
 * takes the reference once, so no answer mixes two versions. A version that cannot be opened is reported and the one in use stays.
 */
import { statSync } from 'node:fs';
import { AsnSearch } from '@whence/dataset/asn-search';
import { manifestPath, readManifest, type VersionEntry, versionPath } from '@whence/dataset/publish';
import { type Dataset, openDataset } from '@whence/dataset/read';
import { AnswerCache } from './answer-cache.ts';

const POLL_MS = 500;

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
}

export type DatasetEvents = {
  loaded(version: number): void;
  failed(error: unknown): void;
};

export class LiveDataset {
  readonly #dataDir: string;
  readonly #events: DatasetEvents;
  #current: ServedDataset | undefined;
  /** Digest of the file in use. Its number does not do: a publisher that starts over uses numbers again. */
  #sha256 = '';
  #versions: readonly VersionEntry[] = [];
  /** What the manifest looked like when it was last read: time, size and inode tell a new one apart. */
  #seen = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(dataDir: string, events: DatasetEvents) {
    this.#dataDir = dataDir;
    this.#events = events;
  }

  get current(): ServedDataset | undefined {
    return this.#current;
  }

  /** All published versions, as the manifest had them when it last changed. */
  get versions(): readonly VersionEntry[] {
    return this.#versions;
  }

  start(): void {
    this.poll();
    this.#timer = setInterval(() => this.poll(), POLL_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  poll(): void {
    const seen = this.#fingerprint();
    if (seen === this.#seen) return;
    this.#seen = seen;
    try {
      const manifest = readManifest(this.#dataDir);
      this.#versions = manifest?.versions ?? [];
      const entry = manifest?.versions.find(({ version }) => version === manifest.current);
      if (entry === undefined || entry.sha256 === this.#sha256) return;
      const dataset = openDataset(versionPath(this.#dataDir, entry));
      this.#current = new ServedDataset(dataset);
      this.#sha256 = entry.sha256;
      this.#events.loaded(dataset.meta.version);
    } catch (error) {
      this.#events.failed(error);
    }
  }

  #fingerprint(): string {
    const stat = statSync(manifestPath(this.#dataDir), { throwIfNoEntry: false });
    return stat === undefined ? '' : `${stat.mtimeMs} ${stat.size} ${stat.ino}`;
  }
}

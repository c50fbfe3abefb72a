// The first of several processes, which answers no requests, checks a new version once for all
// workers.

import { fileFingerprint } from '@whence/dataset/io/files';
import { currentOf, manifestPath, readManifest, versionPath } from '@whence/dataset/versions';
import { type CheckedFile, checkForOthers } from '@whence/dataset/versions/open';
import { dayOfMs } from '../day.ts';
import type { VersionCheck } from '../lookup/live-dataset.ts';

const POLL_MS = 100;

export class VersionChecks {
  readonly #dataDir: string;
  readonly #onChecked: (check: VersionCheck) => void;
  #timer: NodeJS.Timeout | undefined;
  /** Fingerprint of the manifest when it was last read, and the day: lists become too old. */
  #seen = '';
  #isChecking = false;

  constructor(dataDir: string, onChecked: (check: VersionCheck) => void) {
    this.#dataDir = dataDir;
    this.#onChecked = onChecked;
  }

  start(): void {
    this.#timer = setInterval(() => void this.poll(), POLL_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async poll(): Promise<void> {
    const manifest = fileFingerprint(manifestPath(this.#dataDir));
    const day = dayOfMs(Date.now());
    const state = `${manifest} ${day}`;
    if (this.#isChecking || manifest === '' || state === this.#seen) return;
    this.#isChecking = true;
    this.#seen = state;
    // A worker that has to open a version without this reports what is wrong with it.
    const file = await this.#check(day).catch(() => undefined);
    this.#isChecking = false;
    this.#onChecked({ manifest, ...(file && { file }) });
  }

  async #check(day: string): Promise<CheckedFile | undefined> {
    const entry = currentOf(readManifest(this.#dataDir));
    return entry && checkForOthers(versionPath(this.#dataDir, entry), day);
  }
}

/** Statistics of use: counted in memory, written to storage in batches. They may lag by a second; quotas do not depend on them. */
import type { Storage, UsageRow } from './storage/storage.ts';

type Counts = Map<string, { row: Omit<UsageRow, 'requests'>; requests: number }>;

export class Usage {
  readonly #storage: Storage;
  /** Per day, key, endpoint and class of status. */
  #rows: Counts = new Map();
  #lastUsed = new Map<string, Date>();

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  count(keyId: string, endpoint: string, status: number, nowMs: number): void {
    const dayNumber = Math.floor(nowMs / 86_400_000);
    const statusClass = Math.floor(status / 100);
    const name = `${dayNumber} ${keyId} ${endpoint} ${statusClass}`;
    const entry = this.#rows.get(name);
    if (entry !== undefined) entry.requests++;
    else {
      const day = new Date(nowMs).toISOString().slice(0, 10);
      this.#rows.set(name, { row: { keyId, day, endpoint, statusClass }, requests: 1 });
      this.#lastUsed.set(keyId, new Date(nowMs));
    }
  }

  /** Writes what has gathered. If storage refuses, it is kept for the next time. */
  async flush(): Promise<void> {
    if (this.#rows.size === 0) return;
    const rows = this.#rows;
    const lastUsed = this.#lastUsed;
    this.#rows = new Map();
    this.#lastUsed = new Map();
    try {
      await this.#storage.addUsage(
        [...rows.values()].map(({ row, requests }) => ({ ...row, requests })),
        lastUsed,
      );
    } catch (error) {
      this.#putBack(rows, lastUsed);
      throw error;
    }
  }

  #putBack(rows: Counts, lastUsed: ReadonlyMap<string, Date>): void {
    for (const [name, { row, requests }] of rows) {
      const entry = this.#rows.get(name);
      if (entry === undefined) this.#rows.set(name, { row, requests });
      else entry.requests += requests;
    }
    for (const [keyId, at] of lastUsed) if (!this.#lastUsed.has(keyId)) this.#lastUsed.set(keyId, at);
  }
}

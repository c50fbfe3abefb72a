/**
 * Usage statistics: counted in memory, written to storage in batches. They may lag by a second; quotas do not depend on
 * them.
 */
import type { UsageRow, UsageStore } from '../storage/usage-store.ts';

/**
 * Requests by day (since 1970), key, endpoint and status class. Nested Maps: a joined key per request would cost more
 * than counting.
 */
type Counts = Map<number, Map<string, Map<string, number[]>>>;

export class Usage {
  readonly #store: UsageStore;
  #counts: Counts = new Map();
  #lastUsed = new Map<string, Date>();

  constructor(store: UsageStore) {
    this.#store = store;
  }

  count(keyId: string, endpoint: string, status: number, nowMs: number): void {
    const day = inner(this.#counts, Math.floor(nowMs / DAY_MS));
    let endpoints = day.get(keyId);
    if (endpoints === undefined) {
      endpoints = inner(day, keyId);
      this.#lastUsed.set(keyId, new Date(nowMs));
    }
    let classes = endpoints.get(endpoint);
    if (classes === undefined) {
      classes = [0, 0, 0, 0, 0, 0];
      endpoints.set(endpoint, classes);
    }
    const statusClass = Math.floor(status / 100);
    classes[statusClass] = (classes[statusClass] ?? 0) + 1;
  }

  /** Writes what has accumulated. If storage refuses, it is kept for the next time. */
  async flush(): Promise<void> {
    if (this.#counts.size === 0) return;
    const rows = rowsOf(this.#counts);
    const lastUsed = this.#lastUsed;
    this.#counts = new Map();
    this.#lastUsed = new Map();
    try {
      await this.#store.add(rows, lastUsed);
    } catch (error) {
      this.#putBack(rows, lastUsed);
      throw error;
    }
  }

  #putBack(rows: readonly UsageRow[], lastUsed: ReadonlyMap<string, Date>): void {
    for (const { keyId, day, endpoint, statusClass, requests } of rows) {
      const endpoints = inner(inner(this.#counts, Date.parse(day) / DAY_MS), keyId);
      const classes = endpoints.get(endpoint) ?? [0, 0, 0, 0, 0, 0];
      classes[statusClass] = (classes[statusClass] ?? 0) + requests;
      endpoints.set(endpoint, classes);
    }
    for (const [keyId, at] of lastUsed) if (!this.#lastUsed.has(keyId)) this.#lastUsed.set(keyId, at);
  }
}

const DAY_MS = 86_400_000;

/** The Map under the key, created on first use. */
function inner<K, K2, V>(map: Map<K, Map<K2, V>>, key: K): Map<K2, V> {
  let found = map.get(key);
  if (found === undefined) {
    found = new Map();
    map.set(key, found);
  }
  return found;
}

function rowsOf(counts: Counts): UsageRow[] {
  const rows: UsageRow[] = [];
  for (const [dayNumber, keys] of counts) {
    const day = new Date(dayNumber * DAY_MS).toISOString().slice(0, 10);
    for (const [keyId, endpoints] of keys) {
      for (const [endpoint, classes] of endpoints) {
        classes.forEach((requests, statusClass) => {
          if (requests > 0) rows.push({ keyId, day, endpoint, statusClass, requests });
        });
      }
    }
  }
  return rows;
}

/**
 * Usage statistics: counted in memory, written to storage in batches. They may lag by a second; quotas do not depend on
 * them.
 */
import type { UsageRow, UsageStore } from '../storage/usage-store.ts';
import { BatchWriter } from './batch-writer.ts';

/**
 * Requests by day (since 1970), key, endpoint and status class. Nested Maps: a joined key per request would cost more
 * than counting.
 */
type Counts = Map<number, Map<string, Map<string, number[]>>>;

type UsageBatch = { readonly rows: readonly UsageRow[]; readonly lastUsed: ReadonlyMap<string, Date> };

export class Usage {
  readonly #writer: BatchWriter<UsageBatch>;
  #counts: Counts = new Map();
  #lastUsed = new Map<string, Date>();

  constructor(store: UsageStore) {
    this.#writer = new BatchWriter((batch, { rows, lastUsed }) => store.add(batch, rows, lastUsed));
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
  flush(): Promise<void> {
    return this.#writer.write(() => this.#collect());
  }

  #collect(): UsageBatch | undefined {
    if (this.#counts.size === 0) return undefined;
    const batch = { rows: rowsOf(this.#counts), lastUsed: this.#lastUsed };
    this.#counts = new Map();
    this.#lastUsed = new Map();
    return batch;
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

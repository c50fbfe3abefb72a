/**
 * Usage statistics, counted in memory and written in batches. They may lag; quotas do not depend on
 * them.
 */
import { dayOfMs, HOUR_MS } from '../day.ts';
import type { KeyUse, UsageRow } from '../storage/statistics-changes.ts';
import type { FirstUse, RefusalCount, StoredKey } from '../storage/stores/key-store.ts';
import type { UsageStore } from '../storage/stores/usage-store.ts';
import type { RefusalReason } from '../vocabulary.ts';
import { BatchWriter } from './batch-writer.ts';

/**
 * By hour (since 1970), key, endpoint and status class. Nested: a joined key would cost more than
 * counting.
 */
type Counts = Map<number, Map<string, Map<string, number[]>>>;

type UsageBatch = {
  readonly rows: readonly UsageRow[];
  readonly uses: ReadonlyMap<string, KeyUse>;
};
type UsedKey = Pick<StoredKey, 'id' | 'lastUsedAt'>;
type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

export class Usage {
  readonly #writer: BatchWriter<UsageBatch>;
  #counts: Counts = new Map();
  #uses = new Map<string, Writable<KeyUse>>();
  /** Keys as they were read from storage, where they had never been used. */
  readonly #firstUsed = new WeakSet<UsedKey>();

  readonly #onRefused: (reason: RefusalReason) => void;

  constructor(store: UsageStore, onRefused: (reason: RefusalReason) => void = () => {}) {
    this.#onRefused = onRefused;
    this.#writer = new BatchWriter((batch, { rows, uses }) => store.add(batch, rows, uses));
  }

  /**
   * True for the first request of the key in an hour or since the last write: then `recordAddress`
   * takes its client address.
   */
  count(keyId: string, endpoint: string, status: number, nowMs: number): boolean {
    const hour = inner(this.#counts, Math.floor(nowMs / HOUR_MS));
    let endpoints = hour.get(keyId);
    const isFirst = endpoints === undefined;
    if (endpoints === undefined) {
      endpoints = inner(hour, keyId);
      this.#useOf(keyId).lastUsedAt = new Date(nowMs);
    }
    let classes = endpoints.get(endpoint);
    if (classes === undefined) {
      classes = [0, 0, 0, 0, 0, 0];
      endpoints.set(endpoint, classes);
    }
    const statusClass = Math.floor(status / 100);
    classes[statusClass] = (classes[statusClass] ?? 0) + 1;
    return isFirst;
  }

  recordAddress(keyId: string, address: string): void {
    this.#useOf(keyId).lastUsedFrom = address;
  }

  /** Not called for simple lookups: a key that the process has not seen yet takes Node's path. */
  isFirstUse(key: UsedKey): boolean {
    return key.lastUsedAt === undefined && !this.#firstUsed.has(key);
  }

  /**
   * If several requests are recorded as the first one, here or in other processes, the earliest is
   * kept.
   */
  recordFirstUse(key: UsedKey, use: FirstUse): void {
    this.#firstUsed.add(key);
    const known = this.#useOf(key.id);
    // The same key may have been read from storage twice before a write.
    if (known.firstUse === undefined || use.at < known.firstUse.at) known.firstUse = use;
  }

  /**
   * `detail` is the client address or the missing permission. Memory is bounded by the number of
   * keys in storage.
   */
  countRefused(keyId: string, reason: RefusalReason, nowMs: number, detail?: string): void {
    this.#onRefused(reason);
    const use = this.#useOf(keyId);
    const lastAt = new Date(nowMs);
    const hour = Math.floor(nowMs / HOUR_MS) * HOUR_MS;
    use.refusals ??= [];
    const refusals = use.refusals as Writable<RefusalCount>[];
    let counted = refusals.find((refusal) => refusal.reason === reason && refusal.hour === hour);
    if (counted === undefined) {
      counted = { hour, reason, requests: 0, lastAt };
      refusals.push(counted);
    }
    counted.requests++;
    counted.lastAt = lastAt;
    if (detail !== undefined) counted.detail = detail;
  }

  /** The same for a request that is answered like one with an unknown key. */
  countUnauthorized(keyId: string, reason: RefusalReason, lastFrom: string, nowMs: number): void {
    this.countRefused(keyId, reason, nowMs, lastFrom);
    const use = this.#useOf(keyId);
    use.refused = { requests: (use.refused?.requests ?? 0) + 1, lastAt: new Date(nowMs), lastFrom };
  }

  /**
   * Writes what has accumulated, and returns how many rows that was. What storage refuses is kept
   * for the next call.
   */
  async flush(): Promise<number> {
    let count = 0;
    await this.#writer.write(() => {
      const rows = rowsOf(this.#counts);
      for (const { keyId, day, requests } of rows) addToLastDay(this.#useOf(keyId), day, requests);
      for (const [hour, keys] of this.#counts)
        for (const [keyId, endpoints] of keys)
          addHour(this.#useOf(keyId), hour * HOUR_MS, sumOf(endpoints));
      const uses = this.#uses;
      this.#counts = new Map();
      this.#uses = new Map();
      count = rows.length + uses.size;
      for (const { refusals, hours } of uses.values())
        count += (refusals?.length ?? 0) + (hours?.size ?? 0);
      return count === 0 ? undefined : { rows, uses };
    });
    return count;
  }

  flushFirstUses(): Promise<void> {
    return this.#writer.write(() => {
      const uses = new Map([...this.#uses].filter(([, { firstUse }]) => firstUse !== undefined));
      for (const keyId of uses.keys()) this.#uses.delete(keyId);
      return uses.size === 0 ? undefined : { rows: [], uses };
    });
  }

  #useOf(keyId: string): Writable<KeyUse> {
    let use = this.#uses.get(keyId);
    if (use === undefined) {
      use = {};
      this.#uses.set(keyId, use);
    }
    return use;
  }
}

/** Requests of an earlier day arrive late, around midnight, and no longer matter to the order. */
function addToLastDay(use: Writable<KeyUse>, day: string, requests: number): void {
  const { lastDay } = use;
  if (lastDay === undefined || lastDay.day < day) use.lastDay = { day, requests };
  else if (lastDay.day === day) use.lastDay = { day, requests: lastDay.requests + requests };
}

function inner<K, K2, V>(map: Map<K, Map<K2, V>>, key: K): Map<K2, V> {
  let found = map.get(key);
  if (found === undefined) {
    found = new Map();
    map.set(key, found);
  }
  return found;
}

function addHour(use: Writable<KeyUse>, hour: number, requests: number): void {
  use.hours = new Map([...(use.hours ?? []), [hour, requests]]);
}

const sumOf = (endpoints: ReadonlyMap<string, readonly number[]>) =>
  [...endpoints.values()].flat().reduce((sum, requests) => sum + requests, 0);

/** One row for the hours of a day, since a statement changes a row once. */
function rowsOf(counts: Counts): UsageRow[] {
  const rows = new Map<string, UsageRow>();
  for (const [hour, keys] of counts) {
    const day = dayOfMs(hour * HOUR_MS);
    for (const [keyId, endpoints] of keys) {
      for (const [endpoint, classes] of endpoints) {
        classes.forEach((requests, statusClass) => {
          if (requests === 0) return;
          const id = `${day} ${keyId} ${endpoint} ${statusClass}`;
          rows.set(id, {
            keyId,
            day,
            endpoint,
            statusClass,
            requests: requests + (rows.get(id)?.requests ?? 0),
          });
        });
      }
    }
  }
  return [...rows.values()];
}

// Statistics in a database of their own, away from the disk of keys and limits. Opened when needed, and again until it
// answers; meanwhile counters stay in memory. What they say about a key stays with the keys.
import type { Engine } from './engine.ts';
import type { StatisticsChanges } from './statistics-changes.ts';
import { StatisticsUnavailable, StorageUnavailable } from './storage-unavailable.ts';
import { maintenanceStore } from './stores/maintenance-store.ts';
import { type TrafficStore, trafficStore, type UsageStore, usageStore } from './stores/usage-store.ts';

export type StatisticsStores = {
  readonly usage: UsageStore;
  readonly traffic: TrafficStore;
};

type OwnStatistics = StatisticsStores & {
  isAway(): boolean;
  pruneWriters(beforeMs: number): Promise<void>;
  close(): Promise<void>;
};

export function statisticsStores({ db, statistics, statisticsReads }: Engine): StatisticsStores {
  return {
    usage: usageStore(db, statistics, statisticsReads),
    traffic: trafficStore(db, statistics, statisticsReads),
  };
}

/** `keyUses` is the database of the keys. */
export function ownStatistics(openEngine: () => Promise<Engine>, keyUses: StatisticsChanges): OwnStatistics {
  let opening: Promise<Engine> | undefined;
  let isAway = false;
  const open = () => {
    opening ??= openEngine();
    opening.catch(() => {
      opening = undefined;
    });
    return opening;
  };
  const on = async <T>(work: (stores: StatisticsStores, engine: Engine) => Promise<T>): Promise<T> => {
    try {
      const engine = await open();
      const result = await work(statisticsStores(engine), engine);
      isAway = false;
      return result;
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error;
      isAway = true;
      throw new StatisticsUnavailable(error.message, { cause: error });
    }
  };
  async function* pages<Page>(read: (usage: UsageStore) => AsyncIterable<Page>): AsyncGenerator<Page> {
    const iterator = await on(async ({ usage }) => read(usage)[Symbol.asyncIterator]());
    for (;;) {
      const { value, done } = await on(() => iterator.next());
      if (done === true) return;
      yield value;
    }
  }
  return {
    usage: {
      // Each database recognises the batch by itself, so a batch of which one has a part can be repeated.
      add: async (batch, rows, uses) => {
        if (uses.size > 0) await keyUses.addUsage(batch, [], uses);
        if (rows.length > 0) await on(({ usage }) => usage.add(batch, rows, new Map()));
      },
      ofKey: (keyId) => on(({ usage }) => usage.ofKey(keyId)),
      sums: (range, by) => on(({ usage }) => usage.sums(range, by)),
      sumPages: (range, by) => pages((usage) => usage.sumPages(range, by)),
      rows: (range) => on(({ usage }) => usage.rows(range)),
      rowPages: (range) => pages((usage) => usage.rowPages(range)),
      prune: (beforeDay, limit) => on(({ usage }) => usage.prune(beforeDay, limit)),
    },
    traffic: {
      add: (batch, rows) => on(({ traffic }) => traffic.add(batch, rows)),
      since: (hour) => on(({ traffic }) => traffic.since(hour)),
      prune: (beforeHour) => on(({ traffic }) => traffic.prune(beforeHour)),
    },
    isAway: () => isAway,
    pruneWriters: (beforeMs) => on((_, { db }) => maintenanceStore(db).pruneWriters(beforeMs)),
    close: async () => {
      const engine = await opening?.catch(() => undefined);
      await engine?.db.destroy();
    },
  };
}

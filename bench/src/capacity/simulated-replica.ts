/** The parts of a replica that talk to storage, with the timers of a real one, and no sockets. */
import { KnownKeys } from '../../../server/dist/keys/known-keys.js';
import { Quota } from '../../../server/dist/quota/quota.js';
import type { Storage } from '../../../server/dist/storage/storage.js';

const HOUSEKEEPING_MS = 1_000;
const RECALLS_MS = 100;
const RENEWAL_MS = 10_000;

export type Served = { admitted: number; refused: number; failed: number };

export class SimulatedReplica {
  readonly quota: Quota;
  readonly #keys: KnownKeys;
  readonly #timers: NodeJS.Timeout[];
  #clients = 0;
  readonly served: Served = { admitted: 0, refused: 0, failed: 0 };

  constructor(storage: Storage) {
    this.#keys = new KnownKeys(storage.keys, { graceMs: 60_000 });
    this.quota = new Quota(storage.leases, { isStorageDown: () => this.#keys.storageState !== 'ok' });
    const now = () => storage.nowMs() ?? Date.now();
    // Not all at the same moment, as replicas that were started at different times.
    const every = (ms: number, work: () => Promise<void>) => {
      let isRunning = false;
      return setInterval(
        () => {
          if (isRunning) return;
          isRunning = true;
          work()
            .catch(() => {})
            .finally(() => {
              isRunning = false;
            });
        },
        ms * (0.9 + Math.random() / 5),
      );
    };
    this.#timers = [
      every(HOUSEKEEPING_MS, () => this.quota.settleIdle(now())),
      every(RECALLS_MS, () => this.quota.answerRecalls()),
      every(RENEWAL_MS, () => this.quota.renewLeases()),
    ];
  }

  /** A request as the API treats it: key, then quota. */
  async request(secret: string, nowMs: number): Promise<boolean> {
    try {
      const key = this.#keys.findRemembered(secret) ?? (await this.#keys.find(secret, this.#newAddress()));
      if (key === undefined) throw new Error('unknown key');
      const { isAllowed } =
        this.quota.spendAtOnce(key.id, key.allowance, nowMs) ?? (await this.quota.spend(key.id, key.allowance, nowMs));
      this.served[isAllowed ? 'admitted' : 'refused']++;
      return isAllowed;
    } catch {
      this.served.failed++;
      return false;
    }
  }

  /** Each from another client: secrets that one address tries are throttled. */
  #newAddress(): string {
    const number = ++this.#clients;
    return `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await this.quota.close().catch(() => {});
    this.#keys.close();
  }
}

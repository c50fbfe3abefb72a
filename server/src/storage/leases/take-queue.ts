/**
 * Leases of many keys in one statement. One statement is under way at a time, and what is asked for meanwhile goes into
 * the next: the busier storage is, the more leases each statement and each sync to disk pays for.
 */
import type { Grant, LeaseTake } from './lease-changes.ts';

/** Bounds how long a statement holds its locks. */
const MAX_BATCH = 250;

type Waiter = {
  readonly take: LeaseTake;
  readonly resolve: (grant: Grant) => void;
  readonly reject: (error: unknown) => void;
};

export class TakeQueue {
  readonly #takeAll: (takes: readonly LeaseTake[]) => Promise<readonly Grant[]>;
  #waiting: Waiter[] = [];
  #isRunning = false;

  constructor(takeAll: (takes: readonly LeaseTake[]) => Promise<readonly Grant[]>) {
    this.#takeAll = takeAll;
  }

  add(take: LeaseTake): Promise<Grant> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ take, resolve, reject });
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      const batch = this.#nextBatch();
      try {
        const grants = await this.#takeAll(batch.map(({ take }) => take));
        for (const [i, { resolve }] of batch.entries()) resolve(grants[i] as Grant);
      } catch (error) {
        // Those behind would wait as long for the same lock, disk or network.
        for (const { reject } of [...batch, ...this.#waiting]) reject(error);
        this.#waiting = [];
      }
    }
    this.#isRunning = false;
  }

  /** The oldest of each key: a statement cannot change a row twice. */
  #nextBatch(): Waiter[] {
    const batch = new Map<string, Waiter>();
    const later: Waiter[] = [];
    for (const waiter of this.#waiting) {
      if (batch.size < MAX_BATCH && !batch.has(waiter.take.keyId)) batch.set(waiter.take.keyId, waiter);
      else later.push(waiter);
    }
    this.#waiting = later;
    return [...batch.values()];
  }
}

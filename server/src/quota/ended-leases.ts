/** Finished leases whose final counts have not been written yet. */
import type { LeaseStore } from '../storage/leases/lease-store.ts';

type EndedLease = {
  readonly keyId: string;
  readonly day: string;
  readonly owner: string;
  readonly spent: number;
  /** Storage has a row of it: only then can it be ended, and only once. */
  isStored: boolean;
};

export class EndedLeases {
  readonly #store: Pick<LeaseStore, 'take' | 'end'>;
  #leases: EndedLease[] = [];

  constructor(store: Pick<LeaseStore, 'take' | 'end'>) {
    this.#store = store;
  }

  /** Copied, because a balance goes on with another lease. */
  add({ keyId, day, owner, spent, isStored }: EndedLease): void {
    this.#leases.push({ keyId, day, owner, spent, isStored });
  }

  /** What storage refuses is kept for the next time: a lease is never ended twice. */
  async write(): Promise<void> {
    const due = this.#leases;
    this.#leases = [];
    try {
      for (const lease of due.filter(({ isStored }) => !isStored)) {
        await this.#store.take(lease, { wanted: 0, limit: 0, spent: 0, opened: 0, open: 0 });
        lease.isStored = true;
      }
      await this.#store.end(due);
    } catch (error) {
      this.#leases.push(...due);
      throw error;
    }
  }
}

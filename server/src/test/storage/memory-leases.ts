/** Leases as the engines keep them, in memory: for tests that try thousands of schedules. */
import type { DayOfKey, LeaseName } from '../../storage/leases/lease-changes.ts';
import type { LeaseStore, Recall } from '../../storage/leases/lease-store.ts';

type Lease = LeaseName & { granted: number; opened: number; spent: number; isExpired: boolean };

const dayName = ({ keyId, day }: DayOfKey) => `${keyId} ${day}`;
const leaseName = ({ keyId, day, owner }: LeaseName) => `${keyId} ${day} ${owner}`;

export class MemoryLeases implements LeaseStore {
  readonly granted = new Map<string, number>();
  readonly leases = new Map<string, Lease>();
  readonly #recalls: Recall[] = [];

  /**
   * Time passes: these owners' leases that are not renewed or used from now on are past their
   * deadline.
   */
  expire(isMeant: (owner: string) => boolean): void {
    for (const lease of this.leases.values()) if (isMeant(lease.owner)) lease.isExpired = true;
  }

  async take(...[name, { wanted, limit, spent, opened, open }]: Parameters<LeaseStore['take']>) {
    const before = this.granted.get(dayName(name)) ?? 0;
    const grant = Math.max(0, Math.min(wanted, limit - before));
    this.granted.set(dayName(name), before + grant);
    const found = this.leases.get(leaseName(name));
    const granted = (found?.granted ?? opened) + grant;
    const lease = {
      keyId: name.keyId,
      day: name.day,
      owner: name.owner,
      granted,
      opened: Math.max(found?.opened ?? 0, Math.min(granted, open)),
      spent,
      isExpired: false,
    };
    this.leases.set(leaseName(name), lease);
    let heldElsewhere = 0;
    for (const other of this.leases.values())
      if (dayName(other) === dayName(name) && other.owner !== name.owner)
        heldElsewhere += other.granted - other.spent;
    return {
      granted,
      opened: lease.opened,
      left: Math.max(0, limit - before - grant),
      heldElsewhere,
    };
  }

  async end(leases: Parameters<LeaseStore['end']>[0]) {
    for (const { spent, ...name } of leases) {
      const lease = this.leases.get(leaseName(name));
      if (lease !== undefined) this.#remove(lease, lease.granted - spent);
    }
  }

  async renew(owners: readonly string[]) {
    for (const lease of this.leases.values())
      if (owners.includes(lease.owner)) lease.isExpired = false;
  }

  async reclaim(of?: DayOfKey) {
    const expired = [...this.leases.values()].filter(
      (lease) => lease.isExpired && (of === undefined || dayName(of) === dayName(lease)),
    );
    for (const lease of expired) this.#remove(lease, lease.granted - lease.opened);
    return expired.length;
  }

  async recall({ keyId, day }: DayOfKey) {
    this.#recalls.push({ keyId, day, number: this.#recalls.length + 1 });
  }

  async recallsSince(number: number) {
    return this.#recalls.slice(number);
  }

  async lastRecall() {
    return this.#recalls.length;
  }

  async takenOn() {
    return this.granted;
  }

  async prune() {
    return 0;
  }

  #remove(lease: Lease, unspent: number): void {
    this.leases.delete(leaseName(lease));
    this.granted.set(dayName(lease), (this.granted.get(dayName(lease)) ?? 0) - unspent);
  }
}

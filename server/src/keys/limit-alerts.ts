/**
 * Audit entries at 80% and 100% of a key's daily limit, once per key, day and threshold. Leases
 * count as taken.
 */

import type { AuditLog } from '../audit/audit-log.ts';
import { dayOfMs } from '../day.ts';
import type { KeyStore } from '../storage/stores/key-store.ts';

const NEAR_PERCENT = 80;
const SERVER = { name: 'server' };

type Reached = {
  readonly day: string;
  readonly percent: number;
  readonly limit: number;
  isWritten: boolean;
};

export class LimitAlerts {
  readonly #keys: KeyStore;
  readonly #audit: AuditLog;
  /** By key, of the last day on which it reached a threshold. */
  readonly #reached = new Map<string, Reached>();

  constructor(keys: KeyStore, audit: AuditLog) {
    this.#keys = keys;
    this.#audit = audit;
  }

  taken(keyId: string, day: string, limit: number, taken: number): void {
    if (taken * 100 < limit * NEAR_PERCENT) return;
    const percent = taken >= limit ? 100 : NEAR_PERCENT;
    const reached = this.#reached.get(keyId);
    if (reached?.day === day && reached.percent >= percent) return;
    this.#reached.set(keyId, { day, percent, limit, isWritten: false });
  }

  /**
   * Writes what has been reached since the last time. What storage refuses is written by a later
   * call.
   */
  async write(now: Date): Promise<void> {
    const today = dayOfMs(now.getTime());
    for (const [keyId, reached] of this.#reached) {
      const { day, percent, limit, isWritten } = reached;
      if (!isWritten && (await this.#keys.markAlert(keyId, day, percent))) {
        // Lookups of an account in the dashboard have a limit too, and no key.
        const key = await this.#keys.find(keyId);
        const action = percent === 100 ? 'key.limit_reached' : 'key.limit_near';
        const details = { limit: `${limit} requests a day`, day };
        if (key !== undefined)
          await this.#audit.record(
            SERVER,
            action,
            { kind: 'key', id: keyId, name: key.name },
            now,
            details,
          );
      }
      reached.isWritten = true;
      if (day < today) this.#reached.delete(keyId);
    }
  }
}

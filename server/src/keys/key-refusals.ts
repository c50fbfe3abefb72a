/**
 * Why requests with a key were refused in the last 24 hours, as the dashboard and the command line
 * show it.
 */
import { HOUR_MS } from '../day.ts';
import type { KeyStore } from '../storage/stores/key-store.ts';
import type { RefusalReason } from '../vocabulary.ts';

const HOURS = 24;

export type KeyRefusal = {
  readonly reason: RefusalReason;
  readonly requests: number;
  readonly last_at: string;
  /** Client address of the last one, or the permission that it lacked. */
  readonly last_detail?: string;
};

/** The reason of the last refusal first. */
export async function refusalsOf(
  store: KeyStore,
  id: string,
  nowMs: number,
): Promise<KeyRefusal[]> {
  const firstHour = Math.floor(nowMs / HOUR_MS) * HOUR_MS - (HOURS - 1) * HOUR_MS;
  const reasons = new Map<RefusalReason, KeyRefusal>();
  for (const { reason, requests, lastAt, detail } of await store.refusalsOf(id, firstHour)) {
    const before = reasons.get(reason);
    reasons.set(reason, {
      reason,
      requests: (before?.requests ?? 0) + requests,
      last_at: lastAt.toISOString(),
      ...(detail === undefined ? {} : { last_detail: detail }),
    });
  }
  return [...reasons.values()].sort((a, b) => (a.last_at < b.last_at ? 1 : -1));
}

// Removes rows that are no longer needed. One process of a deployment does it per hour, in parts,
// so that no write waits long, and only after the clock has advanced steadily for a day, since what
// is removed is gone.

import { firstEntryIdAt } from '../audit/audit-log.ts';
import { DAY_MS, dayBefore, HOUR_MS } from '../day.ts';
import type { Storage } from '../storage/storage.ts';
import { STEADY_HOURS } from '../storage/stores/maintenance-store.ts';
import { KEPT_HOURS } from './traffic.ts';

const INTERVAL_MS = HOUR_MS;
/** More than a year, so that a month can be compared with the same month a year ago. */
export const USAGE_DAYS = 400;
/**
 * A refund goes to the day that was charged, and a clock that is wrong by a day must do no harm.
 */
export const QUOTA_DAYS = 7;
/** How long requests by key and hour are kept. The page of a key shows 24 hours. */
export const KEY_HOURS = 48;
/** Two years: long enough for late questions, without keeping people's addresses for ever. */
export const AUDIT_DAYS = 730;
/** Events of watched domains, after their end. */
const EVENT_DAYS = 400;
/** A process that cannot reach storage for longer may store a batch twice; see `storage/batch`. */
const WRITER_DAYS = 7;
/** What was delivered to channels of alerts. */
const DELIVERY_DAYS = 30;
/** Openings of events, because their ends go to the same channels. */
const OPENING_DAYS = 400;
/** Some tens of milliseconds on the writer. */
const ROWS_PER_PART = 1_000;
/** The rest is removed an hour later. */
const MAX_PARTS = 200;

type Pruned = {
  readonly usage: number;
  readonly quota: number;
  readonly audit: number;
  readonly traffic: number;
  readonly keyHours: number;
  readonly tlsReports: number;
  readonly reports: number;
  readonly events: number;
};

/**
 * Undefined if a process has already done it within the hour, or if the clock has not advanced
 * steadily for a day.
 */
export async function pruneOldRows(
  storage: Storage,
  nowMs: number,
  reportDays: number,
): Promise<Pruned | undefined> {
  const { maintenance, keys, usage, leases, audit, traffic, sessions, links, reports, watch } =
    storage;
  if ((await maintenance.claimPruning(nowMs, INTERVAL_MS)) !== STEADY_HOURS) return undefined;
  await sessions.prune(new Date(nowMs));
  await links.prune(new Date(nowMs));
  await storage.alerts.prune(
    new Date(nowMs - DELIVERY_DAYS * DAY_MS),
    new Date(nowMs - OPENING_DAYS * DAY_MS),
  );
  return {
    quota: await inParts((limit) => leases.prune(dayBefore(nowMs, QUOTA_DAYS), limit)),
    audit: await inParts((limit) =>
      audit.prune(firstEntryIdAt(nowMs - AUDIT_DAYS * DAY_MS), limit),
    ),
    keyHours: await inParts((limit) => keys.pruneHours(nowMs - KEY_HOURS * HOUR_MS, limit)),
    // First: domains without any report are removed with aggregate reports.
    tlsReports: await inParts((limit) =>
      storage.tlsReports.prune(dayBefore(nowMs, reportDays), limit),
    ),
    reports: await inParts((limit) => reports.prune(dayBefore(nowMs, reportDays), limit)),
    events: await inParts((limit) => watch.prune(new Date(nowMs - EVENT_DAYS * DAY_MS), limit)),
    // Last: their database may be unreachable.
    ...(await pruneStatistics()),
  };

  async function pruneStatistics() {
    await maintenance.pruneWriters(nowMs - WRITER_DAYS * DAY_MS);
    return {
      usage: await inParts((limit) => usage.prune(dayBefore(nowMs, USAGE_DAYS), limit)),
      traffic: await traffic.prune(nowMs - KEPT_HOURS * HOUR_MS),
    };
  }
}

async function inParts(prune: (limit: number) => Promise<number>): Promise<number> {
  let sum = 0;
  for (let part = 0; part < MAX_PARTS; part++) {
    const removed = await prune(ROWS_PER_PART);
    sum += removed;
    if (removed === 0) break;
  }
  return sum;
}

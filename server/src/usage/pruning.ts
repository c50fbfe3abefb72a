// Removes rows that are no longer needed. One process of a deployment does it per hour, in parts, so that no write
// waits long, and only after the clock has advanced steadily for a day, since what is removed is gone.
import { firstEntryIdAt } from '../audit/audit-log.ts';
import { dayAt } from '../day.ts';
import type { Storage } from '../storage/storage.ts';
import { STEADY_HOURS } from '../storage/stores/maintenance-store.ts';
import { KEPT_HOURS } from './traffic.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const INTERVAL_MS = HOUR_MS;
/** More than a year, so that a month can be compared with the same month a year ago. */
export const USAGE_DAYS = 400;
/** A refund goes to the day that was charged, and a clock that is wrong by a day must do no harm. */
export const QUOTA_DAYS = 7;
/** Of requests by key. The page of a key shows 24. */
export const KEY_HOURS = 48;
/** Two years: long enough for late questions, without keeping people's addresses for ever. */
export const AUDIT_DAYS = 730;
/** Runs of domain checks. */
export const RUN_DAYS = 30;
/** A process that cannot reach storage for longer may store a batch twice; see `storage/batch`. */
const WRITER_DAYS = 7;
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
  readonly reports: number;
  readonly runs: number;
};

/** Undefined if a process has already done it within the hour, or if the clock has not advanced steadily for a day. */
export async function pruneOldRows(
  { maintenance, keys, usage, leases, audit, traffic, sessions, links, reports, runs }: Storage,
  nowMs: number,
  reportDays: number,
): Promise<Pruned | undefined> {
  if ((await maintenance.claimPruning(nowMs, INTERVAL_MS)) !== STEADY_HOURS) return undefined;
  await sessions.prune(new Date(nowMs));
  await links.prune(new Date(nowMs));
  return {
    quota: await inParts((limit) => leases.prune(dayBefore(nowMs, QUOTA_DAYS), limit)),
    audit: await inParts((limit) => audit.prune(firstEntryIdAt(nowMs - AUDIT_DAYS * DAY_MS), limit)),
    keyHours: await inParts((limit) => keys.pruneHours(nowMs - KEY_HOURS * HOUR_MS, limit)),
    reports: await inParts((limit) => reports.prune(dayBefore(nowMs, reportDays), limit)),
    runs: await runs.prune(new Date(nowMs - RUN_DAYS * DAY_MS)),
    // Last: they may be in a database that is away.
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
    if (removed < ROWS_PER_PART) break;
  }
  return sum;
}

const dayBefore = (nowMs: number, days: number) => dayAt(nowMs - days * DAY_MS).text;

/**
 * Removes rows that no longer serve a purpose: old statistics and audit entries, quotas of days that are over. One
 * process of a deployment does it in an hour, in parts, so that no request waits long for the writer behind it.
 */
import { firstEntryIdAt } from '../audit/audit-log.ts';
import { dayAt } from '../quota/day.ts';
import type { Storage } from '../storage/storage.ts';

const DAY_MS = 86_400_000;
const INTERVAL_MS = 3_600_000;
/** More than a year, so that a month can be compared with the same month a year ago. */
export const USAGE_DAYS = 400;
/** A request is given back to the day it was taken from; and a clock that was wrong for a day harms nothing. */
export const QUOTA_DAYS = 7;
/** The overview shows two. */
export const NETWORK_DAYS = 7;
/** Two years: what was done is asked about long after, and a log without end holds addresses of people without end. */
export const AUDIT_DAYS = 730;
/** A process that could not reach storage for as long may repeat a batch that was stored; see `storage/batch`. */
const WRITER_DAYS = 7;
/** Some tens of milliseconds on the writer. */
const ROWS_PER_PART = 1_000;
/** What is left is removed an hour later. */
const MAX_PARTS = 200;

export type Pruned = {
  readonly usage: number;
  readonly quota: number;
  readonly audit: number;
  readonly networks: number;
};

/** Undefined when another process has done it within the hour, or this one has. */
export async function pruneOldRows(
  {
    maintenance,
    usage,
    leases,
    audit,
    networks,
  }: Pick<Storage, 'maintenance' | 'usage' | 'leases' | 'audit' | 'networks'>,
  nowMs: number,
): Promise<Pruned | undefined> {
  if (!(await maintenance.claimPruning(nowMs, INTERVAL_MS))) return undefined;
  await maintenance.pruneWriters(nowMs - WRITER_DAYS * DAY_MS);
  return {
    usage: await inParts((limit) => usage.prune(dayBefore(nowMs, USAGE_DAYS), limit)),
    quota: await inParts((limit) => leases.prune(dayBefore(nowMs, QUOTA_DAYS), limit)),
    networks: await inParts((limit) => networks.prune(dayBefore(nowMs, NETWORK_DAYS), limit)),
    audit: await inParts((limit) => audit.prune(firstEntryIdAt(nowMs - AUDIT_DAYS * DAY_MS), limit)),
  };
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

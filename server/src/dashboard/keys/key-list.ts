/**
 * The table of keys: filter, sort, page, as functions of plain data. All keys are read and filtered here: five thousand
 * take milliseconds, and searching in names, masked keys and owners' names at once needs no index in either engine.
 */
import type { Key } from '../../keys/key.ts';
import { type Permission, TIERS, type Tier } from '../../keys/tiers.ts';
import { dayAt } from '../../quota/day.ts';
import type { KeySort, KeyStatus, KeySummary } from '../wire.ts';

export const KEY_STATUSES: readonly KeyStatus[] = ['active', 'revoked'];
export const KEY_SORTS: readonly KeySort[] = ['name', 'created_at', 'last_used_at', 'requests_today'];
export const SPARKLINE_DAYS = 30;

/** What is known beside the keys themselves. */
export type KeyFacts = {
  readonly ownerNames: ReadonlyMap<string, string>;
  /** Requests that count against today's limit. */
  readonly usedToday: ReadonlyMap<string, number>;
  readonly now: Date;
};

export type KeyFilter = {
  readonly q?: string;
  readonly status?: KeyStatus | undefined;
  readonly tier?: Tier | undefined;
  readonly permission?: Permission | undefined;
  readonly owner?: string | undefined;
  readonly sort: KeySort;
  readonly order: 'asc' | 'desc';
};

export function selectKeys(keys: readonly Key[], filter: KeyFilter, facts: KeyFacts): Key[] {
  const { q = '', status, tier, permission, owner, sort, order } = filter;
  const wanted = q.trim().toLowerCase();
  const selected = keys.filter(
    (key) =>
      (status === undefined || statusOf(key) === status) &&
      (tier === undefined || key.tier === tier) &&
      (permission === undefined || key.permissions.includes(permission)) &&
      (owner === undefined || key.ownerId === owner) &&
      (wanted === '' || textOf(key, facts).includes(wanted)),
  );
  const sign = order === 'asc' ? 1 : -1;
  // The id decides between equals, so that pages do not overlap.
  return selected.sort((a, b) => sign * compare(a, b, sort, facts) || (a.id < b.id ? -1 : 1));
}

/** Made once: `localeCompare` with options makes one per comparison, which takes a second for five thousand names. */
const byName = new Intl.Collator('en', { sensitivity: 'base', numeric: true });

function compare(a: Key, b: Key, sort: KeySort, { usedToday }: KeyFacts): number {
  if (sort === 'name') return byName.compare(a.name, b.name);
  if (sort === 'created_at') return a.createdAt.getTime() - b.createdAt.getTime();
  if (sort === 'last_used_at') return (a.lastUsedAt?.getTime() ?? 0) - (b.lastUsedAt?.getTime() ?? 0);
  return (usedToday.get(a.id) ?? 0) - (usedToday.get(b.id) ?? 0);
}

/** A pasted key finds its own row: the masked form keeps its first and last characters. */
function textOf({ id, name, masked, ownerId }: Key, { ownerNames }: KeyFacts): string {
  const [head = '', tail = ''] = masked.split('…');
  return `${name}\n${masked}\n${head} ${tail}\n${id}\n${ownerNames.get(ownerId ?? '') ?? ''}`.toLowerCase();
}

export function statusOf({ revokedAt }: Key): KeyStatus {
  return revokedAt === undefined ? 'active' : 'revoked';
}

export function describeKeys(
  keys: readonly Key[],
  facts: KeyFacts & {
    /** Requests by key, oldest day first. */
    readonly byDay: ReadonlyMap<string, number[]>;
    /** By the id of the key that is replaced. */
    readonly successors: ReadonlyMap<string, string>;
  },
): KeySummary[] {
  const resetsAt = new Date(dayAt(facts.now.getTime()).endMs).toISOString();
  return keys.map((key) => {
    const { requestsPerDay } = TIERS[key.tier];
    const successor = facts.successors.get(key.id);
    return {
      id: key.id,
      name: key.name,
      masked: key.masked,
      status: statusOf(key),
      tier: key.tier,
      permissions: [...key.permissions],
      created_at: key.createdAt.toISOString(),
      quota: {
        used: facts.usedToday.get(key.id) ?? 0,
        limit: Number.isFinite(requestsPerDay) ? requestsPerDay : null,
        resets_at: resetsAt,
      },
      requests_by_day: facts.byDay.get(key.id) ?? new Array<number>(SPARKLINE_DAYS).fill(0),
      ...(key.ownerId === undefined
        ? {}
        : { owner: { id: key.ownerId, name: facts.ownerNames.get(key.ownerId) ?? key.ownerId } }),
      ...(key.firstUse === undefined ? {} : { first_use: { ...key.firstUse, at: key.firstUse.at.toISOString() } }),
      ...(key.lastUsedAt === undefined ? {} : { last_used_at: key.lastUsedAt.toISOString() }),
      ...(key.revokedAt === undefined ? {} : { revoked_at: key.revokedAt.toISOString() }),
      ...(key.revokedBy === undefined ? {} : { revoked_by: key.revokedBy }),
      ...(key.refused === undefined
        ? {}
        : { refused: { requests: key.refused.requests, last_at: key.refused.lastAt.toISOString() } }),
      ...(key.predecessorId === undefined ? {} : { predecessor_id: key.predecessorId }),
      ...(successor === undefined ? {} : { successor_id: successor }),
    };
  });
}

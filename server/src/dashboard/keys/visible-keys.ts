/** Keys as an account sees them: administrators see all keys, others their own. */

import type { Account } from '../../accounts/account.ts';
import { dayAt, HOUR_MS } from '../../day.ts';
import { describeKey, fromStored, type Key, stateOf } from '../../keys/key.ts';
import { type KeyFilter, listKeys } from '../../keys/key-list.ts';
import { present } from '../../present.ts';
import type { Storage } from '../../storage/storage.ts';
import type { KeyPosition } from '../../storage/stores/key-list-store.ts';
import type { Refused } from '../../storage/stores/key-store.ts';
import { usageIdOf } from '../../usage-ids.ts';
import { DashboardRefusal } from '../requests/refusal.ts';
import type { KeySummary } from '../wire/keys.ts';

const HOURS = 24;

/** What this process holds of a key's day and has not spent. */
export type HeldQuota = { unspentOf(keyId: string, day: string): number };

export class VisibleKeys {
  readonly #storage: Storage;
  readonly #quota: HeldQuota;

  constructor(storage: Storage, quota: HeldQuota) {
    this.#storage = storage;
    this.#quota = quota;
  }

  /** A page of the keys that the filter selects; of others than administrators, only their own. */
  async page(account: Account, filter: KeyFilter, now: Date) {
    const isOthers = account.role !== 'admin' && (filter.ownerId ?? account.id) !== account.id;
    if (isOthers) return { keys: [], total: 0 };
    const ownerId = account.role === 'admin' ? filter.ownerId : account.id;
    const { keys, total, next } = await listKeys(
      this.#storage.keyList,
      { ...filter, ownerId },
      now,
    );
    return {
      keys: await this.describe(keys, now),
      total,
      ...present({ next_after: next && formatPosition(next) }),
    };
  }

  /** Refused alike whether there is no such key or it belongs to another account. */
  async find(account: Account, id: string): Promise<Key> {
    const stored = await this.#storage.keys.find(id);
    const key = stored && fromStored(stored);
    if (key === undefined || !mayManage(account, key)) throw new DashboardRefusal('NOT_FOUND');
    return key;
  }

  /** Those of the ids that exist and that the account may see. */
  async findAll(account: Account, ids: readonly string[]): Promise<Key[]> {
    const keys = (await this.#storage.keys.findAll(ids)).map(fromStored);
    return keys.filter((key) => key !== undefined).filter((key) => mayManage(account, key));
  }

  /** The key that this one replaces, and the one that replaces it. */
  async rotationOf(account: Account, key: Key): Promise<{ predecessor?: Key; successor?: Key }> {
    const [predecessor] =
      key.predecessorId === undefined ? [] : await this.findAll(account, [key.predecessorId]);
    const [next] = await this.#storage.keys.successorsOf([key.id]);
    const successor = next && fromStored(next);
    return present({
      predecessor,
      successor: successor && mayManage(account, successor) ? successor : undefined,
    });
  }

  /** Whose usage the account may see; undefined for all. */
  async usageIds(account: Account): Promise<string[] | undefined> {
    if (account.role === 'admin') return undefined;
    return [usageIdOf(account.id), ...(await this.#storage.keys.idsOf(account.id))];
  }

  async describe(keys: readonly Key[], now: Date): Promise<KeySummary[]> {
    if (keys.length === 0) return [];
    const { text: today, endMs } = dayAt(now.getTime());
    const ids = keys.map(({ id }) => id);
    const owners = new Set(keys.map(({ ownerId }) => ownerId).filter((id) => id !== undefined));
    const unlimited = keys
      .filter(({ allowance }) => !Number.isFinite(allowance.limit))
      .map(({ id }) => id);
    // Read before what was taken: a lease that is taken meanwhile then counts as used, as it does
    // for other processes, and never as less than nothing.
    const unspent = new Map(ids.map((id) => [id, this.#quota.unspentOf(id, today)]));
    const [names, taken, successors, sums, byHour] = await Promise.all([
      this.#storage.accounts.names([...owners]),
      this.#storage.leases.takenOn(today, ids),
      this.#storage.keys.successorsOf(ids),
      this.#storage.usage.sums({ from: today, to: today, keyIds: unlimited }, 'key'),
      this.#requestsByHour(ids, now),
    ]);
    const counted = new Map(sums.map(({ group, requests }) => [group, requests]));
    const successorIds = new Map(successors.map(({ id, predecessorId }) => [predecessorId, id]));
    return keys.map((key) => {
      const isLimited = Number.isFinite(key.allowance.limit);
      // As `X-RateLimit-Remaining` of this process says. A key without a limit takes no lease.
      const used = isLimited
        ? Math.max(0, (taken.get(key.id) ?? 0) - (unspent.get(key.id) ?? 0))
        : (counted.get(key.id) ?? 0);
      const limit = isLimited ? key.allowance.limit : null;
      return {
        ...summarize(key, now),
        quota: { used, limit, resets_at: new Date(endMs).toISOString() },
        requests_by_hour: byHour.get(key.id) ?? new Array<number>(HOURS).fill(0),
        ...present({
          owner:
            key.ownerId === undefined
              ? undefined
              : { id: key.ownerId, name: names.get(key.ownerId) ?? key.ownerId },
          successor_id: successorIds.get(key.id),
        }),
      };
    });
  }

  /** Requests of the last 24 hours, the oldest first; the last one is the current hour. */
  async #requestsByHour(keyIds: readonly string[], now: Date): Promise<Map<string, number[]>> {
    const first = (Math.floor(now.getTime() / HOUR_MS) - HOURS + 1) * HOUR_MS;
    const byHour = new Map<string, number[]>();
    for (const { keyId, hour, requests } of await this.#storage.keys.hoursOf(keyIds, first)) {
      const counts = byHour.get(keyId) ?? new Array<number>(HOURS).fill(0);
      counts[(hour - first) / HOUR_MS] = requests;
      byHour.set(keyId, counts);
    }
    return byHour;
  }
}

function summarize(
  key: Key,
  now: Date,
): Omit<KeySummary, 'quota' | 'requests_by_hour' | 'owner' | 'successor_id'> {
  const { tier, permissions, firstUse, revokedAt, refused, predecessorId } = key;
  return {
    ...describeKey(key),
    status: revokedAt === undefined ? 'active' : 'revoked',
    state: stateOf(key, now),
    tier,
    permissions: [...permissions],
    ...present({
      first_use: firstUse && { ...firstUse, at: firstUse.at.toISOString() },
      refused: refused && describeRefused(refused),
      predecessor_id: predecessorId,
    }),
  };
}

function describeRefused({ requests, lastAt, lastFrom }: Refused) {
  return { requests, last_at: lastAt.toISOString(), ...present({ last_from: lastFrom }) };
}

function mayManage({ id, role }: Account, { ownerId }: Key): boolean {
  return role === 'admin' || ownerId === id;
}

const formatPosition = ({ value, id }: KeyPosition) =>
  Buffer.from(JSON.stringify([value, id])).toString('base64url');

/** Undefined for a text that is not `next_after` of a page with this order. */
export function parsePosition(text: string, type: 'string' | 'number'): KeyPosition | undefined {
  try {
    const [value, id, ...rest] = JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown[];
    const valueType: string = typeof value;
    if (valueType !== type || typeof id !== 'string' || rest.length > 0) return undefined;
    return { value: value as string | number, id };
  } catch {
    return undefined;
  }
}

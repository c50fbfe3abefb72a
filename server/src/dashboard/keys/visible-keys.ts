/** The keys that an account may see, with what the table shows of them: administrators see all, others their own. */
import type { Account } from '../../accounts/account.ts';
import type { Accounts } from '../../accounts/accounts.ts';
import { fromStored, type Key } from '../../keys/key.ts';
import { TIERS } from '../../keys/tiers.ts';
import { dayAt } from '../../quota/day.ts';
import type { Storage } from '../../storage/storage.ts';
import { usageIdOf } from '../look-up/lookup-limits.ts';
import { DashboardRefusal } from '../requests/refusal.ts';
import { dayBefore } from '../usage/day-range.ts';
import type { KeySummary } from '../wire.ts';
import { describeKeys, type KeyFacts, SPARKLINE_DAYS } from './key-list.ts';

export class VisibleKeys {
  readonly #storage: Storage;
  readonly #accounts: Accounts;

  constructor(storage: Storage, accounts: Accounts) {
    this.#storage = storage;
    this.#accounts = accounts;
  }

  async list(account: Account): Promise<Key[]> {
    const keys: Key[] = [];
    for (const stored of await this.#storage.keys.list()) {
      const key = fromStored(stored);
      if (key !== undefined && mayManage(account, key)) keys.push(key);
    }
    return keys;
  }

  /** Refused alike whether there is no such key or it belongs to another account. */
  async find(account: Account, id: string): Promise<Key> {
    const stored = await this.#storage.keys.find(id);
    const key = stored && fromStored(stored);
    if (key === undefined || !mayManage(account, key)) throw new DashboardRefusal('NOT_FOUND');
    return key;
  }

  /** Whose usage the account may see; undefined for all. */
  async usageIds(account: Account): Promise<string[] | undefined> {
    if (account.role === 'admin') return undefined;
    return [usageIdOf(account.id), ...(await this.list(account)).map(({ id }) => id)];
  }

  async facts(keys: readonly Key[], now: Date): Promise<KeyFacts> {
    const { text: today } = dayAt(now.getTime());
    const [people, taken, used] = await Promise.all([
      this.#accounts.list(),
      this.#storage.leases.takenOn(today),
      this.#storage.usage.sums({ from: today, to: today }, 'key'),
    ]);
    const requests = new Map(used.map(({ group, requests: count }) => [group, count]));
    const usedToday = new Map(
      keys.map(({ id, tier }) => {
        const counted = requests.get(id) ?? 0;
        // A lease is taken before it is spent, and statistics also count refused requests: what was used is in both. A
        // key without a limit takes no lease.
        return [id, TIERS[tier].lease === 0 ? counted : Math.min(counted, taken.get(id) ?? 0)];
      }),
    );
    return { ownerNames: new Map(people.map(({ id, name }) => [id, name])), usedToday, now };
  }

  /** `all` are the keys among which successors are looked for. */
  async describe(keys: readonly Key[], all: readonly Key[], facts: KeyFacts): Promise<KeySummary[]> {
    const successors = new Map<string, string>();
    for (const { id, predecessorId } of all) if (predecessorId !== undefined) successors.set(predecessorId, id);
    return describeKeys(keys, { ...facts, byDay: await this.#byDay(keys, facts.now), successors });
  }

  async #byDay(keys: readonly Key[], now: Date): Promise<Map<string, number[]>> {
    const from = dayBefore(now, SPARKLINE_DAYS - 1);
    const range = { from, to: dayBefore(now, 0), keyIds: keys.map(({ id }) => id) };
    const byDay = new Map<string, number[]>();
    for (const { day, group, requests } of await this.#storage.usage.sums(range, 'key')) {
      const counts = byDay.get(group) ?? new Array<number>(SPARKLINE_DAYS).fill(0);
      counts[Math.round((Date.parse(day) - Date.parse(from)) / 86_400_000)] = requests;
      byDay.set(group, counts);
    }
    return byDay;
  }
}

function mayManage({ id, role }: Account, { ownerId }: Key): boolean {
  return role === 'admin' || ownerId === id;
}

/**
 * Counts requests against the daily limit of a key, exactly: a request is counted before it is answered, and no schedule of
 * requests, processes and crashes admits one more than the limit. A process takes leases from storage and spends them in
 * memory; a lease is subtracted from the day before it is spent, so one that is lost in a crash is lost, never granted twice.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { MaybePromise } from '../storage/storage.ts';

export type LeaseStore = {
  /** Subtracts up to `wanted` from what is left of the day and says how many it was, and how many are left after it. */
  take(keyId: string, day: string, wanted: number, limit: number): MaybePromise<{ granted: number; left: number }>;
  giveBack(keyId: string, day: string, unspent: number): MaybePromise<void>;
  /** Asks all other processes to give back what they hold of the key's day. */
  recall(keyId: string): MaybePromise<void>;
  /** Keys that others have recalled since this was last asked. */
  recalled(): MaybePromise<readonly string[]>;
};

export type Allowance = { readonly limit: number; readonly lease: number };

/** `remaining` may lag by what other processes hold on lease. */
export type Spent = { readonly isAllowed: boolean; readonly remaining: number; readonly resetSeconds: number };

/** What the headers say of a key without a limit. */
export const UNLIMITED = 2147483647;

const DAY_MS = 86_400_000;
const IDLE_MS = 2_000;
/** By then every other process has heard of a recall and answered it, several times over. */
const RECALL_MS = 250;
/** A key that is used up asks storage again only so often: another process may have given a lease back. */
const RETRY_MS = 100;

type Account = {
  readonly day: string;
  unspent: number;
  left: number;
  lastSpentMs: number;
  /** Waiting for what other processes hold, when the day seems to be used up for the first time. */
  recall: Promise<void> | undefined;
  isUsedUp: boolean;
  emptyUntilMs: number;
};

export class Quota {
  readonly #store: LeaseStore;
  readonly #isShared: boolean;
  readonly #accounts = new Map<string, Account>();
  #dayStartMs = 0;
  #day = '';

  /** `isShared`: other processes take leases from the same store. */
  constructor(store: LeaseStore, isShared: boolean) {
    this.#store = store;
    this.#isShared = isShared;
  }

  /** Leases held and not spent, for the metrics. */
  get unspent(): number {
    let sum = 0;
    for (const account of this.#accounts.values()) sum += account.unspent;
    return sum;
  }

  spend(keyId: string, allowance: Allowance, nowMs: number): MaybePromise<Spent> {
    const spent = this.spendAtOnce(keyId, allowance, nowMs);
    if (spent !== undefined) return spent;
    const { limit, lease } = allowance;
    const resetSeconds = this.#moveTo(nowMs);
    const account = this.#account(keyId, limit);
    account.lastSpentMs = nowMs;
    const refused = { isAllowed: false, remaining: 0, resetSeconds };
    if (nowMs < account.emptyUntilMs) return refused;
    const take = (): MaybePromise<Spent> => {
      // At most a sixteenth of what is left: near the end one at a time.
      const wanted = Math.max(1, Math.min(lease, Math.floor(account.left / 16)));
      const taken = this.#store.take(keyId, account.day, wanted, limit);
      return taken instanceof Promise ? taken.then(settle) : settle(taken);
    };
    const settle = ({ granted, left }: { granted: number; left: number }): MaybePromise<Spent> => {
      account.left = left;
      if (granted > 0) {
        account.isUsedUp = false;
        account.unspent += granted - 1;
        return { isAllowed: true, remaining: left + account.unspent, resetSeconds };
      }
      if (this.#isShared && !account.isUsedUp) return this.#recall(keyId, account).then(take);
      account.isUsedUp = true;
      account.emptyUntilMs = nowMs + RETRY_MS;
      return refused;
    };
    return take();
  }

  /** A refusal would be wrong as long as another process holds a part of the day and does not use it. Once for all who ask. */
  async #recall(keyId: string, account: Account): Promise<void> {
    account.recall ??= (async () => {
      await this.#store.recall(keyId);
      await sleep(RECALL_MS);
      account.isUsedUp = true;
      account.recall = undefined;
    })();
    await account.recall;
  }

  /** Whether a request could be counted without asking storage. */
  canSpendAtOnce(keyId: string, { limit }: Allowance, nowMs: number): boolean {
    this.#moveTo(nowMs);
    if (limit === Number.POSITIVE_INFINITY) return true;
    const account = this.#accounts.get(keyId);
    return account !== undefined && account.day === this.#day && account.unspent > 0;
  }

  /** Spends only what is already leased; undefined where storage would have to be asked. */
  spendAtOnce(keyId: string, allowance: Allowance, nowMs: number): Spent | undefined {
    if (!this.canSpendAtOnce(keyId, allowance, nowMs)) return undefined;
    const resetSeconds = this.#moveTo(nowMs);
    const account = this.#accounts.get(keyId);
    if (account === undefined || allowance.limit === Number.POSITIVE_INFINITY) {
      return { isAllowed: true, remaining: UNLIMITED, resetSeconds };
    }
    account.lastSpentMs = nowMs;
    account.unspent--;
    return { isAllowed: true, remaining: account.left + account.unspent, resetSeconds };
  }

  /** Undoes a `spend` of the same day: a request that failed through our fault does not count. Returns what remains. */
  refund(keyId: string): number | undefined {
    const account = this.#accounts.get(keyId);
    if (account === undefined || account.day !== this.#day) return undefined;
    account.unspent++;
    return account.left + account.unspent;
  }

  /** Gives back what keys that have gone quiet hold. */
  async giveBackIdle(nowMs: number): Promise<void> {
    await this.#giveBack((account) => nowMs - account.lastSpentMs >= IDLE_MS);
  }

  /** Gives back what other processes ask for. To be called several times while a recall lasts. */
  async giveBackRecalled(): Promise<void> {
    if (!this.#isShared) return;
    for (const keyId of await this.#store.recalled()) {
      const account = this.#accounts.get(keyId);
      if (account === undefined || account.unspent === 0) continue;
      const { unspent } = account;
      account.unspent = 0;
      await this.#store.giveBack(keyId, account.day, unspent);
    }
  }

  async close(): Promise<void> {
    await this.#giveBack(() => true);
  }

  async #giveBack(isDue: (account: Account) => boolean): Promise<void> {
    for (const [keyId, account] of this.#accounts) {
      if (!isDue(account)) continue;
      this.#accounts.delete(keyId);
      if (account.unspent > 0) await this.#store.giveBack(keyId, account.day, account.unspent);
    }
  }

  #account(keyId: string, limit: number): Account {
    let account = this.#accounts.get(keyId);
    if (account === undefined || account.day !== this.#day) {
      account = {
        day: this.#day,
        unspent: 0,
        left: limit,
        lastSpentMs: 0,
        recall: undefined,
        isUsedUp: false,
        emptyUntilMs: 0,
      };
      this.#accounts.set(keyId, account);
    }
    return account;
  }

  /** Windows are UTC days. Returns the end of the present one, in seconds. */
  #moveTo(nowMs: number): number {
    if (nowMs - this.#dayStartMs >= DAY_MS || nowMs < this.#dayStartMs) {
      this.#dayStartMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
      this.#day = new Date(nowMs).toISOString().slice(0, 10);
    }
    return (this.#dayStartMs + DAY_MS) / 1000;
  }
}

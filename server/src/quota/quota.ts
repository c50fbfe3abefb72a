/**
 * Counts requests against the daily limit of a key, exactly: a request is counted before it is answered, and no
 * schedule of requests, processes and crashes admits one more than the limit. A process takes leases from storage and
 * spends them in memory; a lease is subtracted from the day before it is spent, so one that is lost in a crash is lost,
 * never granted twice.
 *
 * A lease belongs to the day it was taken from, and what is returned goes to that day, whatever day it is by then.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { LeaseStore } from '../storage/lease-store.ts';
import { type Day, dayAt } from './day.ts';

export type Allowance = { readonly limit: number; readonly lease: number };

/** `remaining` may lag by what other processes hold on lease. */
export type Spent = {
  readonly isAllowed: boolean;
  readonly remaining: number;
  readonly resetSeconds: number;
  /** The day that was charged; absent for a key without a limit and for a refusal. */
  readonly chargedDay?: string;
};

/** What the headers say of a key without a limit. */
export const UNLIMITED = 2147483647;

const IDLE_MS = 2_000;
/** A process answers a recall when it next looks for one; this is several times that. */
const RECALL_WAIT_MS = 500;
const RECALL_RETRY_MS = 50;
/** A key that is used up asks storage again only so often: another process may have returned a lease. */
const RETRY_MS = 100;

/** What this process holds of one key's day. */
type Account = {
  readonly keyId: string;
  readonly day: string;
  unspent: number;
  /** Spent since storage was last told. */
  spent: number;
  /** Of the day, as of the last lease. */
  left: number;
  lastSpentMs: number;
  /** Requests that wait for the lease being taken. */
  waiting: number;
  taking: Promise<void> | undefined;
  /** Refused until then, on the monotonic clock, without asking storage. */
  emptyUntilMs: number;
  /** Other processes were asked to return what they hold, and had the time to do so. */
  wasRecalled: boolean;
};

export class Quota {
  readonly #store: LeaseStore;
  /** The accounts of the present day. */
  readonly #accounts = new Map<string, Account>();
  /**
   * Accounts of other days and of keys gone idle, and refunds that came after them: what is still to be told to
   * storage.
   */
  #unsettled: Pick<Account, 'keyId' | 'day' | 'spent' | 'unspent'>[] = [];
  #day: Day = dayAt(0);
  #seenRecall: number | undefined;

  constructor(store: LeaseStore) {
    this.#store = store;
  }

  /** Leases held and not spent, for the metrics. */
  get unspent(): number {
    let sum = 0;
    for (const { unspent } of this.#accounts.values()) sum += unspent;
    return sum;
  }

  /** Spends only what is already leased; undefined where storage would have to be asked. */
  spendAtOnce(keyId: string, { limit }: Allowance, nowMs: number): Spent | undefined {
    const { endSeconds: resetSeconds } = this.#moveTo(nowMs);
    if (limit === Number.POSITIVE_INFINITY) return { isAllowed: true, remaining: UNLIMITED, resetSeconds };
    const account = this.#accounts.get(keyId);
    if (account === undefined || account.unspent <= 0) return undefined;
    return spendFrom(account, nowMs, resetSeconds);
  }

  async spend(keyId: string, allowance: Allowance, nowMs: number): Promise<Spent> {
    const spent = this.spendAtOnce(keyId, allowance, nowMs);
    if (spent !== undefined) return spent;
    const { endSeconds: resetSeconds } = this.#day;
    const account = this.#account(keyId, allowance.limit);
    account.lastSpentMs = nowMs;
    account.waiting++;
    try {
      while (account.unspent <= 0) {
        if (performance.now() < account.emptyUntilMs) {
          return { isAllowed: false, remaining: 0, resetSeconds };
        }
        account.taking ??= this.#take(account, allowance).finally(() => {
          account.taking = undefined;
        });
        await account.taking;
      }
      return spendFrom(account, nowMs, resetSeconds);
    } finally {
      account.waiting--;
      // The day has changed meanwhile: the rest of the lease goes back to the day it is from.
      if (account.waiting === 0 && this.#accounts.get(keyId) !== account) this.#release(account);
    }
  }

  /**
   * Undoes a `spend` of that day: a request that failed through our fault does not count. Returns what remains, if
   * known.
   */
  refund(keyId: string, day: string): number | undefined {
    const account = this.#accounts.get(keyId);
    if (account?.day === day) {
      account.unspent++;
      account.spent--;
      return account.left + account.unspent;
    }
    this.#unsettled.push({ keyId, day, spent: -1, unspent: 1 });
    return undefined;
  }

  /** Returns what keys that have gone idle hold, and what is left of other days. */
  async settleIdle(nowMs: number): Promise<void> {
    this.#moveTo(nowMs);
    this.#closeAccounts((account) => nowMs - account.lastSpentMs >= IDLE_MS);
    await this.#settle();
  }

  /** Returns what other processes ask for. To be called several times while a recall is waited for. */
  async answerRecalls(): Promise<void> {
    if (this.#seenRecall === undefined) {
      this.#seenRecall = await this.#store.lastRecall();
      return;
    }
    if (this.unspent === 0) return;
    const recalls = await this.#store.recallsSince(this.#seenRecall);
    for (const { number, keyId, day } of recalls) {
      this.#seenRecall = number;
      const account = this.#accounts.get(keyId);
      if (account?.day === day) this.#release(account);
    }
    await this.#settle();
  }

  async close(): Promise<void> {
    this.#closeAccounts(() => true);
    await this.#settle();
  }

  /** Leaves a lease in the account, or marks it as used up. */
  async #take(account: Account, { limit, lease }: Allowance): Promise<void> {
    let recalledAtMs = Number.POSITIVE_INFINITY;
    for (;;) {
      // Requests that wait are demand; beyond them at most a sixteenth of what is left, so that near the end no process
      // holds much.
      const wanted = Math.max(account.waiting, 1, Math.min(lease, Math.floor(account.left / 16)));
      const { spent } = account;
      const { granted, left, heldElsewhere } = await this.#store.take(account, { wanted, limit, spent });
      account.spent -= spent;
      account.left = left;
      account.unspent += granted;
      const nowMs = performance.now();
      // A refusal would be wrong as long as another process holds a part of the day and does not use it.
      const isRecallOver = account.wasRecalled || nowMs - recalledAtMs > RECALL_WAIT_MS;
      if (granted > 0 || heldElsewhere <= 0 || isRecallOver) {
        account.wasRecalled = granted === 0 && heldElsewhere > 0;
        if (granted === 0) account.emptyUntilMs = nowMs + RETRY_MS;
        return;
      }
      if (recalledAtMs === Number.POSITIVE_INFINITY) {
        await this.#store.recall(account);
        recalledAtMs = nowMs;
      }
      await sleep(RECALL_RETRY_MS);
    }
  }

  #account(keyId: string, limit: number): Account {
    let account = this.#accounts.get(keyId);
    if (account === undefined) {
      account = {
        keyId,
        day: this.#day.text,
        unspent: 0,
        spent: 0,
        left: limit,
        lastSpentMs: 0,
        waiting: 0,
        taking: undefined,
        emptyUntilMs: 0,
        wasRecalled: false,
      };
      this.#accounts.set(keyId, account);
    }
    return account;
  }

  #closeAccounts(isDue: (account: Account) => boolean): void {
    for (const account of this.#accounts.values()) {
      // A request that waits for a lease would spend from an account that is closed.
      if (account.waiting > 0 || !isDue(account)) continue;
      this.#release(account);
      // A key that is used up would wait for a recall again: what others hold may have been lost with them.
      if (!account.wasRecalled) this.#accounts.delete(account.keyId);
    }
  }

  /** Queues what the account holds for storage and empties it. */
  #release(account: Account): void {
    const { keyId, day, spent, unspent } = account;
    if (spent === 0 && unspent === 0) return;
    this.#unsettled.push({ keyId, day, spent, unspent });
    account.spent = 0;
    account.unspent = 0;
  }

  /** What storage refuses is kept for the next time. */
  async #settle(): Promise<void> {
    const due = this.#unsettled;
    this.#unsettled = [];
    for (let i = 0; i < due.length; i++) {
      const lease = due[i] as (typeof due)[number];
      try {
        await this.#store.settle(lease, lease);
      } catch (error) {
        this.#unsettled.push(...due.slice(i));
        throw error;
      }
    }
  }

  #moveTo(nowMs: number): Day {
    if (nowMs < this.#day.startMs || nowMs >= this.#day.endMs) {
      this.#day = dayAt(nowMs);
      for (const account of this.#accounts.values()) this.#release(account);
      this.#accounts.clear();
    }
    return this.#day;
  }
}

function spendFrom(account: Account, nowMs: number, resetSeconds: number): Spent {
  account.lastSpentMs = nowMs;
  account.unspent--;
  account.spent++;
  return { isAllowed: true, remaining: account.left + account.unspent, resetSeconds, chargedDay: account.day };
}

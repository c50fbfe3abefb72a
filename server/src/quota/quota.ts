// Counts requests against the daily limit of a key, exactly: no schedule of requests, crashes and
// lost answers admits one more. A process takes leases from storage, which subtracts them from the
// day first, and spends them in memory, so a crash loses some but grants none twice (decision
// 0018). What is returned goes to the day it was taken from.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Day, dayAt } from '../day.ts';
import type { LeaseStore } from '../storage/leases/lease-store.ts';
import { StorageUnavailable } from '../storage/storage-unavailable.ts';
import { EndedLeases } from './ended-leases.ts';
import {
  type Allowance,
  type LeaseBalance,
  newBalance,
  openUpTo,
  remainingOf,
  shareOf,
  startLease,
} from './lease-balance.ts';
import { type Spent, UNLIMITED } from './spent.ts';

const IDLE_MS = 2_000;
/** A process answers a recall when it next looks for one; this is several times that. */
const RECALL_WAIT_MS = 500;
/** At first; then longer each time, so that many processes do not queue for the row of one key. */
const RECALL_RETRY_MS = 50;
const MAX_RECALL_RETRY_MS = 200;
/** How often an exhausted key queries storage again: another process may have returned a lease. */
const RETRY_MS = 100;
/** The same where no other process holds any of the day: only a late refund can change that. */
const RETRY_ALONE_MS = 1_000;
type QuotaOptions = {
  /** Names this process; no other process and no earlier one has it. */
  readonly processId?: string;
  /**
   * Whether storage is known not to answer: then what is leased is spent, and nothing is asked of
   * it.
   */
  readonly isStorageDown?: () => boolean;
  /**
   * Called for every lease with what was taken of the key's day so far, what processes hold
   * included.
   */
  readonly onTaken?: (keyId: string, day: string, limit: number, taken: number) => void;
};

export class Quota {
  readonly #store: LeaseStore;
  readonly #processId: string;
  readonly #isStorageDown: () => boolean;
  readonly #onTaken: NonNullable<QuotaOptions['onTaken']>;
  #leases = 0;
  readonly #balances = new Map<string, LeaseBalance>();
  readonly #ended: EndedLeases;
  #day: Day = dayAt(0);
  #seenRecall: number | undefined;

  constructor(store: LeaseStore, options: QuotaOptions = {}) {
    const { processId = randomUUID(), isStorageDown = () => false, onTaken = () => {} } = options;
    this.#store = store;
    this.#ended = new EndedLeases(store);
    this.#processId = processId;
    this.#isStorageDown = isStorageDown;
    this.#onTaken = onTaken;
  }

  /** What is leased and not spent, for the metrics. */
  get unspent(): number {
    let sum = 0;
    for (const { granted, spent } of this.#balances.values()) sum += granted - spent;
    return sum;
  }

  /** The part of it that a crash would lose: what may be spent without asking storage. */
  get open(): number {
    let sum = 0;
    for (const { opened, spent } of this.#balances.values()) sum += opened - spent;
    return sum;
  }

  /** Spends only what is already leased; undefined where storage would have to be asked. */
  spendAtOnce(keyId: string, allowance: Allowance, nowMs: number): Spent | undefined {
    const { endSeconds: resetSeconds } = this.#moveTo(nowMs);
    if (allowance.limit === Number.POSITIVE_INFINITY)
      return { isAllowed: true, remaining: UNLIMITED, resetSeconds };
    const balance = this.#balances.get(keyId);
    if (balance === undefined || balance.spent >= balance.opened) return undefined;
    if (balance.takenUnder !== allowance.limit) return undefined;
    if (balance.spent >= balance.askAheadAt) this.#askAhead(balance);
    return spendFrom(balance, nowMs, resetSeconds);
  }

  /** What this process holds of a key's day and has not spent. */
  unspentOf(keyId: string, day: string): number {
    const balance = this.#balances.get(keyId);
    return balance?.day === day ? balance.granted - balance.spent : 0;
  }

  async spend(keyId: string, allowance: Allowance, nowMs: number): Promise<Spent> {
    const spent = this.spendAtOnce(keyId, allowance, nowMs);
    if (spent !== undefined) return spent;
    const { endSeconds: resetSeconds } = this.#day;
    const balance = this.#balanceOf(keyId, allowance);
    if (balance.allowance.limit !== allowance.limit) this.#changeLimit(balance, allowance);
    balance.lastSpentMs = nowMs;
    balance.waiting++;
    try {
      while (balance.spent >= balance.opened || balance.takenUnder !== balance.allowance.limit) {
        if (performance.now() < balance.emptyUntilMs) {
          return { isAllowed: false, remaining: 0, resetSeconds };
        }
        if (this.#isStorageDown())
          throw new StorageUnavailable('storage does not answer, and the lease is spent');
        balance.taking ??= this.#take(balance).finally(() => {
          balance.taking = undefined;
          balance.isRecalled = false;
        });
        await balance.taking;
      }
      return spendFrom(balance, nowMs, resetSeconds);
    } finally {
      this.#stopWaiting(balance);
    }
  }

  /** What is left of the day as far as this process knows, without spending. */
  peek(keyId: string, { limit }: Allowance, nowMs: number): Spent {
    const { endSeconds: resetSeconds } = this.#moveTo(nowMs);
    if (limit === Number.POSITIVE_INFINITY)
      return { isAllowed: false, remaining: UNLIMITED, resetSeconds };
    const balance = this.#balances.get(keyId);
    const remaining = balance === undefined ? limit : remainingOf(balance);
    return { isAllowed: false, remaining: Math.min(limit, remaining), resetSeconds };
  }

  /** Undoes a `spend` of that day, after a failure of ours. Returns what remains, if known. */
  refund(keyId: string, day: string): number | undefined {
    const balance = this.#balances.get(keyId);
    // Otherwise the lease has ended meanwhile, and its successor has nothing to undo: see below.
    if (balance?.day === day && balance.isStored) {
      balance.spent--;
      return remainingOf(balance);
    }
    this.#ended.add({ keyId, day, owner: this.#newOwner(), spent: -1, isStored: false });
    return undefined;
  }

  /**
   * Ends leases of idle keys and of other days, which returns what they hold. Does nothing while
   * storage is down.
   */
  async endIdle(nowMs: number): Promise<void> {
    this.#moveTo(nowMs);
    if (this.#isStorageDown()) return;
    this.#endLeases((balance) => nowMs - balance.lastSpentMs >= IDLE_MS);
    await this.#ended.write();
  }

  async renewLeases(): Promise<void> {
    if (this.#isStorageDown()) return;
    const owners = [...this.#balances.values()]
      .filter(({ isStored }) => isStored)
      .map(({ owner }) => owner);
    if (owners.length > 0) await this.#store.renew(owners);
    await this.#store.reclaim();
  }

  /**
   * Returns what other processes ask for. To be called several times while a recall is waited for.
   */
  async answerRecalls(): Promise<void> {
    if (this.#isStorageDown()) return;
    if (this.#seenRecall === undefined) {
      this.#seenRecall = await this.#store.lastRecall();
      return;
    }
    if (this.#balances.size === 0) return;
    const recalls = await this.#store.recallsSince(this.#seenRecall);
    for (const { number, keyId, day } of recalls) {
      this.#seenRecall = number;
      const balance = this.#balances.get(keyId);
      if (balance?.day !== day) continue;
      // One that requests wait for is needed: it was asked for after the recall, or they are about
      // to be refused.
      if (balance.taking === undefined) this.#end(balance);
      else balance.isRecalled = true;
    }
    await this.#ended.write();
  }

  /**
   * Another database or an older copy has replaced that of the leases: what was spent is counted,
   * no more is spent.
   */
  leaveReplacedDatabase(): void {
    for (const balance of this.#balances.values()) {
      if (balance.isStored) this.#ended.add({ ...balance, isStored: false });
      startLease(balance, this.#newOwner());
    }
    this.#seenRecall = undefined;
  }

  async close(): Promise<void> {
    await Promise.allSettled(Array.from(this.#balances.values(), ({ taking }) => taking));
    this.#endLeases(() => true);
    await this.#ended.write();
  }

  /**
   * A key that was used up may not be under its new limit. What was taken under the other one is
   * returned by `#ask`.
   */
  #changeLimit(balance: LeaseBalance, allowance: Allowance): void {
    balance.allowance = allowance;
    balance.emptyUntilMs = 0;
    balance.wasRecalled = false;
  }

  /** Leaves a part of a lease open in the balance, or marks it as used up. */
  async #take(balance: LeaseBalance): Promise<void> {
    let recalledAtMs = Number.POSITIVE_INFINITY;
    let retryMs = RECALL_RETRY_MS;
    // Not so if the lease was removed: what was not opened has gone back to the day.
    if (balance.granted > balance.opened && (await this.#ask(balance, 0)).isGranted) return;
    for (;;) {
      const wanted = Math.max(balance.waiting, 1, shareOf(balance));
      const { isGranted, heldElsewhere } = await this.#ask(balance, wanted);
      const nowMs = performance.now();
      // A refusal would be wrong as long as another process holds a part of the day and does not
      // use it.
      const isRecallOver = balance.wasRecalled || nowMs - recalledAtMs > RECALL_WAIT_MS;
      if (isGranted || heldElsewhere <= 0 || isRecallOver) {
        balance.wasRecalled = !isGranted && heldElsewhere > 0;
        if (!isGranted)
          balance.emptyUntilMs = nowMs + (heldElsewhere > 0 ? RETRY_MS : RETRY_ALONE_MS);
        return;
      }
      if (recalledAtMs === Number.POSITIVE_INFINITY) {
        await this.#store.reclaim(balance);
        await this.#store.recall(balance);
        recalledAtMs = nowMs;
      }
      await sleep(retryMs);
      retryMs = Math.min(2 * retryMs, MAX_RECALL_RETRY_MS);
    }
  }

  /**
   * Asks once, so that requests need not wait. What it does not get, the first of them that has to
   * wait asks for.
   */
  #askAhead(balance: LeaseBalance): void {
    balance.askAheadAt = Number.POSITIVE_INFINITY;
    const isAllOpen = balance.granted <= balance.opened;
    const wanted = isAllOpen ? shareOf(balance) : 0;
    // Near the end of a day, what is not needed yet is left to other processes.
    if (balance.taking !== undefined || (isAllOpen && wanted === 0) || this.#isStorageDown())
      return;
    balance.waiting++;
    balance.taking = this.#ask(balance, wanted)
      .then(() => {})
      .finally(() => this.#stopAsking(balance));
    // Requests that wait for it report why they cannot be answered; usually none does.
    balance.taking.catch(() => {});
  }

  #stopAsking(balance: LeaseBalance): void {
    const { isRecalled } = balance;
    balance.taking = undefined;
    balance.isRecalled = false;
    this.#stopWaiting(balance);
    if (isRecalled && balance.waiting === 0) this.#end(balance);
  }

  #stopWaiting(balance: LeaseBalance): void {
    balance.waiting--;
    // The day has changed meanwhile: the rest of the lease goes back to the day it is from.
    if (balance.waiting === 0 && this.#balances.get(balance.keyId) !== balance) this.#end(balance);
  }

  /** Asks for `wanted` more, and to open a further part. */
  async #ask(
    balance: LeaseBalance,
    wanted: number,
  ): Promise<{ isGranted: boolean; heldElsewhere: number }> {
    const { limit } = balance.allowance;
    if (balance.isStored && balance.takenUnder !== limit) {
      this.#end(balance);
      // Before more is taken: the day must have what was returned.
      await this.#ended.write();
      return this.#ask(balance, Math.max(wanted, balance.waiting));
    }
    const { keyId, day, owner, spent, opened } = balance;
    balance.takenUnder = limit;
    balance.isStored = true;
    const request = { wanted, limit, spent, opened, open: openUpTo(balance) };
    const grant = await this.#store.take({ keyId, day, owner }, request);
    // The database was replaced meanwhile, and the lease of this answer was given up; or the limit
    // was changed.
    if (balance.owner !== owner || balance.allowance.limit !== limit)
      return this.#ask(balance, Math.max(wanted, balance.waiting));
    balance.granted = grant.granted;
    balance.opened = grant.opened;
    balance.left = grant.left;
    this.#onTaken(keyId, day, limit, limit - grant.left);
    balance.askAheadAt = grant.opened - Math.ceil((grant.opened - opened) / 4);
    return { isGranted: grant.opened > opened, heldElsewhere: grant.heldElsewhere };
  }

  #balanceOf(keyId: string, allowance: Allowance): LeaseBalance {
    let balance = this.#balances.get(keyId);
    if (balance === undefined) {
      balance = newBalance(keyId, this.#day.text, allowance, this.#newOwner());
      this.#balances.set(keyId, balance);
    }
    return balance;
  }

  #newOwner(): string {
    return `${this.#processId}.${++this.#leases}`;
  }

  #endLeases(isDue: (balance: LeaseBalance) => boolean): void {
    for (const balance of this.#balances.values()) {
      // A request that waits for a lease would spend from a balance that is no longer used.
      if (balance.waiting > 0 || !isDue(balance)) continue;
      this.#end(balance);
      // A key that is used up would wait for a recall again: what others hold may have been lost
      // with them.
      if (!balance.wasRecalled) this.#balances.delete(balance.keyId);
    }
  }

  /** Queues the lease of the balance for storage; what it takes next is another lease. */
  #end(balance: LeaseBalance): void {
    if (!balance.isStored) return;
    this.#ended.add(balance);
    startLease(balance, this.#newOwner());
  }

  #moveTo(nowMs: number): Day {
    if (nowMs < this.#day.startMs || nowMs >= this.#day.endMs) {
      this.#day = dayAt(nowMs);
      // One that requests wait for is ended by the last of them.
      for (const balance of this.#balances.values()) if (balance.waiting === 0) this.#end(balance);
      this.#balances.clear();
    }
    return this.#day;
  }
}

function spendFrom(balance: LeaseBalance, nowMs: number, resetSeconds: number): Spent {
  balance.lastSpentMs = nowMs;
  balance.spent++;
  return {
    isAllowed: true,
    remaining: remainingOf(balance),
    resetSeconds,
    chargedDay: balance.day,
  };
}

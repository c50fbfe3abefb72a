/**
 * Counts requests against the daily limit of a key, exactly: a request is counted before it is answered, and no
 * schedule of requests, processes, crashes and lost answers admits one more than the limit. A process takes leases from
 * storage and spends them in memory; what it may spend is subtracted from the day before it is spent, so what is lost
 * in a crash is lost, never granted twice. Decision 0018 has the argument.
 *
 * A lease belongs to the day it was taken from, and what is returned goes to that day, whatever day it is by then.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LeaseStore } from '../storage/lease-store.ts';
import { StorageUnavailable } from '../storage/storage-unavailable.ts';
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
/** At first; then longer each time, so that many processes do not queue for the row of one key. */
const RECALL_RETRY_MS = 50;
const MAX_RECALL_RETRY_MS = 200;
/** A key that is used up asks storage again only so often: another process may have returned a lease. */
const RETRY_MS = 100;
/** The same where no other process holds any of the day: only a late refund can change that. */
const RETRY_ALONE_MS = 1_000;
/**
 * A lease is opened in parts: this much at first, then as much as was spent of it so far. What a crash loses is at most
 * the part that is open; the rest comes back when the lease expires.
 */
const FIRST_PART = 5;

/** What is still to be told to storage of a lease that this process no longer spends from. */
type EndedLease = {
  readonly keyId: string;
  readonly day: string;
  readonly owner: string;
  readonly spent: number;
  /** Storage has a row of it: only then can it be ended, and only once. */
  isStored: boolean;
};

/** What this process holds of one key's day. Numbers of the lease count from its beginning. */
type Account = {
  readonly keyId: string;
  readonly day: string;
  /** The name of the lease. */
  owner: string;
  granted: number;
  /** Up to where it may be spent. */
  opened: number;
  spent: number;
  /** How much has to be spent for more to be asked for, before requests have to wait for it. */
  askAheadAt: number;
  /** Whether storage may have a row of the lease. */
  isStored: boolean;
  /** Of the day, as of the last lease. */
  left: number;
  lastSpentMs: number;
  /** Requests that wait for the lease being taken, and the question asked ahead of them. */
  waiting: number;
  taking: Promise<void> | undefined;
  /** Refused until then, on the monotonic clock, without asking storage. */
  emptyUntilMs: number;
  /** Other processes were asked to return what they hold, and had the time to do so. */
  wasRecalled: boolean;
  /** Another process has asked for what is left of the lease, while more was being asked for ahead. */
  isRecalled: boolean;
};

export type QuotaOptions = {
  /** Names this process; no other process and no earlier one has it. */
  readonly processId?: string;
  /** Whether storage is known not to answer: then what is leased is spent, and nothing is asked of it. */
  readonly isStorageDown?: () => boolean;
};

export class Quota {
  readonly #store: LeaseStore;
  readonly #processId: string;
  readonly #isStorageDown: () => boolean;
  #leases = 0;
  /** The accounts of the present day. */
  readonly #accounts = new Map<string, Account>();
  #ended: EndedLease[] = [];
  #day: Day = dayAt(0);
  #seenRecall: number | undefined;

  constructor(store: LeaseStore, { processId = randomUUID(), isStorageDown = () => false }: QuotaOptions = {}) {
    this.#store = store;
    this.#processId = processId;
    this.#isStorageDown = isStorageDown;
  }

  /** What is leased and not spent, for the metrics. */
  get unspent(): number {
    let sum = 0;
    for (const { granted, spent } of this.#accounts.values()) sum += granted - spent;
    return sum;
  }

  /** The part of it that a crash would lose: what may be spent without a word to storage. */
  get open(): number {
    let sum = 0;
    for (const { opened, spent } of this.#accounts.values()) sum += opened - spent;
    return sum;
  }

  /** Spends only what is already leased; undefined where storage would have to be asked. */
  spendAtOnce(keyId: string, allowance: Allowance, nowMs: number): Spent | undefined {
    const { endSeconds: resetSeconds } = this.#moveTo(nowMs);
    if (allowance.limit === Number.POSITIVE_INFINITY) return { isAllowed: true, remaining: UNLIMITED, resetSeconds };
    const account = this.#accounts.get(keyId);
    if (account === undefined || account.spent >= account.opened) return undefined;
    if (account.spent >= account.askAheadAt) this.#askAhead(account, allowance);
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
      while (account.spent >= account.opened) {
        if (performance.now() < account.emptyUntilMs) {
          return { isAllowed: false, remaining: 0, resetSeconds };
        }
        if (this.#isStorageDown()) throw new StorageUnavailable('storage does not answer, and the lease is spent');
        account.taking ??= this.#take(account, allowance).finally(() => {
          account.taking = undefined;
          account.isRecalled = false;
        });
        await account.taking;
      }
      return spendFrom(account, nowMs, resetSeconds);
    } finally {
      this.#stopWaiting(account);
    }
  }

  /**
   * Undoes a `spend` of that day: a request that failed through our fault does not count. Returns what remains, if
   * known.
   */
  refund(keyId: string, day: string): number | undefined {
    const account = this.#accounts.get(keyId);
    // Of a lease that has ended meanwhile, and whose successor has nothing to undo: see below.
    if (account?.day === day && account.isStored) {
      account.spent--;
      return account.left + account.granted - account.spent;
    }
    this.#ended.push({ keyId, day, owner: this.#newOwner(), spent: -1, isStored: false });
    return undefined;
  }

  /** Returns what keys that have gone idle hold, and what is left of other days. While storage is down, nothing. */
  async settleIdle(nowMs: number): Promise<void> {
    this.#moveTo(nowMs);
    if (this.#isStorageDown()) return;
    this.#closeAccounts((account) => nowMs - account.lastSpentMs >= IDLE_MS);
    await this.#settle();
  }

  /** Tells storage that this process lives, and takes back what others hold that do not. */
  async renewLeases(): Promise<void> {
    if (this.#isStorageDown()) return;
    const owners = [...this.#accounts.values()].filter(({ isStored }) => isStored).map(({ owner }) => owner);
    if (owners.length > 0) await this.#store.renew(owners);
    await this.#store.reclaim();
  }

  /** Returns what other processes ask for. To be called several times while a recall is waited for. */
  async answerRecalls(): Promise<void> {
    if (this.#isStorageDown()) return;
    if (this.#seenRecall === undefined) {
      this.#seenRecall = await this.#store.lastRecall();
      return;
    }
    if (this.#accounts.size === 0) return;
    const recalls = await this.#store.recallsSince(this.#seenRecall);
    for (const { number, keyId, day } of recalls) {
      this.#seenRecall = number;
      const account = this.#accounts.get(keyId);
      if (account?.day !== day) continue;
      // One that requests wait for is needed: it was asked for after the recall, or they are about to be refused.
      if (account.taking === undefined) this.#end(account);
      else account.isRecalled = true;
    }
    await this.#settle();
  }

  async close(): Promise<void> {
    await Promise.allSettled(Array.from(this.#accounts.values(), ({ taking }) => taking));
    this.#closeAccounts(() => true);
    await this.#settle();
  }

  /** Leaves a part of a lease open in the account, or marks it as used up. */
  async #take(account: Account, { limit, lease }: Allowance): Promise<void> {
    let recalledAtMs = Number.POSITIVE_INFINITY;
    let retryMs = RECALL_RETRY_MS;
    // Not so if the lease was removed: what was not opened has gone back to the day.
    if (account.granted > account.opened && (await this.#ask(account, 0, limit, lease)).isGranted) return;
    for (;;) {
      const wanted = Math.max(account.waiting, 1, shareOf(account, lease));
      const { isGranted, heldElsewhere } = await this.#ask(account, wanted, limit, lease);
      const nowMs = performance.now();
      // A refusal would be wrong as long as another process holds a part of the day and does not use it.
      const isRecallOver = account.wasRecalled || nowMs - recalledAtMs > RECALL_WAIT_MS;
      if (isGranted || heldElsewhere <= 0 || isRecallOver) {
        account.wasRecalled = !isGranted && heldElsewhere > 0;
        if (!isGranted) account.emptyUntilMs = nowMs + (heldElsewhere > 0 ? RETRY_MS : RETRY_ALONE_MS);
        return;
      }
      if (recalledAtMs === Number.POSITIVE_INFINITY) {
        await this.#store.reclaim(account);
        await this.#store.recall(account);
        recalledAtMs = nowMs;
      }
      await sleep(retryMs);
      retryMs = Math.min(2 * retryMs, MAX_RECALL_RETRY_MS);
    }
  }

  /** Asks once, so that requests need not wait. What it does not get, the first of them that has to wait asks for. */
  #askAhead(account: Account, { limit, lease }: Allowance): void {
    account.askAheadAt = Number.POSITIVE_INFINITY;
    const isAllOpen = account.granted <= account.opened;
    const wanted = isAllOpen ? shareOf(account, lease) : 0;
    // Near the end of a day, what is not needed yet is left to other processes.
    if (account.taking !== undefined || (isAllOpen && wanted === 0) || this.#isStorageDown()) return;
    account.waiting++;
    account.taking = this.#ask(account, wanted, limit, lease)
      .then(() => {})
      .finally(() => this.#stopAsking(account));
    // Requests that wait for it report why they cannot be answered; usually none does.
    account.taking.catch(() => {});
  }

  #stopAsking(account: Account): void {
    const { isRecalled } = account;
    account.taking = undefined;
    account.isRecalled = false;
    this.#stopWaiting(account);
    if (isRecalled && account.waiting === 0) this.#end(account);
  }

  #stopWaiting(account: Account): void {
    account.waiting--;
    // The day has changed meanwhile: the rest of the lease goes back to the day it is from.
    if (account.waiting === 0 && this.#accounts.get(account.keyId) !== account) this.#end(account);
  }

  /** Asks for `wanted` more, and to open a further part. */
  async #ask(account: Account, wanted: number, limit: number, lease: number) {
    const { spent, opened } = account;
    account.isStored = true;
    const grant = await this.#store.take(account, { wanted, limit, spent, opened, open: openUpTo(account, lease) });
    account.granted = grant.granted;
    account.opened = grant.opened;
    account.left = grant.left;
    account.askAheadAt = grant.opened - Math.ceil((grant.opened - opened) / 4);
    return { isGranted: grant.opened > opened, heldElsewhere: grant.heldElsewhere };
  }

  #account(keyId: string, limit: number): Account {
    let account = this.#accounts.get(keyId);
    if (account === undefined) {
      account = {
        keyId,
        day: this.#day.text,
        owner: this.#newOwner(),
        granted: 0,
        opened: 0,
        spent: 0,
        askAheadAt: Number.POSITIVE_INFINITY,
        isStored: false,
        left: limit,
        lastSpentMs: 0,
        waiting: 0,
        taking: undefined,
        emptyUntilMs: 0,
        wasRecalled: false,
        isRecalled: false,
      };
      this.#accounts.set(keyId, account);
    }
    return account;
  }

  #newOwner(): string {
    return `${this.#processId}.${++this.#leases}`;
  }

  #closeAccounts(isDue: (account: Account) => boolean): void {
    for (const account of this.#accounts.values()) {
      // A request that waits for a lease would spend from an account that is closed.
      if (account.waiting > 0 || !isDue(account)) continue;
      this.#end(account);
      // A key that is used up would wait for a recall again: what others hold may have been lost with them.
      if (!account.wasRecalled) this.#accounts.delete(account.keyId);
    }
  }

  /** Queues the lease of the account for storage; what it takes next is another lease. */
  #end(account: Account): void {
    const { keyId, day, owner, spent, isStored } = account;
    if (!isStored) return;
    this.#ended.push({ keyId, day, owner, spent, isStored });
    account.owner = this.#newOwner();
    account.granted = 0;
    account.opened = 0;
    account.spent = 0;
    account.askAheadAt = Number.POSITIVE_INFINITY;
    account.isStored = false;
  }

  /** What storage refuses is kept for the next time: a lease that was ended already is not ended again. */
  async #settle(): Promise<void> {
    const due = this.#ended;
    this.#ended = [];
    try {
      for (const lease of due.filter(({ isStored }) => !isStored)) {
        await this.#store.take(lease, { wanted: 0, limit: 0, spent: 0, opened: 0, open: 0 });
        lease.isStored = true;
      }
      await this.#store.settle(due);
    } catch (error) {
      this.#ended.push(...due);
      throw error;
    }
  }

  #moveTo(nowMs: number): Day {
    if (nowMs < this.#day.startMs || nowMs >= this.#day.endMs) {
      this.#day = dayAt(nowMs);
      // One that requests wait for is ended by the last of them.
      for (const account of this.#accounts.values()) if (account.waiting === 0) this.#end(account);
      this.#accounts.clear();
    }
    return this.#day;
  }
}

/**
 * What may be taken beyond the requests that wait, which are demand: at most a sixteenth of what is left, so that near
 * the end no process holds much.
 */
function shareOf({ left }: Account, lease: number): number {
  return Math.min(lease, Math.floor(left / 16));
}

function openUpTo({ opened, spent, waiting }: Account, lease: number): number {
  return opened + Math.max(waiting, Math.min(lease, Math.max(FIRST_PART, spent)));
}

function spendFrom(account: Account, nowMs: number, resetSeconds: number): Spent {
  account.lastSpentMs = nowMs;
  account.spent++;
  const remaining = account.left + account.granted - account.spent;
  return { isAllowed: true, remaining, resetSeconds, chargedDay: account.day };
}

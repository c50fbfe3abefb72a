/**
 * Every request is admitted by these steps, in this order, whatever brings it:
 *
 *   overload                                     requireCapacity
 *   who asks: the key, with its state,
 *     expiry and networks; or a person           findKey, chargePerson
 *   requests per second, permission, day         charge, chargeAtOnce
 *   cost class                                   `limits/cost-classes`, entered once the question has been read
 *
 * A request without the permission is refused for that before it is refused for a limit, and counts for the day. A
 * request that fails through a fault of the server is refunded.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../http/errors.ts';
import type { Key } from '../keys/key.ts';
import { type KnownKeys, TooManyGuesses } from '../keys/known-keys.ts';
import { clientAddress, clientNetwork } from '../limits/client.ts';
import type { Requester } from '../limits/cost-classes.ts';
import { GuessThrottle } from '../limits/guess-throttle.ts';
import type { Overload } from '../limits/overload.ts';
import { RequestRates } from '../limits/request-rates.ts';
import { secondsUntil } from '../quota/day.ts';
import { type Quota, type Spent, UNLIMITED } from '../quota/quota.ts';
import type { Usage } from '../usage/usage.ts';
import { PERMISSIONS, type Permission } from '../vocabulary.ts';
import type { Counted, KeyDeclaration } from './declaration.ts';

/** Lookups of an account in a UTC day, over all processes. A batch is one of them. */
export const LOOKUPS_PER_DAY = 20_000;
const ACCOUNT_ALLOWANCE = { limit: LOOKUPS_PER_DAY, lease: 50 };
/** Rate of one account, per process: a hundred at once, then twenty per second. Batches of a page wait for their turn. */
const ACCOUNT_RATE = { intervalMs: 50, burst: 100, maxWaitMs: 1_000 };
/** Rate of people without an account, per client network and process: thirty at once, then one per second. */
const STRANGER_RATE = { intervalMs: 1_000, burst: 30, maxWaitMs: 0 };

/** The id under which lookups of people without an account are counted. */
export const PUBLIC_USAGE_ID = 'public';
/** Lookups of an account are counted under this id. No API key has a colon in its id. */
export const usageIdOf = (accountId: string) => `account:${accountId}`;

// Created once: an error captures its stack, which costs as much as a lookup.
export const OVERLOADED = new ApiError('OVERLOADED');
export const UNAUTHORIZED = new ApiError('UNAUTHORIZED');
/** For a request without a key; one with a key that is not accepted learns nothing. */
export const NO_KEY = new ApiError('UNAUTHORIZED', {
  extra: { details: { hint: 'send an API key in the header X-API-Key' } },
});
/** For more requests than a key may make in a second. Such a request does not count for the day. */
export const TOO_FAST = new ApiError('RATE_LIMIT_EXCEEDED', { retryAfterSeconds: 1 });
const FORBIDDEN = Object.fromEntries(
  PERMISSIONS.map((required) => [required, new ApiError('FORBIDDEN', { extra: { details: { required } } })]),
) as Readonly<Record<Permission, ApiError>>;

/** What a request with a key was charged, as its answer says, and why it is refused, if it is. */
export type Charge = {
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
  /** The day that was charged; undefined if none. */
  readonly chargedDay: string | undefined;
  readonly refusal: ApiError | undefined;
};

/** A person in the dashboard; without an account where the operator allows that. */
export type Person = { readonly accountId: string | undefined; readonly address: string };

type AdmissionSources = {
  readonly keys: KnownKeys;
  readonly quota: Quota;
  readonly usage: Usage;
  readonly overload: Pick<Overload, 'isOverloaded'>;
  readonly nowMs: () => number;
};

export class Admission {
  /** Who asks, on the plain path: what is known without waiting, and what restrictions of a key allow. */
  readonly keys: KnownKeys;
  readonly #quota: Quota;
  readonly #usage: Usage;
  readonly #overload: Pick<Overload, 'isOverloaded'>;
  readonly #nowMs: () => number;
  readonly #rates = new RequestRates();
  readonly #accounts = new GuessThrottle(undefined, ACCOUNT_RATE);
  readonly #strangers = new GuessThrottle(undefined, STRANGER_RATE);

  constructor({ keys, quota, usage, overload, nowMs }: AdmissionSources) {
    this.keys = keys;
    this.#quota = quota;
    this.#usage = usage;
    this.#overload = overload;
    this.#nowMs = nowMs;
  }

  get isOverloaded(): boolean {
    return this.#overload.isOverloaded;
  }

  requireCapacity(): void {
    if (this.isOverloaded) throw OVERLOADED;
  }

  /** The key with this secret, if it may be used now from this client address. */
  async findKey(secret: string, address: string): Promise<Key> {
    try {
      const key = await this.keys.find(secret, address);
      if (key === undefined) throw UNAUTHORIZED;
      return key;
    } catch (error) {
      throw error instanceof TooManyGuesses ? new ApiError('TOO_MANY_GUESSES') : error;
    }
  }

  /** Whether the key makes more requests than it may in a second; counts this one. */
  isTooFast({ id, restrictions }: Key): boolean {
    const perSecond = restrictions?.requestsPerSecond;
    if (perSecond === undefined || this.#rates.take(id, perSecond)) return false;
    this.#usage.countRefused(id, 'rate', this.#nowMs());
    return true;
  }

  /** Charges a request, at once if storage need not be asked. */
  charge(key: Key, { access }: KeyDeclaration, nowMs: number): Charge | Promise<Charge> {
    if (key.restrictions !== undefined && mayUse(key, access) && this.isTooFast(key))
      return chargeOf(key, this.#quota.peek(key.id, key.allowance, nowMs), TOO_FAST);
    const spent = this.#quota.spendAtOnce(key.id, key.allowance, nowMs);
    if (spent !== undefined) return chargeOf(key, spent, this.#refusalOf(key, access, spent, nowMs));
    return this.#quota
      .spend(key.id, key.allowance, nowMs)
      .then((later) => chargeOf(key, later, this.#refusalOf(key, access, later, nowMs)));
  }

  /** The same for a key without restrictions; undefined where storage would have to be asked. */
  chargeAtOnce(key: Key, { access }: KeyDeclaration, nowMs: number): Charge | undefined {
    const spent = this.#quota.spendAtOnce(key.id, key.allowance, nowMs);
    return spent && chargeOf(key, spent, this.#refusalOf(key, access, spent, nowMs));
  }

  /** Undoes a charge. Returns what remains, if known. */
  refund({ id }: Key, chargedDay: string): number | undefined {
    return this.#quota.refund(id, chargedDay);
  }

  /** Charges a lookup of a person. If it is refused: the seconds after which to ask again. */
  async chargePerson({ accountId, address }: Person): Promise<number | undefined> {
    if (accountId === undefined) return this.#strangers.attempt(address) === undefined ? 1 : undefined;
    const id = usageIdOf(accountId);
    const waitMs = this.#accounts.attempt(id);
    if (waitMs === undefined) return 1;
    if (waitMs > 0) await sleep(waitMs);
    const nowMs = this.#nowMs();
    const { isAllowed, resetSeconds } = await this.#quota.spend(id, ACCOUNT_ALLOWANCE, nowMs);
    return isAllowed ? undefined : secondsUntil(resetSeconds, nowMs);
  }

  /** Counts an answer to a key in its statistics. True where `recordClient` should be called, which most answers need not. */
  countAnswer({ id }: Key, counts: Counted, status: number, nowMs: number): boolean {
    return this.#usage.count(id, counts, status, nowMs);
  }

  recordClient({ id }: Key, client: string): void {
    this.#usage.recordAddress(id, clientAddress(client));
  }

  /** The same for the first request of a key in its life, which took `elapsedMs`. */
  recordFirstUse(key: Key, status: number, elapsedMs: number, client: string): void {
    if (!this.#usage.isFirstUse(key)) return;
    const at = new Date(this.#nowMs() - elapsedMs);
    this.#usage.recordFirstUse(key, { at, from: clientAddress(client), status });
  }

  #refusalOf(key: Key, permission: Permission, { isAllowed, resetSeconds }: Spent, nowMs: number) {
    if (!mayUse(key, permission)) {
      this.#usage.countRefused(key.id, 'permission', nowMs, permission);
      return FORBIDDEN[permission];
    }
    if (isAllowed) return undefined;
    this.#usage.countRefused(key.id, 'daily_limit', nowMs);
    return new ApiError('RATE_LIMIT_EXCEEDED', { retryAfterSeconds: secondsUntil(resetSeconds, nowMs) });
  }

  countPerson({ accountId }: Person, counts: Counted, status: number): void {
    const id = accountId === undefined ? PUBLIC_USAGE_ID : usageIdOf(accountId);
    this.#usage.count(id, counts, status, this.#nowMs());
  }
}

/** For queues: people without an account are told apart by the network of their client. */
export function fairnessOf({ accountId, address }: Person): Pick<Requester, 'fairnessKey' | 'isStranger'> {
  if (accountId === undefined) return { fairnessKey: clientNetwork(address), isStranger: true };
  return { fairnessKey: usageIdOf(accountId) };
}

export function mayUse({ permissions }: Key, permission: Permission): boolean {
  return permissions.includes(permission);
}

function chargeOf(
  { allowance: { limit } }: Key,
  { remaining, resetSeconds, chargedDay }: Spent,
  refusal: ApiError | undefined,
): Charge {
  const shown = limit === Number.POSITIVE_INFINITY ? UNLIMITED : limit;
  return { limit: shown, remaining, resetSeconds, chargedDay, refusal };
}

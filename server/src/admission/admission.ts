/**
 * Every request is admitted by `admit`, whatever brings it: the fast path, Node's routes, MCP,
 * pages or DNS. The order:
 *
 *   1. overload                  new requests are refused
 *   2. requester                 a key, with its state; a person; a network that may query the zone
 *   3. restrictions of the key   its expiry and networks
 *   4. requests per second       of the key, the account or the client network
 *   5. permission                of the key, or role of the person
 *   6. daily limit               of the key or the account; free MCP messages: a limit per minute
 *   7. cost class                `limits/cost-classes`, entered once the request has been read
 *
 * A request without the permission is refused for that before it is refused for a limit; with a key
 * it is not counted for its rate, and counts for the day. A request that fails through a fault of
 * the server is refunded.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { secondsUntil } from '../day.ts';
import { ApiError } from '../http/errors.ts';
import type { Key } from '../keys/key.ts';
import { type KnownKeys, TooManyGuesses } from '../keys/known-keys.ts';
import { isWellFormed } from '../keys/secret-form.ts';
import type { AllowedClients } from '../limits/allowed-clients.ts';
import { clientAddress, clientNetwork } from '../limits/client.ts';
import type { Requester } from '../limits/cost-classes.ts';
import { GuessThrottle } from '../limits/guess-throttle.ts';
import type { Overload } from '../limits/overload.ts';
import { FreeMessages, RequestRates } from '../limits/request-rates.ts';
import { type Spent, UNLIMITED } from '../quota/spent.ts';
import { KEYLESS_USAGE_ID, PUBLIC_USAGE_ID, usageIdOf } from '../usage-ids.ts';
import {
  mayDo,
  PERMISSIONS,
  type Permission,
  type RefusalReason,
  type Role,
} from '../vocabulary.ts';
import type { Counted, Declaration, KeyDeclaration } from './declaration.ts';

/** Lookups of an account in a UTC day, over all processes. A batch is one of them. */
export const LOOKUPS_PER_DAY = 20_000;
const ACCOUNT_ALLOWANCE = { limit: LOOKUPS_PER_DAY, lease: 50 };
/**
 * Rate of one account, per process: a hundred at once, then twenty per second. Batches of a page
 * wait for their turn.
 */
const ACCOUNT_RATE = { intervalMs: 50, burst: 100, maxWaitMs: 1_000 };
/**
 * Rate of people without an account, per client network and process: thirty at once, then one per
 * second.
 */
const ANONYMOUS_RATE = { intervalMs: 1_000, burst: 30, maxWaitMs: 0 };

// Created once: an error captures its stack, which costs as much as a lookup.
const OVERLOADED = new ApiError('OVERLOADED');
const UNAUTHORIZED = new ApiError('UNAUTHORIZED');
/** For a request without a key; one with a key that is not accepted learns nothing. */
const NO_KEY = new ApiError('UNAUTHORIZED', {
  extra: { details: { hint: 'send an API key in the header X-API-Key' } },
});
/**
 * For more requests than a key or a person may make in a second. Such a request does not count for
 * the day.
 */
const TOO_FAST = new ApiError('RATE_LIMIT_EXCEEDED', { retryAfterSeconds: 1 });
const TOO_FAST_PERSON: Admitted = { key: undefined, refusal: TOO_FAST };
const forbiddenWithout = (required: string) =>
  new ApiError('FORBIDDEN', { extra: { details: { required } } });
const FORBIDDEN = Object.fromEntries(
  PERMISSIONS.map((required) => [required, forbiddenWithout(required)]),
) as Readonly<Record<Permission, ApiError>>;
const ANONYMOUS: Person = { accountId: undefined, address: '' };

/** What a request with a key was charged, as its answer says, and why it is refused, if it is. */
export type Charge = {
  readonly key: Key;
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
  readonly chargedDay: string | undefined;
  readonly refusal: ApiError | undefined;
};
/**
 * The same for a person or a client network, and for a request that was refused before its key was
 * known.
 */
type Uncharged = {
  readonly key: Key | undefined;
  readonly limit?: undefined;
  readonly refusal: ApiError | undefined;
};
export type Admitted = Charge | Uncharged;
type Eventually<Value> = Value | Promise<Value>;

/** A request with a key, as its entry point knows it. */
export type KeyRequester = {
  readonly kind: 'key';
  readonly secret: string | undefined;
  /**
   * The client address, which is computed only where it is needed. Called before the request waits,
   * if at all.
   */
  client(): string;
  /**
   * Whether to wait for storage. A request that would wait for more is left, uncounted, to another
   * entry point.
   */
  readonly waits: 'always' | 'for known keys' | 'never';
  /**
   * Whether the entry point answers this request of the key; all if not given. Others are left as
   * above.
   */
  accepts?(key: Key): boolean;
};

/** A person in the dashboard; without an account where the operator allows that. */
export type Person = {
  readonly accountId: string | undefined;
  readonly role?: Role | undefined;
  readonly address: string;
};
type PersonRequester = { readonly kind: 'person'; find(): Eventually<Person> };

/** A client of the DNS server, which has neither a key nor an account. */
type NetworkRequester = {
  readonly kind: 'network';
  readonly client: string;
  readonly allowed: AllowedClients;
};

type Identified = Key | Person | ApiError;

type DailyLimits = {
  spend(id: string, allowance: Allowance, nowMs: number): Promise<Spent>;
  /** Undefined if storage has to be asked. */
  spendAtOnce(id: string, allowance: Allowance, nowMs: number): Spent | undefined;
  peek(id: string, allowance: Allowance, nowMs: number): Spent;
  refund(id: string, day: string): number | undefined;
};
type Allowance = Key['allowance'];

type Statistics = {
  count(id: string, endpoint: string, status: number, nowMs: number): boolean;
  countRefused(id: string, reason: RefusalReason, nowMs: number, detail?: string): void;
  recordAddress(id: string, address: string): void;
  isFirstUse(key: Key): boolean;
  recordFirstUse(key: Key, use: NonNullable<Key['firstUse']>): void;
};

type AdmissionSources = {
  readonly keys: KnownKeys;
  readonly quota: DailyLimits;
  readonly usage: Statistics;
  readonly overload: Pick<Overload, 'isOverloaded' | 'refusesQueuedWork'>;
  readonly nowMs: () => number;
};

export class Admission {
  readonly #keys: KnownKeys;
  readonly #quota: DailyLimits;
  readonly #usage: Statistics;
  readonly #overload: Pick<Overload, 'isOverloaded' | 'refusesQueuedWork'>;
  readonly #nowMs: () => number;
  readonly #rates = new RequestRates();
  readonly #freeMessages = new FreeMessages();
  readonly #accounts = new GuessThrottle(undefined, ACCOUNT_RATE);
  readonly #anonymous = new GuessThrottle(undefined, ANONYMOUS_RATE);

  constructor({ keys, quota, usage, overload, nowMs }: AdmissionSources) {
    this.#keys = keys;
    this.#quota = quota;
    this.#usage = usage;
    this.#overload = overload;
    this.#nowMs = nowMs;
  }

  /**
   * All steps, at once if storage need not be asked. Undefined only for an requester that does not wait
   * for all of it.
   */
  admit(requester: NetworkRequester, declaration: Declaration, nowMs: number): Admitted;
  admit(requester: PersonRequester, declaration: Declaration, nowMs: number): Eventually<Admitted>;
  admit(
    requester: KeyRequester,
    declaration: KeyDeclaration,
    nowMs: number,
  ): Eventually<Admitted | undefined>;
  admit(
    requester: KeyRequester | PersonRequester | NetworkRequester,
    declaration: Declaration,
    nowMs: number,
  ): Eventually<Admitted | undefined> {
    const identified = this.identify(requester);
    if (identified instanceof Promise)
      return identified.then((later) => later && this.charge(later, declaration, nowMs));
    return (
      identified &&
      this.charge(
        identified,
        declaration,
        nowMs,
        requester.kind !== 'key' || requester.waits !== 'never',
      )
    );
  }

  /**
   * The first steps: overload, who asks, restrictions of the key. MCP reads its message before the
   * others.
   */
  identify(requester: KeyRequester): Eventually<Key | ApiError | undefined>;
  identify(
    requester: KeyRequester | PersonRequester | NetworkRequester,
  ): Eventually<Identified | undefined>;
  identify(
    requester: KeyRequester | PersonRequester | NetworkRequester,
  ): Eventually<Identified | undefined> {
    if (requester.kind === 'network')
      return requester.allowed.has(requester.client) ? ANONYMOUS : UNAUTHORIZED;
    if (this.#overload.isOverloaded) return OVERLOADED;
    if (requester.kind === 'person') return requester.find();
    const { secret, waits } = requester;
    if (secret === undefined) return NO_KEY;
    const key = this.#keys.findRemembered(secret);
    // A restricted key counts requests per second, and one that is answered elsewhere would count
    // twice.
    if (waits === 'never' && (key === undefined || key.restrictions !== undefined))
      return undefined;
    if (key === undefined) return this.#findKey(requester, secret);
    if (requester.accepts?.(key) === false) return undefined;
    if (key.restrictions === undefined) return key;
    return this.#keys.admits(key, () => requester.client()) ? key : UNAUTHORIZED;
  }

  /**
   * The other steps: requests per second, permission, daily limit. Undefined only for a request
   * that may not wait.
   */
  charge(identified: Identified, declaration: Declaration, nowMs: number): Eventually<Admitted>;
  charge(
    identified: Identified,
    declaration: Declaration,
    nowMs: number,
    mayWait: boolean,
  ): Eventually<Admitted> | undefined;
  charge(
    identified: Identified,
    declaration: Declaration,
    nowMs: number,
    mayWait = true,
  ): Eventually<Admitted> | undefined {
    if (identified instanceof ApiError) return { key: undefined, refusal: identified };
    const forbidden = accessRefusal(identified, declaration.access);
    const isKey = 'permissions' in identified;
    if (!isKey && (forbidden !== undefined || declaration.counts === 'nothing'))
      return { key: undefined, refusal: forbidden };
    const waitMs = forbidden === undefined ? this.#pace(identified) : 0;
    if (waitMs === undefined)
      return isKey ? this.#tooFast(identified, declaration, nowMs) : TOO_FAST_PERSON;
    if (!isKey) return this.#chargePerson(identified, waitMs, nowMs);
    if (declaration.counts === 'nothing') {
      const retryAfterSeconds = this.#freeMessages.take(identified.id);
      if (retryAfterSeconds === undefined) return { key: identified, refusal: undefined };
      return {
        key: identified,
        refusal: new ApiError('RATE_LIMIT_EXCEEDED', { retryAfterSeconds }),
      };
    }
    const spent = this.#quota.spendAtOnce(identified.id, identified.allowance, nowMs);
    if (spent !== undefined)
      return this.#chargeOf(identified, spent, forbidden, declaration, nowMs);
    if (!mayWait) return undefined;
    return this.#quota
      .spend(identified.id, identified.allowance, nowMs)
      .then((later) => this.#chargeOf(identified, later, forbidden, declaration, nowMs));
  }

  async #findKey(requester: KeyRequester, secret: string): Promise<Key | ApiError | undefined> {
    const client = requester.client();
    try {
      if (requester.waits === 'always')
        return (await this.#keys.find(secret, client)) ?? UNAUTHORIZED;
      if (!isWellFormed(secret)) return UNAUTHORIZED;
      const remembered = await this.#keys.findKnown(secret, () => client);
      // Never seen before: it is searched for on Node's path, which throttles guesses by client
      // address.
      if (remembered === undefined) return undefined;
      return remembered !== 'absent' && this.#keys.admits(remembered, () => client)
        ? remembered
        : UNAUTHORIZED;
    } catch (error) {
      if (error instanceof TooManyGuesses) return new ApiError('TOO_MANY_GUESSES');
      throw error;
    }
  }

  /**
   * Counts a request for the rate. Returns the milliseconds that it must wait; undefined if it is
   * refused.
   */
  #pace(requester: Key | Person): number | undefined {
    if ('permissions' in requester) {
      const perSecond = requester.restrictions?.requestsPerSecond;
      return perSecond === undefined || this.#rates.take(requester.id, perSecond) ? 0 : undefined;
    }
    if (requester.accountId === undefined) return this.#anonymous.attempt(requester.address);
    return this.#accounts.attempt(usageIdOf(requester.accountId));
  }

  #tooFast(key: Key, { counts }: Declaration, nowMs: number): Admitted {
    this.#usage.countRefused(key.id, 'rate', nowMs);
    if (counts === 'nothing') return { key, refusal: TOO_FAST };
    return chargeOf(key, this.#quota.peek(key.id, key.allowance, nowMs), TOO_FAST);
  }

  async #chargePerson({ accountId }: Person, waitMs: number, nowMs: number): Promise<Admitted> {
    if (waitMs > 0) await sleep(waitMs);
    if (accountId === undefined) return { key: undefined, refusal: undefined };
    const { isAllowed, resetSeconds } = await this.#quota.spend(
      usageIdOf(accountId),
      ACCOUNT_ALLOWANCE,
      nowMs,
    );
    return { key: undefined, refusal: isAllowed ? undefined : limitExceeded(resetSeconds, nowMs) };
  }

  #chargeOf(
    key: Key,
    spent: Spent,
    forbidden: ApiError | undefined,
    { access }: Declaration,
    nowMs: number,
  ): Charge {
    if (forbidden !== undefined) {
      this.#usage.countRefused(key.id, 'permission', nowMs, access as Permission);
      return chargeOf(key, spent, forbidden);
    }
    if (spent.isAllowed) return chargeOf(key, spent, undefined);
    this.#usage.countRefused(key.id, 'daily_limit', nowMs);
    return chargeOf(key, spent, limitExceeded(spent.resetSeconds, nowMs));
  }

  /** Whether a request that begins now may not enter the queue of a cost class. */
  get refusesQueuedWork(): boolean {
    return this.#overload.refusesQueuedWork;
  }

  /** Undoes a charge. Returns what remains, if known. */
  refund({ id }: Key, chargedDay: string): number | undefined {
    return this.#quota.refund(id, chargedDay);
  }

  /**
   * Counts an API request in the statistics of its key, with the code of a refusal. True where
   * `recordClient` should be called, which most answers need not. A request that a rule denies was
   * answered, whatever status the rule has.
   */
  countAnswer(
    key: Key | undefined,
    counts: Counted,
    status: number,
    nowMs: number,
    code = '',
  ): boolean {
    const shownStatus = counts === 'decide' && code === '' ? 204 : status;
    const isFirst = this.#usage.count(key?.id ?? KEYLESS_USAGE_ID, counts, shownStatus, nowMs);
    return isFirst && key !== undefined;
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

  countPerson({ accountId }: Person, counts: Counted, status: number): void {
    const id = accountId === undefined ? PUBLIC_USAGE_ID : usageIdOf(accountId);
    this.#usage.count(id, counts, status, this.#nowMs());
  }
}

/** For queues: people without an account are distinguished by their client's network. */
export function fairnessOf({
  accountId,
  address,
}: Person): Pick<Requester, 'fairnessKey' | 'isAnonymous'> {
  if (accountId === undefined) return { fairnessKey: clientNetwork(address), isAnonymous: true };
  return { fairnessKey: usageIdOf(accountId) };
}

function accessRefusal(
  requester: Key | Person,
  access: Declaration['access'],
): ApiError | undefined {
  if (access === 'public' || access === 'any key') return undefined;
  if ('permissions' in requester)
    return requester.permissions.includes(access as Permission)
      ? undefined
      : FORBIDDEN[access as Permission];
  if (requester.role === undefined) return UNAUTHORIZED;
  return mayDo(requester.role, access as Role) ? undefined : forbiddenWithout(access);
}

const limitExceeded = (resetSeconds: number, nowMs: number) =>
  new ApiError('RATE_LIMIT_EXCEEDED', { retryAfterSeconds: secondsUntil(resetSeconds, nowMs) });

function chargeOf(
  key: Key,
  { remaining, resetSeconds, chargedDay }: Spent,
  refusal: ApiError | undefined,
): Charge {
  const { limit } = key.allowance;
  const shown = limit === Number.POSITIVE_INFINITY ? UNLIMITED : limit;
  return { key, limit: shown, remaining, resetSeconds, chargedDay, refusal };
}

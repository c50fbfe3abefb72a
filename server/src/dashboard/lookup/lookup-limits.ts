/**
 * What one account may look up in the dashboard: enough for a person, but not a way around the limits of keys. Where the
 * operator allows lookups without an account, they are limited by client address.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import type { Session } from '../../accounts/sessions.ts';
import { GuessThrottle } from '../../limits/guess-throttle.ts';
import { PUBLIC_USAGE_ID, type PublicLookups } from '../../limits/public-lookups.ts';
import { secondsUntil } from '../../quota/day.ts';
import type { Quota } from '../../quota/quota.ts';
import type { Usage } from '../../usage/usage.ts';
import { DashboardRefusal } from '../requests/refusal.ts';

/** Requests in a UTC day, over all processes. A batch is one request. */
export const LOOKUPS_PER_DAY = 20_000;
/** How many of them a process takes from storage at a time. */
const LEASE = 50;
/** Addresses of one batch. */
export const MAX_BATCH = 1_000;

/** Of one account, per process: a hundred at once, then twenty per second. Batches of a page wait for their turn. */
const ACCOUNT_LIMITS = { intervalMs: 50, burst: 100, maxWaitMs: 1_000 };

/** Lookups of an account are counted under this id. No API key has a colon in its id. */
export const usageIdOf = (accountId: string) => `account:${accountId}`;

type LookupClient = {
  readonly session: Session | undefined;
  readonly client: { readonly address: string };
  readonly reply: FastifyReply;
};

type LimitDependencies = {
  readonly quota: Quota;
  readonly usage: Usage;
  readonly publicLookups: PublicLookups;
  readonly nowMs: () => number;
};

export class LookupLimits {
  readonly #quota: Quota;
  readonly #usage: Usage;
  readonly #nowMs: () => number;
  readonly #publicLookups: PublicLookups;
  readonly #accounts = new GuessThrottle(undefined, ACCOUNT_LIMITS);

  constructor({ quota, usage, publicLookups, nowMs }: LimitDependencies) {
    this.#quota = quota;
    this.#publicLookups = publicLookups;
    this.#usage = usage;
    this.#nowMs = nowMs;
  }

  /** Charges the account or the address, and counts the answer under the endpoint's name in the API. */
  async charge({ session, client, reply }: LookupClient, endpoint: string): Promise<void> {
    const id = session === undefined ? PUBLIC_USAGE_ID : usageIdOf(session.account.id);
    reply.raw.once('finish', () => this.#usage.count(id, endpoint, reply.statusCode, this.#nowMs()));
    if (session === undefined) {
      if (!this.#publicLookups.isAllowed(client.address)) throw new DashboardRefusal('RATE_LIMIT_EXCEEDED');
      return;
    }
    const waitMs = this.#accounts.attempt(id);
    if (waitMs === undefined) throw new DashboardRefusal('RATE_LIMIT_EXCEEDED');
    if (waitMs > 0) await sleep(waitMs);
    const nowMs = this.#nowMs();
    const { isAllowed, resetSeconds } = await this.#quota.spend(id, { limit: LOOKUPS_PER_DAY, lease: LEASE }, nowMs);
    if (isAllowed) return;
    throw new DashboardRefusal('RATE_LIMIT_EXCEEDED', { retryAfterSeconds: secondsUntil(resetSeconds, nowMs) });
  }
}

/**
 * Sessions of the dashboard: opened by signing in, found by their token, ended by hand or by time.
 */
import { DAY_MS } from '../day.ts';
import type { AccountStore } from '../storage/stores/account-store.ts';
import type { SessionStore, StoredSession } from '../storage/stores/session-store.ts';
import { type Account, fromStored, makeAccountId } from './account.ts';
import { hashToken, isToken, makeToken } from './token.ts';

/** Without a request for a day, and after two weeks in any case. */
export const IDLE_MS = DAY_MS;
export const LIFETIME_MS = 14 * 24 * 3_600_000;
/** How exact the time of last use is: it is written at most so often. */
const SEEN_EVERY_MS = 60_000;
const MAX_USER_AGENT = 300;

/** Who signs in: shown in the list of sessions and in the audit log. */
export type Client = { readonly address: string; readonly userAgent: string };

export type Session = {
  readonly account: Account;
  readonly session: StoredSession;
  readonly token: string;
};

export class Sessions {
  readonly #store: SessionStore;
  readonly #accounts: AccountStore;

  constructor(store: SessionStore, accounts: AccountStore) {
    this.#store = store;
    this.#accounts = accounts;
  }

  async open(account: Account, { address, userAgent }: Client, now: Date): Promise<Session> {
    const token = makeToken();
    const session: StoredSession = {
      id: makeAccountId(),
      tokenHash: hashToken(token),
      accountId: account.id,
      createdAt: now,
      lastSeenAt: now,
      expiresAt: new Date(now.getTime() + LIFETIME_MS),
      address,
      userAgent: userAgent.slice(0, MAX_USER_AGENT),
    };
    await this.#store.insert(session);
    await this.#accounts.setLastSignIn(account.id, now);
    return { account, session, token };
  }

  /**
   * Undefined for a token that is unknown, ended or expired, and for an account that was disabled.
   */
  async find(token: string, now: Date): Promise<Session | undefined> {
    if (!isToken(token)) return undefined;
    const session = await this.#store.findByTokenHash(hashToken(token));
    if (session === undefined || !isOpen(session, now)) return undefined;
    const stored = await this.#accounts.find(session.accountId);
    if (stored === undefined || stored.disabledAt !== undefined) return undefined;
    if (now.getTime() - session.lastSeenAt.getTime() >= SEEN_EVERY_MS)
      await this.#store.seen(session.id, now);
    return { account: fromStored(stored), session, token };
  }

  async list(accountId: string, now: Date): Promise<StoredSession[]> {
    const sessions = await this.#store.ofAccount(accountId);
    return sessions.filter((session) => isOpen(session, now));
  }

  end(accountId: string, id: string, now: Date): Promise<boolean> {
    return this.#store.end(accountId, id, now);
  }

  endAll(accountId: string, now: Date): Promise<void> {
    return this.#store.endAll(accountId, now);
  }
}

function isOpen({ lastSeenAt, expiresAt }: StoredSession, now: Date): boolean {
  const nowMs = now.getTime();
  return nowMs < expiresAt.getTime() && nowMs < lastSeenAt.getTime() + IDLE_MS;
}

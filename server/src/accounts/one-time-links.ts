/** Links that work once and for a day: to set up the first account, to join, to set a password. */
import type { LinkStore, StoredLink } from '../storage/link-store.ts';
import { makeAccountId } from './account.ts';
import type { Role } from './role.ts';
import { hashToken, isToken, makeToken } from './token.ts';

const LIFETIME_MS = 24 * 3_600_000;

export type LinkKind = 'setup' | 'invitation' | 'reset';
export type NewLink = { kind: LinkKind; role: Role; accountId?: string; note?: string; createdBy: string };
/** The token is here and never again. */
export type MadeLink = { readonly link: StoredLink; readonly token: string };

export class OneTimeLinks {
  readonly #store: LinkStore;

  constructor(store: LinkStore) {
    this.#store = store;
  }

  /** A new link to set up, or for the same account, replaces the one before. */
  async make({ kind, role, accountId, note, createdBy }: NewLink, now: Date): Promise<MadeLink> {
    const token = makeToken();
    const link: StoredLink = {
      id: makeAccountId(),
      tokenHash: hashToken(token),
      kind,
      role,
      createdAt: now,
      createdBy,
      expiresAt: new Date(now.getTime() + LIFETIME_MS),
      ...(accountId === undefined ? {} : { accountId }),
      ...(note === undefined ? {} : { note }),
    };
    await this.#store.prune(now);
    if (kind === 'setup') await this.#store.removeKind('setup');
    if (kind === 'reset' && accountId !== undefined) await this.#store.removeKind('reset', accountId);
    await this.#store.insert(link);
    return { link, token };
  }

  async find(token: string, now: Date): Promise<StoredLink | undefined> {
    return isToken(token) ? this.#store.find(hashToken(token), now) : undefined;
  }

  /** Of two who redeem a link at once, one gets it. */
  async take(token: string, now: Date): Promise<StoredLink | undefined> {
    return isToken(token) ? this.#store.take(hashToken(token), now) : undefined;
  }

  invitations(now: Date): Promise<StoredLink[]> {
    return this.#store.ofKind('invitation', now);
  }

  withdraw(id: string): Promise<StoredLink | undefined> {
    return this.#store.remove(id, 'invitation');
  }
}

/** Where a link leads. The token is a fragment, so that no log and no Referer has it. */
export function linkPath({ token }: Pick<MadeLink, 'token'>): string {
  return `/set-up#${token}`;
}

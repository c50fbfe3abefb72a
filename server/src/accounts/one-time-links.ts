// Links that work once and for a day. Checked when used: the creator must still be an
// administrator, even if another process or an older release has changed the account.

import type { Actor } from '../audit/audit-log.ts';
import { DAY_MS } from '../day.ts';
import { present } from '../present.ts';
import type { AccountStore, StoredAccount } from '../storage/stores/account-store.ts';
import type { LinkStore, StoredLink } from '../storage/stores/link-store.ts';
import type { Role } from '../vocabulary.ts';
import { type Account, makeAccountId } from './account.ts';
import { hashToken, isToken, makeToken } from './token.ts';

const LIFETIME_MS = DAY_MS;

type LinkKind = 'setup' | 'invitation' | 'reset';
type NewLink = { kind: LinkKind; role: Role; accountId?: string; note?: string };
/** The token is here and never again. */
export type MadeLink = { readonly link: StoredLink; readonly token: string };

export class OneTimeLinks {
  readonly #store: LinkStore;
  readonly #accounts: AccountStore;

  constructor(store: LinkStore, accounts: AccountStore) {
    this.#store = store;
    this.#accounts = accounts;
  }

  /** A new link to set up, or for the same account, replaces the one before. */
  async make(
    { kind, role, accountId, note }: NewLink,
    creator: Actor,
    now: Date,
  ): Promise<MadeLink> {
    const token = makeToken();
    const link: StoredLink = {
      id: makeAccountId(),
      tokenHash: hashToken(token),
      kind,
      role,
      createdAt: now,
      createdBy: creator.name,
      expiresAt: new Date(now.getTime() + LIFETIME_MS),
      ...present({ createdById: creator.accountId, accountId, note }),
    };
    if (kind === 'setup') await this.#store.removeKind('setup');
    if (kind === 'reset' && accountId !== undefined) await this.removeResetLinks(accountId);
    await this.#store.insert(link);
    return { link, token };
  }

  async find(token: string, now: Date): Promise<StoredLink | undefined> {
    const link = isToken(token) ? await this.#store.find(hashToken(token), now) : undefined;
    return link !== undefined && isUsable(link, await this.#accounts.list()) ? link : undefined;
  }

  /** If two people redeem a link at once, one gets it. */
  async take(token: string, now: Date): Promise<StoredLink | undefined> {
    return isToken(token) ? this.#store.take(hashToken(token), now) : undefined;
  }

  /** Those that work, oldest first. */
  async list(now: Date): Promise<StoredLink[]> {
    const [links, accounts] = await Promise.all([this.#store.list(now), this.#accounts.list()]);
    return links.filter((link) => isUsable(link, accounts));
  }

  revoke(id: string): Promise<StoredLink | undefined> {
    return this.#store.remove(id);
  }

  revokeCreatedBy({ id }: Account): Promise<StoredLink[]> {
    return this.#store.removeCreatedBy(id);
  }

  async removeResetLinks(accountId: string): Promise<void> {
    await this.#store.removeKind('reset', accountId);
  }
}

function isUsable(
  { kind, createdAt, createdById }: StoredLink,
  accounts: readonly StoredAccount[],
): boolean {
  const admins = accounts.filter(
    ({ role, disabledAt }) => role === 'admin' && disabledAt === undefined,
  );
  if (createdById !== undefined) return admins.some(({ id }) => id === createdById);
  // The link for the first administrator. `wh user setup-link` also creates one where there are
  // administrators.
  return (
    kind !== 'setup' || admins.length === 0 || admins.some((admin) => admin.createdAt < createdAt)
  );
}

/** Where a link leads. The token is a fragment, so that no log and no Referer has it. */
export function linkPath({ token }: Pick<MadeLink, 'token'>): string {
  return `/set-up#${token}`;
}

/**
 * A link that was not used, as commands and the dashboard show it. The link itself is not stored.
 */
export function describeOpenLink(link: StoredLink, people: readonly Account[]) {
  const { id, kind, role, accountId, note, createdBy, createdAt, expiresAt } = link;
  const account = people.find((person) => person.id === accountId)?.name;
  return {
    id,
    // Written by OneTimeLinks, which knows no other kinds and roles.
    kind: kind as LinkKind,
    role: role as Role,
    ...present({ account, note }),
    created_by: createdBy,
    created_at: createdAt.toISOString(),
    expires_at: expiresAt.toISOString(),
  };
}

/** Sign-in, links, passwords and roles of accounts. Every change is in the audit log. */
import type { Actor, AuditLog } from '../audit/audit-log.ts';
import { clientNetwork } from '../limits/client.ts';
import { GuessThrottle, SignInThrottle } from '../limits/guess-throttle.ts';
import { present } from '../present.ts';
import type { AccountStore, StoredAccount } from '../storage/stores/account-store.ts';
import type { LinkStore, StoredLink } from '../storage/stores/link-store.ts';
import type { SessionStore } from '../storage/stores/session-store.ts';
import { mayDo, type Role } from '../vocabulary.ts';
import {
  type Account,
  fromStored,
  InvalidAccount,
  makeAccountId,
  nameKeyOf,
  normalizePassword,
  parseAccountDomains,
  parseAccountName,
  parsePassword,
  parseRole,
} from './account.ts';
import { type MadeLink, OneTimeLinks } from './one-time-links.ts';
import { PasswordHasher } from './password-hash.ts';
import { type Client, type Session, Sessions } from './sessions.ts';

type AccountStores = {
  readonly accounts: AccountStore;
  readonly sessions: SessionStore;
  readonly links: LinkStore;
};

/**
 * Failed attempts in the audit log: a hundred at once, then one per second, so that guessing does
 * not fill the disk.
 */
const RECORDED_FAILURES = { intervalMs: 1_000, burst: 100, maxWaitMs: 0 };

/** Networks from which an account counts as known: the latest of the last 14 days. */
const MAX_KNOWN_ADDRESSES = 100;

type SignInOutcome =
  | { kind: 'signed in'; session: Session }
  | { kind: 'refused' }
  | { kind: 'too many' };
type RedeemOutcome =
  | { kind: 'redeemed'; account: Account }
  | { kind: 'expired' }
  | { kind: 'name taken' }
  | { kind: 'name missing' };

export class Accounts {
  readonly sessions: Sessions;
  readonly links: OneTimeLinks;
  readonly #stores: AccountStores;
  readonly #audit: AuditLog;
  readonly #hasher = new PasswordHasher();
  readonly #throttle = new SignInThrottle();
  readonly #failures = new GuessThrottle(undefined, RECORDED_FAILURES);

  constructor(stores: AccountStores, audit: AuditLog) {
    this.#stores = stores;
    this.#audit = audit;
    this.sessions = new Sessions(stores.sessions, stores.accounts);
    this.links = new OneTimeLinks(stores.links, stores.accounts);
  }

  async list(): Promise<Account[]> {
    return (await this.#stores.accounts.list()).map(fromStored);
  }

  isEmpty(): Promise<boolean> {
    return this.#stores.accounts.isEmpty();
  }

  async find(id: string): Promise<Account | undefined> {
    const stored = await this.#stores.accounts.find(id);
    return stored && fromStored(stored);
  }

  async findByName(name: string): Promise<Account | undefined> {
    const stored = await this.#stores.accounts.findByName(nameKeyOf(name));
    return stored && fromStored(stored);
  }

  /**
   * An unknown name, a wrong password and a disabled account are refused alike, and in the same
   * time.
   */
  async signIn(name: string, password: string, client: Client, now: Date): Promise<SignInOutcome> {
    const nameKey = nameKeyOf(name);
    if (!this.#throttle.attemptFrom(client.address)) return { kind: 'too many' };
    const stored = await this.#stores.accounts.findByName(nameKey);
    // Asked for an unknown name as well: it takes its time.
    const isKnown = await this.#isKnownAt(stored?.id ?? '', client);
    if (!this.#throttle.attemptFor(nameKey, isKnown)) return { kind: 'too many' };
    const { address } = client;
    const isRight = await this.#hasher.verify(stored?.passwordHash, normalizePassword(password), {
      address,
      isKnown,
    });
    if (stored === undefined || !isRight || stored.disabledAt !== undefined) {
      // Not the name that was typed: people type passwords into that field.
      const actor: Actor = { name: 'not signed in', address: client.address };
      const isRecorded = this.#failures.attempt('') !== undefined;
      if (isRecorded)
        await this.#audit.record(actor, 'account.sign_in_failed', targetOf(stored), now);
      return { kind: 'refused' };
    }
    this.#throttle.succeeded(client.address, nameKey, isKnown);
    return { kind: 'signed in', session: await this.openSession(fromStored(stored), client, now) };
  }

  /** For an account that has proved who it is. */
  async openSession(account: Account, client: Client, now: Date): Promise<Session> {
    const session = await this.sessions.open(account, client, now);
    await this.#audit.record(
      actorOf(account, client.address),
      'account.signed_in',
      targetOf(account),
      now,
    );
    return session;
  }

  async redeem(
    { token, name, password }: { token: string; name?: string; password: string },
    client: Client,
    now: Date,
  ): Promise<RedeemOutcome> {
    const link = await this.links.find(token, now);
    if (link === undefined) return { kind: 'expired' };
    if (link.accountId !== undefined)
      return this.#setPassword(link.accountId, token, password, client, now);
    if (name === undefined) return { kind: 'name missing' };
    const account = await this.#prepare(
      parseAccountName(name),
      parseRole(link.role),
      password,
      client,
      now,
    );
    // The name is refused before the link is used up.
    if ((await this.findByName(account.name)) !== undefined) return { kind: 'name taken' };
    if ((await this.links.take(token, now)) === undefined) return { kind: 'expired' };
    if (!(await this.#stores.accounts.insert(account))) return { kind: 'name taken' };
    const action = link.kind === 'setup' ? 'account.set_up' : 'account.joined';
    const details = { role: account.role, invited_by: link.createdBy };
    await this.#audit.record(
      actorOf(account, client.address),
      action,
      targetOf(account),
      now,
      details,
    );
    return { kind: 'redeemed', account };
  }

  /**
   * Ends every other session of the account, and its reset link. False if the current password is
   * wrong.
   */
  async changePassword(
    account: Account,
    { current, next }: { current: string; next: string },
    client: Client,
    now: Date,
  ): Promise<'changed' | 'refused' | 'too many'> {
    if (!this.#throttle.attemptFrom(client.address)) return 'too many';
    const verified = { address: client.address, isKnown: true };
    if (!(await this.#hasher.verify(account.passwordHash, normalizePassword(current), verified)))
      return 'refused';
    this.#throttle.succeeded(client.address, account.nameKey, true);
    const password = parsePassword(next, account.name);
    await this.#stores.accounts.setPassword(
      account.id,
      await this.#hasher.hash(password, verified),
    );
    await this.links.removeResetLinks(account.id);
    await this.sessions.endAll(account.id, now);
    await this.#audit.record(
      actorOf(account, client.address),
      'account.password_changed',
      targetOf(account),
      now,
    );
    return 'changed';
  }

  /** An account without a password: it sets one with a link, or signs in through a provider. */
  async create(
    name: string,
    role: Role,
    actor: Actor,
    now: Date,
    {
      providerSubject,
      domains = [],
    }: { providerSubject?: string; domains?: readonly string[] } = {},
  ): Promise<Account> {
    const allowedDomains = parseAccountDomains(domains);
    const account = {
      id: makeAccountId(),
      name: parseAccountName(name),
      nameKey: nameKeyOf(name),
      role,
      createdAt: now,
      ...present({ providerSubject }),
    };
    const stored = { ...account, ...present({ allowedDomains: allowedDomains?.join(' ') }) };
    if (!(await this.#stores.accounts.insert(stored)))
      throw new InvalidAccount('name', 'another account has this name');
    await this.#audit.record(actor, 'account.created', targetOf(account), now, {
      role,
      ...present({ domains: stored.allowedDomains }),
    });
    return { ...account, ...present({ allowedDomains }) };
  }

  async findBySubject(providerSubject: string): Promise<Account | undefined> {
    const stored = await this.#stores.accounts.findBySubject(providerSubject);
    return stored && fromStored(stored);
  }

  async makeSetupLink(actor: Actor, now: Date): Promise<MadeLink> {
    const made = await this.links.make({ kind: 'setup', role: 'admin' }, actor, now);
    await this.#audit.record(actor, 'account.setup_link_made', { kind: 'account' }, now);
    return made;
  }

  async makeResetLink(account: Account, actor: Actor, now: Date): Promise<MadeLink> {
    const { id, role } = account;
    const made = await this.links.make({ kind: 'reset', role, accountId: id }, actor, now);
    await this.#audit.record(actor, 'account.reset_link_made', targetOf(account), now);
    return made;
  }

  async invite(role: Role, note: string | undefined, actor: Actor, now: Date): Promise<MadeLink> {
    const newLink = { kind: 'invitation', role, ...present({ note }) } as const;
    const made = await this.links.make(newLink, actor, now);
    await this.#audit.record(actor, 'account.invited', invitationTarget(made.link), now, { role });
    return made;
  }

  async revokeLink(id: string, actor: Actor, now: Date): Promise<boolean> {
    const link = await this.links.revoke(id);
    if (link === undefined) return false;
    await this.#recordRevoked(link, actor, now);
    return true;
  }

  /**
   * Refused for the last administrator. Disabling ends all sessions; disabling and demoting revoke
   * its links.
   */
  async change(
    account: Account,
    {
      role,
      isDisabled,
      domains,
    }: { role?: Role; isDisabled?: boolean; domains?: readonly string[] },
    actor: Actor,
    now: Date,
  ): Promise<'changed' | 'last admin'> {
    const allowed = domains === undefined ? undefined : (parseAccountDomains(domains) ?? null);
    const isDisabledNow = account.disabledAt !== undefined;
    const change = {
      ...present({ role }),
      ...(isDisabled === undefined || isDisabled === isDisabledNow
        ? {}
        : { disabledAt: isDisabled ? now : null }),
      ...(allowed === undefined ? {} : { allowedDomains: allowed?.join(' ') ?? null }),
    };
    const outcome = await this.#stores.accounts.change(account.id, change, 'admin');
    if (outcome === 'last of its role') return 'last admin';
    const target = targetOf(account);
    if (role !== undefined && role !== account.role) {
      await this.#audit.record(actor, 'account.role_changed', target, now, {
        from: account.role,
        to: role,
      });
    }
    if (allowed !== undefined)
      await this.#audit.record(actor, 'account.domains_changed', target, now, {
        from: account.allowedDomains?.join(' ') ?? 'all',
        to: allowed?.join(' ') ?? 'all',
      });
    if ('disabledAt' in change) {
      if (isDisabled === true) {
        await this.sessions.endAll(account.id, now);
        // A link that was sent before must not let the person in when the account is enabled again.
        await this.links.removeResetLinks(account.id);
      }
      await this.#audit.record(
        actor,
        isDisabled === true ? 'account.disabled' : 'account.enabled',
        target,
        now,
      );
    }
    if (isDisabled === true || (role !== undefined && !mayDo(role, 'admin'))) {
      for (const link of await this.links.revokeCreatedBy(account))
        await this.#recordRevoked(link, actor, now);
    }
    return 'changed';
  }

  async #recordRevoked(link: StoredLink, actor: Actor, now: Date): Promise<void> {
    const { kind, role, createdBy } = link;
    const { accountId } = link;
    const account = accountId === undefined ? undefined : await this.find(accountId);
    const target = accountId === undefined ? invitationTarget(link) : targetOf(account);
    await this.#audit.record(actor, 'account.link_revoked', target, now, {
      kind,
      role,
      created_by: createdBy,
    });
  }

  /** From the same network as an earlier sign-in. */
  async #isKnownAt(accountId: string, { address }: Client): Promise<boolean> {
    const network = clientNetwork(address);
    const addresses = await this.#stores.sessions.addressesOf(accountId, MAX_KNOWN_ADDRESSES);
    return addresses.some((address) => clientNetwork(address) === network);
  }

  async #setPassword(
    accountId: string,
    token: string,
    text: string,
    client: Client,
    now: Date,
  ): Promise<RedeemOutcome> {
    const account = await this.find(accountId);
    if (account === undefined || account.disabledAt !== undefined) return { kind: 'expired' };
    const verified = { address: client.address, isKnown: true };
    const passwordHash = await this.#hasher.hash(parsePassword(text, account.name), verified);
    if ((await this.links.take(token, now)) === undefined) return { kind: 'expired' };
    await this.#stores.accounts.setPassword(accountId, passwordHash);
    await this.sessions.endAll(accountId, now);
    await this.#audit.record(
      actorOf(account, client.address),
      'account.password_reset',
      targetOf(account),
      now,
    );
    return { kind: 'redeemed', account: { ...account, passwordHash } };
  }

  async #prepare(
    name: string,
    role: Role,
    password: string,
    client: Client,
    now: Date,
  ): Promise<Omit<Account, 'allowedDomains'>> {
    const verified = { address: client.address, isKnown: true };
    const passwordHash = await this.#hasher.hash(parsePassword(password, name), verified);
    return {
      id: makeAccountId(),
      name,
      nameKey: nameKeyOf(name),
      passwordHash,
      role,
      createdAt: now,
    };
  }
}

export function actorOf({ name, id }: Pick<Account, 'name' | 'id'>, address: string): Actor {
  return { name, accountId: id, address };
}

function targetOf(account: Pick<StoredAccount, 'id' | 'name'> | undefined) {
  return { kind: 'account', ...present({ id: account?.id, name: account?.name }) } as const;
}

function invitationTarget({ id, note }: StoredLink) {
  return { kind: 'invitation', id, ...present({ name: note }) } as const;
}

/** Accounts of others: list, change, reset, invite. For administrators. */
import type { Account } from '../../accounts/account.ts';
import type { Accounts } from '../../accounts/accounts.ts';
import { describeOpenLink, linkPath, type MadeLink } from '../../accounts/one-time-links.ts';
import { present } from '../../present.ts';
import type { KeyListStore } from '../../storage/stores/key-list-store.ts';
import { forAdmins, type Rows } from '../requests/ask.ts';
import { DashboardRefusal } from '../requests/refusal.ts';
import type { OneTimeLink, Person } from '../wire/accounts.ts';
import { describeAccount } from './session-routes.ts';

type PeopleSources = {
  readonly accounts: Accounts;
  readonly storage: { readonly keyList: Pick<KeyListStore, 'activeByOwner'> };
};

export function peopleRoutes({ accounts, storage }: PeopleSources) {
  const find = async (id: string): Promise<Account> => {
    const account = await accounts.find(id);
    if (account === undefined) throw new DashboardRefusal('NOT_FOUND');
    return account;
  };
  const activeKeys = () => storage.keyList.activeByOwner();
  return {
    listPeople: forAdmins(async () => {
      const [people, keys] = await Promise.all([accounts.list(), activeKeys()]);
      return { people: people.map((account) => describePerson(account, keys)) };
    }),
    changePerson: forAdmins(async ({ params, body, actor, now }) => {
      const account = await find(params.id);
      const change = present({
        role: body.role,
        isDisabled: body.is_disabled,
        domains: body.allowed_domains,
      });
      const outcome = await accounts.change(account, change, actor, now);
      if (outcome === 'last admin') throw new DashboardRefusal('LAST_ADMIN');
      return { person: describePerson(await find(params.id), await activeKeys()) };
    }),
    makeResetLink: forAdmins(async ({ params, actor, now }) =>
      describeLink(await accounts.makeResetLink(await find(params.id), actor, now)),
    ),
    invite: forAdmins(async ({ body, actor, now }) => {
      const made = await accounts.invite(body.role, body.note?.trim() || undefined, actor, now);
      return { open: describeOpenLink(made.link, []), link: describeLink(made) };
    }),
    listLinks: forAdmins(async ({ now }) => {
      const [links, people] = await Promise.all([accounts.links.list(now), accounts.list()]);
      return { links: links.map((link) => describeOpenLink(link, people)) };
    }),
    revokeLink: forAdmins(async ({ params, actor, now }) => {
      if (!(await accounts.revokeLink(params.id, actor, now)))
        throw new DashboardRefusal('NOT_FOUND');
      return { done: true };
    }),
  } satisfies Rows;
}

function describePerson(account: Account, activeKeys: ReadonlyMap<string, number>): Person {
  return {
    ...describeAccount(account),
    is_disabled: account.disabledAt !== undefined,
    has_password: account.passwordHash !== undefined,
    allowed_domains: [...(account.allowedDomains ?? [])],
    active_keys: activeKeys.get(account.id) ?? 0,
    ...(account.lastSignInAt && { last_sign_in_at: account.lastSignInAt.toISOString() }),
  };
}

function describeLink(made: MadeLink): OneTimeLink {
  return { path: linkPath(made), expires_at: made.link.expiresAt.toISOString() };
}

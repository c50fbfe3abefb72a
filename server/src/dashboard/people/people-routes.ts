/** Accounts of others: list, change, reset, invite. For administrators. */
import type { Account } from '../../accounts/account.ts';
import { linkPath, type MadeLink } from '../../accounts/one-time-links.ts';
import { ROLES } from '../../accounts/role.ts';
import type { StoredLink } from '../../storage/link-store.ts';
import type { RouteParts } from '../parts.ts';
import type { Rows } from '../requests/ask.ts';
import { DashboardRefusal } from '../requests/refusal.ts';
import { boolean, object, oneOf, text } from '../requests/schemas.ts';
import type { Invitation, OneTimeLink, Person } from '../wire.ts';
import { describeAccount } from './session-routes.ts';

type Names = 'listPeople' | 'changePerson' | 'makeResetLink' | 'listInvitations' | 'invite' | 'withdrawInvitation';

export function peopleRoutes({ accounts, storage }: RouteParts): Rows<Names> {
  const find = async (id: string): Promise<Account> => {
    const account = await accounts.find(id);
    if (account === undefined) throw new DashboardRefusal('NOT_FOUND');
    return account;
  };
  const activeKeys = async () => {
    const counts = new Map<string, number>();
    for (const { ownerId, revokedAt } of await storage.keys.list()) {
      if (ownerId !== undefined && revokedAt === undefined) counts.set(ownerId, (counts.get(ownerId) ?? 0) + 1);
    }
    return counts;
  };
  return {
    listPeople: {
      access: 'admin',
      handler: async () => {
        const [people, keys] = await Promise.all([accounts.list(), activeKeys()]);
        return { people: people.map((account) => describePerson(account, keys)) };
      },
    },
    changePerson: {
      access: 'admin',
      bodySchema: object({}, { role: oneOf(ROLES), is_disabled: boolean }),
      handler: async ({ params, body, actor, now }) => {
        const account = await find(params.id);
        const change = {
          ...(body.role === undefined ? {} : { role: body.role }),
          ...(body.is_disabled === undefined ? {} : { isDisabled: body.is_disabled }),
        };
        const outcome = await accounts.change(account, change, actor, now);
        if (outcome === 'last admin') throw new DashboardRefusal('LAST_ADMIN');
        return { person: describePerson(await find(params.id), await activeKeys()) };
      },
    },
    makeResetLink: {
      access: 'admin',
      handler: async ({ params, actor, now }) =>
        describeLink(await accounts.makeResetLink(await find(params.id), actor, now)),
    },
    listInvitations: {
      access: 'admin',
      handler: async ({ now }) => ({ invitations: (await accounts.links.invitations(now)).map(describeInvitation) }),
    },
    invite: {
      access: 'admin',
      bodySchema: object({ role: oneOf(ROLES) }, { note: text(200) }),
      handler: async ({ body, actor, now }) => {
        const note = body.note?.trim();
        const made = await accounts.invite(body.role, note === '' ? undefined : note, actor, now);
        return { invitation: describeInvitation(made.link), link: describeLink(made) };
      },
    },
    withdrawInvitation: {
      access: 'admin',
      handler: async ({ params, actor, now }) => {
        if (!(await accounts.withdrawInvitation(params.id, actor, now))) throw new DashboardRefusal('NOT_FOUND');
        return { done: true };
      },
    },
  };
}

function describePerson(account: Account, activeKeys: ReadonlyMap<string, number>): Person {
  return {
    ...describeAccount(account),
    is_disabled: account.disabledAt !== undefined,
    has_password: account.passwordHash !== undefined,
    active_keys: activeKeys.get(account.id) ?? 0,
    ...(account.lastSignInAt === undefined ? {} : { last_sign_in_at: account.lastSignInAt.toISOString() }),
  };
}

function describeInvitation({ id, role, note, createdAt, createdBy, expiresAt }: StoredLink): Invitation {
  return {
    id,
    // Written by OneTimeLinks, which knows no other roles.
    role: role as Account['role'],
    created_at: createdAt.toISOString(),
    created_by: createdBy,
    expires_at: expiresAt.toISOString(),
    ...(note === undefined ? {} : { note }),
  };
}

function describeLink(made: MadeLink): OneTimeLink {
  return { path: linkPath(made), expires_at: made.link.expiresAt.toISOString() };
}

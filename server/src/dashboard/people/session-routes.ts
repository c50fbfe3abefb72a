/** Who is signed in: sign in and out, one-time links, one's own password and sessions. */
import type { Account } from '../../accounts/account.ts';
import type { Accounts } from '../../accounts/accounts.ts';
import type { Session } from '../../accounts/sessions.ts';
import { csrfTokenOf } from '../../accounts/token.ts';
import { LOOKUPS_PER_DAY } from '../../admission/admission.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import { TIERS } from '../../keys/tiers.ts';
import type { UpdateChoiceStore } from '../../storage/stores/update-choice-store.ts';
import { packageVersion } from '../../version.ts';
import { type UpdateSetting, updateSchedule } from '../../versions/update-schedule.ts';
import { PERMISSIONS } from '../../vocabulary.ts';
import { tiersFor } from '../keys/change-request.ts';
import { MAX_BATCH } from '../lookup/lookup-routes.ts';
import {
  forViewers,
  type PublicAsk,
  publicRoute,
  QUERY,
  type Rows,
  route,
} from '../requests/ask.ts';
import { isBehindTls } from '../requests/origin.ts';
import { DashboardRefusal, invalid } from '../requests/refusal.ts';
import type { LinkKind, SignedIn } from '../wire/accounts.ts';
import { PROVIDER_PATH, type RouteName } from '../wire/contract.ts';
import { clearSessionCookie, setSessionCookie } from './session-cookie.ts';

/** A password is checked or hashed. */
const PASSWORD = { counts: 'nothing', costs: ['storage', 'password'] } as const;

type SessionSources = {
  readonly accounts: Accounts;
  readonly storage: { readonly updateChoice: UpdateChoiceStore };
  readonly audit: Pick<AuditLog, 'record'>;
  readonly settings: {
    /** Public URL of the server, if configured. */
    readonly publicUrl: string | undefined;
    readonly hasPublicLookups: boolean;
    readonly provider: { readonly label: string } | undefined;
    readonly updates: UpdateSetting & { readonly kind: 'build' | 'pull' };
  };
};

export function sessionRoutes({ accounts, storage, audit, settings }: SessionSources) {
  const { sessions } = accounts;
  const { updates } = settings;
  /** Whether updates depend on a choice that no administrator has made yet. */
  const isUndecided = async () =>
    updates.kind === 'build' &&
    updateSchedule(updates, await storage.updateChoice.isDaily()).decidedBy === undefined;
  const isSecure = ({ request }: Pick<PublicAsk<RouteName>, 'request'>) =>
    isBehindTls(request, settings.publicUrl);

  /**
   * A session never outlives a sign-in: the browser gets a new token, and the one it came with is
   * ended.
   */
  const start = async (ask: PublicAsk<RouteName>, session: Session): Promise<SignedIn> => {
    const previous = ask.session;
    if (previous !== undefined)
      await sessions.end(previous.account.id, previous.session.id, ask.now);
    setSessionCookie(ask.reply, session.token, session.session.expiresAt, isSecure(ask));
    return signedIn(session);
  };

  return {
    getSession: publicRoute(QUERY, async ({ session }) =>
      session === undefined
        ? {
            state: 'signed_out',
            has_accounts: !(await accounts.isEmpty()),
            has_public_lookups: settings.hasPublicLookups,
            ...(settings.provider && {
              provider: { label: settings.provider.label, path: PROVIDER_PATH },
            }),
          }
        : signedIn(session),
    ),
    signIn: publicRoute(PASSWORD, async (ask) => {
      const { body, client, now } = ask;
      const outcome = await accounts.signIn(body.name, body.password, client, now);
      if (outcome.kind === 'too many') throw new DashboardRefusal('TOO_MANY_ATTEMPTS');
      if (outcome.kind === 'refused') throw new DashboardRefusal('INVALID_CREDENTIALS');
      return start(ask, outcome.session);
    }),
    signOut: forViewers(async (ask) => {
      const { session, actor, now } = ask;
      await sessions.end(session.account.id, session.session.id, now);
      await audit.record(actor, 'account.signed_out', accountTarget(session.account), now);
      clearSessionCookie(ask.reply, isSecure(ask));
      return { done: true };
    }),
    checkLink: publicRoute(QUERY, async ({ body, now }) => {
      const link = await accounts.links.find(body.token, now);
      const account =
        link?.accountId === undefined ? undefined : await accounts.find(link.accountId);
      if (link === undefined || (link.accountId !== undefined && account === undefined)) {
        throw new DashboardRefusal('LINK_EXPIRED');
      }
      return {
        // Written by OneTimeLinks, which knows no other kinds and roles.
        kind: link.kind as LinkKind,
        role: link.role as Account['role'],
        ...(account && { name: account.name }),
        ...(link.kind === 'setup' && (await isUndecided()) && { asks_for_updates: true as const }),
        expires_at: link.expiresAt.toISOString(),
      };
    }),
    redeemLink: publicRoute(PASSWORD, async (ask) => {
      const { body, client, now } = ask;
      const outcome = await accounts.redeem(body, client, now);
      if (outcome.kind === 'expired') throw new DashboardRefusal('LINK_EXPIRED');
      if (outcome.kind === 'name taken') throw new DashboardRefusal('NAME_TAKEN');
      if (outcome.kind === 'name missing') throw invalid('/name', 'choose a name');
      return start(ask, await accounts.openSession(outcome.account, client, now));
    }),
    changePassword: route('viewer', PASSWORD, async (ask) => {
      const { session, body, client, now } = ask;
      const passwords = { current: body.current_password, next: body.new_password };
      const outcome = await accounts.changePassword(session.account, passwords, client, now);
      if (outcome === 'too many') throw new DashboardRefusal('TOO_MANY_ATTEMPTS');
      if (outcome === 'refused') throw new DashboardRefusal('INVALID_CREDENTIALS');
      return start(ask, await sessions.open(session.account, client, now));
    }),
    listSessions: forViewers(async ({ session, now }) => {
      const open = await sessions.list(session.account.id, now);
      return {
        sessions: open.map(({ id, createdAt, lastSeenAt, expiresAt, address, userAgent }) => ({
          id,
          is_current: id === session.session.id,
          created_at: createdAt.toISOString(),
          last_seen_at: lastSeenAt.toISOString(),
          expires_at: expiresAt.toISOString(),
          address,
          user_agent: userAgent,
        })),
      };
    }),
    endSession: forViewers(async ({ session, params, actor, now }) => {
      if (!(await sessions.end(session.account.id, params.id, now)))
        throw new DashboardRefusal('NOT_FOUND');
      await audit.record(actor, 'account.session_ended', accountTarget(session.account), now);
      return { done: true };
    }),
    endAllSessions: forViewers(async (ask) => {
      const { session, actor, now } = ask;
      await sessions.endAll(session.account.id, now);
      await audit.record(
        actor,
        'account.signed_out_everywhere',
        accountTarget(session.account),
        now,
      );
      clearSessionCookie(ask.reply, isSecure(ask));
      return { done: true };
    }),
  } satisfies Rows;
}

function signedIn({ account, session, token }: Session): SignedIn {
  return {
    state: 'signed_in',
    account: describeAccount(account),
    csrf_token: csrfTokenOf(token),
    expires_at: session.expiresAt.toISOString(),
    has_password: account.passwordHash !== undefined,
    tiers: tiersFor(account.role).map((tier) => {
      const { requestsPerDay, batchSize } = TIERS[tier];
      return {
        tier,
        requests_per_day: Number.isFinite(requestsPerDay) ? requestsPerDay : null,
        batch_size: batchSize,
      };
    }),
    permissions: [...PERMISSIONS],
    lookups_per_day: LOOKUPS_PER_DAY,
    max_batch: MAX_BATCH,
    server_version: packageVersion(),
  };
}

export function describeAccount({ id, name, role, createdAt }: Account) {
  return { id, name, role, created_at: createdAt.toISOString() };
}

const accountTarget = ({ id, name }: Account) => ({ kind: 'account', id, name }) as const;

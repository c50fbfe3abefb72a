/** API keys: the table, create, change, pause, revoke, rotate, usage and audit of one. */
import type { Account } from '../../accounts/account.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import { dayAt, HOUR_MS, secondsUntil } from '../../day.ts';
import { type Key, parseName } from '../../keys/key.ts';
import type { KeyFilter } from '../../keys/key-list.ts';
import { refusalsOf } from '../../keys/key-refusals.ts';
import { Keys, KeyUnchanged } from '../../keys/keys.ts';
import { isWellFormed } from '../../keys/secret-form.ts';
import { present } from '../../present.ts';
import type { Storage } from '../../storage/storage.ts';
import type { KeyChange, KeyLimits, TooManyKeys } from '../../storage/stores/key-store.ts';
import {
  KEY_SORTS,
  KEY_STATES,
  KEY_STATUSES,
  PERMISSIONS,
  SORT_ORDERS,
  TIER_NAMES,
} from '../../vocabulary.ts';
import { describeAuditFor } from '../operation/audit-routes.ts';
import { type Ask, forMembers, forViewers, type Rows } from '../requests/ask.ts';
import { DashboardRefusal, invalid, parseChoice, parseCount } from '../requests/refusal.ts';
import { parseKeyChange, parseNewKey, requireLimits } from './change-request.ts';
import { type HeldQuota, parsePosition, VisibleKeys } from './visible-keys.ts';

const DEFAULT_PAGE = 50;
const MAX_PAGE = 1_000;
const MAX_AUDIT = 100;
const MAX_SEARCH_CHARACTERS = 200;
/** Active keys of an account that is not an administrator's. */
const KEYS_PER_MEMBER = 100;

type KeySources = {
  readonly storage: Storage;
  readonly quota: HeldQuota;
  readonly audit: AuditLog;
  readonly settings: { readonly memberKeysPerDay: number };
};

export function keyRoutes({ storage, quota, audit, settings }: KeySources) {
  const visible = new VisibleKeys(storage, quota);
  const keys = new Keys(storage.keys, audit);

  const summaryOf = async (key: Key, now: Date) => {
    const [summary] = await visible.describe([key], now);
    if (summary === undefined) throw new DashboardRefusal('NOT_FOUND');
    return summary;
  };

  /** Returns the key once every process of the deployment has applied the change. */
  const change = async ({ session, params, actor, now }: KeyAsk, what: (key: Key) => KeyChange) => {
    const key = await visible.find(session.account, params.id);
    const outcome = await keys.change(key.id, what(key), actor, now).catch(refuseUnchanged);
    if (outcome === 'revoked') throw new DashboardRefusal('ALREADY_REVOKED');
    return { key: await summaryOf(await visible.find(session.account, key.id), now) };
  };

  /**
   * Administrators have none. A key that is being rotated has a successor, so rotating has twice
   * the limit of active keys.
   */
  const limitsOf = ({ role }: Account, now: Date, factor: number): KeyLimits | undefined => {
    if (role === 'admin') return undefined;
    const { memberKeysPerDay: created } = settings;
    return {
      active: factor * KEYS_PER_MEMBER,
      created,
      since: new Date(dayAt(now.getTime()).startMs),
    };
  };

  return {
    listKeys: forViewers(({ session, query, now }) =>
      visible.page(session.account, filterOf(query), now),
    ),
    createKey: forMembers(async ({ session, body, actor, now }) => {
      const newKey = parseNewKey(body, session.account, now);
      const limits = limitsOf(session.account, now, 1);
      const outcome = await keys.createWithin(newKey, actor, now, {
        ownerId: session.account.id,
        limits,
      });
      if (typeof outcome === 'string') throw tooManyKeys(outcome, limits, now);
      return { key: await summaryOf(outcome.key, now), secret: outcome.secret };
    }),
    findKey: forMembers(async ({ session, body, now }) => {
      const key = isWellFormed(body.secret) ? await keys.findBySecret(body.secret) : undefined;
      if (key === undefined) throw new DashboardRefusal('NOT_FOUND');
      return { key: await summaryOf(await visible.find(session.account, key.id), now) };
    }),
    getKey: forViewers(async ({ session, params, now }) => {
      const key = await visible.find(session.account, params.id);
      const { predecessor, successor } = await visible.rotationOf(session.account, key);
      return {
        key: await summaryOf(key, now),
        last_hour: new Date(Math.floor(now.getTime() / HOUR_MS) * HOUR_MS).toISOString(),
        refusals: await refusalsOf(storage.keys, key.id, now.getTime()),
        ...(predecessor && { predecessor: await summaryOf(predecessor, now) }),
        ...(successor && { successor: await summaryOf(successor, now) }),
      };
    }),
    changeKey: forMembers((ask) =>
      change(ask, (key) => {
        const { body, session, actor, now } = ask;
        return parseKeyChange(body, key, { account: session.account, by: actor.name, now });
      }),
    ),
    pauseKey: forMembers((ask) => change(ask, () => ({ pausedAt: ask.now }))),
    resumeKey: forMembers((ask) => change(ask, () => ({ pausedAt: null }))),
    revokeKey: forMembers(async ({ session, params, body, actor, now }) => {
      const key = await visible.find(session.account, params.id);
      if (key.revokedAt !== undefined) throw new DashboardRefusal('ALREADY_REVOKED');
      if (body.name.trim() !== key.name) throw new DashboardRefusal('NAME_MISMATCH');
      // Returns when no process of the deployment accepts the key.
      const outcome = await keys.revoke(key.id, actor, now).catch(refuseUnchanged);
      if (outcome !== 'revoked') throw new DashboardRefusal('ALREADY_REVOKED');
      return { key: await summaryOf(await visible.find(session.account, key.id), now) };
    }),
    rotateKey: forMembers(async ({ session, params, body, actor, now }) => {
      const key = await visible.find(session.account, params.id);
      requireLimits(session.account, key);
      const { name = key.name, revoke_in_hours: hours } = body;
      const revokeAt = hours === undefined ? hours : new Date(now.getTime() + hours * HOUR_MS);
      const limits = limitsOf(session.account, now, 2);
      const outcome = await keys.rotate(
        key,
        { name: parseName(name), ...present({ revokeAt }) },
        actor,
        now,
        limits,
      );
      if (outcome === 'revoked') throw new DashboardRefusal('ALREADY_REVOKED');
      if (outcome === 'has successor') throw new DashboardRefusal('ALREADY_ROTATING');
      if (typeof outcome === 'string') throw tooManyKeys(outcome, limits, now);
      return { key: await summaryOf(outcome.key, now), secret: outcome.secret };
    }),
    getKeyAudit: forViewers(async ({ session, params }) => {
      const key = await visible.find(session.account, params.id);
      const entries = await storage.audit.list({ targetId: key.id }, MAX_AUDIT);
      return { entries: entries.map((entry) => describeAuditFor(session.account, entry)) };
    }),
  } satisfies Rows;
}

type KeyAsk = Pick<Ask<'pauseKey'>, 'session' | 'params' | 'actor' | 'now'>;

function filterOf(query: Ask<'listKeys'>['query']): KeyFilter {
  const sort = parseChoice('/sort', query.sort, KEY_SORTS) ?? 'created_at';
  const after = query.after
    ? parsePosition(query.after, sort === 'name' ? 'string' : 'number')
    : undefined;
  if (query.after && after === undefined)
    throw invalid('/after', 'next_after of the page before, in the same order');
  return {
    q: (query.q ?? '').slice(0, MAX_SEARCH_CHARACTERS),
    status: parseChoice('/status', query.status, KEY_STATUSES),
    state: parseChoice('/state', query.state, KEY_STATES),
    tier: parseChoice('/tier', query.tier, TIER_NAMES),
    permission: parseChoice('/permission', query.permission, PERMISSIONS),
    ownerId: query.owner === '' ? undefined : query.owner,
    sort,
    order: parseChoice('/order', query.order, SORT_ORDERS) ?? 'desc',
    after,
    limit: Math.max(1, parseCount('/limit', query.limit, DEFAULT_PAGE, MAX_PAGE)),
  };
}

/** The reason names files and hosts, which are for the log. */
function refuseUnchanged(error: Error): never {
  if (!(error instanceof KeyUnchanged)) throw error;
  const rule =
    'the key is accepted as before, because the storage did not respond within 30 seconds: try again';
  throw new DashboardRefusal('KEY_UNCHANGED', { details: { rule } });
}

function tooManyKeys(
  which: TooManyKeys,
  limits: KeyLimits | undefined,
  now: Date,
): DashboardRefusal {
  if (which === 'too many active') {
    const rule = `an account has at most ${limits?.active} active keys: revoke keys that are no longer used`;
    return new DashboardRefusal('TOO_MANY_KEYS', { details: { limit: limits?.active, rule } });
  }
  const { endMs, endSeconds } = dayAt(now.getTime());
  const resetsAt = new Date(endMs).toISOString();
  const rule = `an account creates at most ${limits?.created} ${limits?.created === 1 ? 'key' : 'keys'} a day (UTC), revoked and rotated ones included: you can create the next one from ${resetsAt.slice(0, 10)} 00:00 UTC, or ask an administrator to raise WHENCE_MEMBER_KEYS_PER_DAY`;
  return new DashboardRefusal('TOO_MANY_NEW_KEYS', {
    details: { limit: limits?.created, resets_at: resetsAt, rule },
    retryAfterSeconds: secondsUntil(endSeconds, now.getTime()),
  });
}

/** API keys: the table, create, change, pause, revoke, rotate, usage and audit of one. */
import type { Account } from '../../accounts/account.ts';
import { type Key, parseName } from '../../keys/key.ts';
import type { KeyFilter } from '../../keys/key-list.ts';
import { Keys } from '../../keys/keys.ts';
import type { KeyChange } from '../../storage/stores/key-store.ts';
import {
  KEY_SORTS,
  KEY_STATES,
  KEY_STATUSES,
  PERMISSIONS,
  SORT_ORDERS,
  TIER_NAMES,
  type Tier,
} from '../../vocabulary.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { describeAuditFor } from '../operation/audit-routes.ts';
import type { Ask, Rows } from '../requests/ask.ts';
import { parseChoice, parseCount } from '../requests/parameters.ts';
import { DashboardRefusal, invalid } from '../requests/refusal.ts';
import { listOf, object, oneOf, orNull, positiveInteger, text } from '../requests/schemas.ts';
import { parseDays } from '../usage/day-range.ts';
import { newAttributes, parseKeyChange } from './change-request.ts';
import { parsePosition, tiersFor, VisibleKeys } from './visible-keys.ts';

type Names =
  | 'listKeys'
  | 'createKey'
  | 'getKey'
  | 'changeKey'
  | 'pauseKey'
  | 'resumeKey'
  | 'revokeKey'
  | 'rotateKey'
  | 'getKeyUsage'
  | 'getKeyAudit';

const DEFAULT_PAGE = 50;
const MAX_PAGE = 1_000;
const MAX_AUDIT = 100;
const MAX_SEARCH_CHARACTERS = 200;
const HOUR_MS = 3_600_000;

const IDENTITY_FIELDS = {
  name: text(1_000),
  tier: oneOf(TIER_NAMES),
  permissions: { ...listOf(oneOf(PERMISSIONS), PERMISSIONS.length), minItems: 1 },
};
const REVOKE_IN_HOURS = { ...positiveInteger, maximum: 8_760 };
/** Their rules are checked by `keys/key-attributes`. */
const ATTRIBUTE_FIELDS = {
  note: text(2_000),
  expires_at: orNull(text(40)),
  allowed_networks: listOf(text(100), 200),
  requests_per_second: orNull({ type: 'number' }),
};

export function keyRoutes({ storage, audit, settings }: DashboardDependencies): Rows<Names> {
  const visible = new VisibleKeys(storage);
  const keys = new Keys(storage.keys, audit);

  const summaryOf = async (key: Key, now: Date) => {
    const [summary] = await visible.describe([key], now);
    if (summary === undefined) throw new DashboardRefusal('NOT_FOUND');
    return summary;
  };

  /** Returns the key as it is when every process of the deployment uses it like that. */
  const change = async ({ session, params, actor, now }: KeyAsk, what: (key: Key) => KeyChange) => {
    const key = await visible.find(session.account, params.id);
    const outcome = await keys.change(key.id, what(key), actor, now);
    if (outcome === 'revoked') throw new DashboardRefusal('ALREADY_REVOKED');
    return { key: await summaryOf(await visible.find(session.account, key.id), now) };
  };

  /** Administrators have no limit. A key that is being rotated has a successor, so rotating has twice the limit. */
  const mostOf = (account: Account, factor: number) =>
    account.role === 'admin' ? Number.POSITIVE_INFINITY : factor * settings.keysPerMember;

  return {
    listKeys: {
      access: 'viewer',
      handler: ({ session, query, now }) => visible.page(session.account, filterOf(query), now),
    },
    createKey: {
      access: 'member',
      bodySchema: object(IDENTITY_FIELDS, ATTRIBUTE_FIELDS),
      handler: async ({ session, body, actor, now }) => {
        requireTier(session.account, body.tier);
        const permissions = PERMISSIONS.filter((permission) => body.permissions.includes(permission));
        const newKey = { name: parseName(body.name), tier: body.tier, permissions, ...newAttributes(body, now) };
        const most = mostOf(session.account, 1);
        const outcome = await keys.createWithin(newKey, actor, now, { ownerId: session.account.id, most });
        if (outcome === 'too many') throw tooManyKeys(most);
        return { key: await summaryOf(outcome.key, now), secret: outcome.secret };
      },
    },
    getKey: {
      access: 'viewer',
      handler: async ({ session, params, now }) => {
        const key = await visible.find(session.account, params.id);
        const { predecessor, successor } = await visible.rotationOf(session.account, key);
        return {
          key: await summaryOf(key, now),
          ...(predecessor && { predecessor: await summaryOf(predecessor, now) }),
          ...(successor && { successor: await summaryOf(successor, now) }),
        };
      },
    },
    changeKey: {
      access: 'member',
      bodySchema: object({}, { ...IDENTITY_FIELDS, ...ATTRIBUTE_FIELDS, revoke_in_hours: orNull(REVOKE_IN_HOURS) }),
      handler: (ask) =>
        change(ask, (key) => {
          const { body, session, actor, now } = ask;
          if (body.tier !== undefined && body.tier !== key.tier) requireTier(session.account, body.tier);
          return parseKeyChange(body, key, actor.name, now);
        }),
    },
    pauseKey: {
      access: 'member',
      handler: (ask) => change(ask, () => ({ pausedAt: ask.now })),
    },
    resumeKey: {
      access: 'member',
      handler: (ask) => change(ask, () => ({ pausedAt: null })),
    },
    revokeKey: {
      access: 'member',
      bodySchema: object({ name: text(1_000) }),
      handler: async ({ session, params, body, actor, now }) => {
        const key = await visible.find(session.account, params.id);
        if (key.revokedAt !== undefined) throw new DashboardRefusal('ALREADY_REVOKED');
        if (body.name.trim() !== key.name) throw new DashboardRefusal('NAME_MISMATCH');
        // Returns when no process of the deployment accepts the key.
        const outcome = await keys.revoke(key.id, actor, now);
        if (outcome !== 'revoked') throw new DashboardRefusal('ALREADY_REVOKED');
        return { key: await summaryOf(await visible.find(session.account, key.id), now) };
      },
    },
    rotateKey: {
      access: 'member',
      bodySchema: object({}, { name: text(1_000), revoke_in_hours: REVOKE_IN_HOURS }),
      handler: async ({ session, params, body, actor, now }) => {
        const key = await visible.find(session.account, params.id);
        requireTier(session.account, key.tier);
        const { name = key.name, revoke_in_hours: hours } = body;
        const most = mostOf(session.account, 2);
        const schedule = hours === undefined ? {} : { revokeAt: new Date(now.getTime() + hours * HOUR_MS) };
        const outcome = await keys.rotate(key, { name: parseName(name), most, ...schedule }, actor, now);
        if (outcome === 'too many') throw tooManyKeys(most);
        if (outcome === 'revoked') throw new DashboardRefusal('ALREADY_REVOKED');
        if (outcome === 'has successor') throw new DashboardRefusal('ALREADY_ROTATING');
        return { key: await summaryOf(outcome.key, now), secret: outcome.secret };
      },
    },
    getKeyUsage: {
      access: 'viewer',
      handler: async ({ session, params, query, now }) => {
        const key = await visible.find(session.account, params.id);
        const { from, to } = parseDays(query, now);
        const rows = await storage.usage.rows({ from, to, keyIds: [key.id] });
        return {
          from,
          to,
          rows: rows.map(({ day, endpoint, statusClass, requests }) => ({
            day,
            endpoint,
            status_class: statusClass,
            requests,
          })),
        };
      },
    },
    getKeyAudit: {
      access: 'viewer',
      handler: async ({ session, params }) => {
        const key = await visible.find(session.account, params.id);
        const entries = await storage.audit.list({ targetId: key.id }, MAX_AUDIT);
        return { entries: entries.map((entry) => describeAuditFor(session.account, entry)) };
      },
    },
  };
}

type KeyAsk = Pick<Ask<'pauseKey'>, 'session' | 'params' | 'actor' | 'now'>;

function filterOf(query: Ask<'listKeys'>['query']): KeyFilter {
  const sort = parseChoice('/sort', query.sort, KEY_SORTS) ?? 'created_at';
  const after = query.after ? parsePosition(query.after, sort === 'name' ? 'string' : 'number') : undefined;
  if (query.after && after === undefined) throw invalid('/after', 'next_after of the page before, in the same order');
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

function tooManyKeys(most: number): DashboardRefusal {
  const rule = `an account has at most ${most} active keys: revoke keys that are no longer used, or ask an administrator to raise WHENCE_KEYS_PER_MEMBER`;
  return new DashboardRefusal('TOO_MANY_KEYS', { details: { limit: most, rule } });
}

function requireTier({ role }: Account, tier: Tier): void {
  const tiers = tiersFor(role);
  if (!tiers.includes(tier)) throw invalid('/tier', `one of ${tiers.join(', ')}; others are for administrators`);
}

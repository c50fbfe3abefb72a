/** API keys: the table, create, revoke, rotate, usage and audit of one. */
import type { Account } from '../../accounts/account.ts';
import { type Key, parseName } from '../../keys/key.ts';
import { Keys } from '../../keys/keys.ts';
import { PERMISSIONS, TIER_NAMES, type Tier } from '../../keys/tiers.ts';
import { describeAudit } from '../operation/audit-routes.ts';
import type { RouteParts } from '../parts.ts';
import type { Rows } from '../requests/ask.ts';
import { parseChoice, parseCount } from '../requests/parameters.ts';
import { DashboardRefusal, invalid } from '../requests/refusal.ts';
import { listOf, object, oneOf, text } from '../requests/schemas.ts';
import { parseDays } from '../usage/day-range.ts';
import { KEY_SORTS, KEY_STATUSES, selectKeys } from './key-list.ts';
import { tiersFor } from './key-tiers.ts';
import { VisibleKeys } from './visible-keys.ts';

type Names = 'listKeys' | 'createKey' | 'getKey' | 'revokeKey' | 'rotateKey' | 'getKeyUsage' | 'getKeyAudit';

const DEFAULT_PAGE = 50;
const MAX_PAGE = 1_000;
const MAX_AUDIT = 100;

export function keyRoutes({ storage, accounts, audit }: RouteParts): Rows<Names> {
  const visible = new VisibleKeys(storage, accounts);
  const keys = new Keys(storage.keys);

  const summaryOf = async (account: Account, key: Key, now: Date) => {
    const all = await visible.list(account);
    const [summary] = await visible.describe([key], all, await visible.facts([key], now));
    if (summary === undefined) throw new DashboardRefusal('NOT_FOUND');
    return summary;
  };

  return {
    listKeys: {
      access: 'viewer',
      handler: async ({ session, query, now }) => {
        const filter = {
          q: (query.q ?? '').slice(0, 200),
          status: parseChoice('/status', query.status, KEY_STATUSES),
          tier: parseChoice('/tier', query.tier, TIER_NAMES),
          permission: parseChoice('/permission', query.permission, PERMISSIONS),
          owner: query.owner === '' ? undefined : query.owner,
          sort: parseChoice('/sort', query.sort, KEY_SORTS) ?? 'created_at',
          order: parseChoice('/order', query.order, ['asc', 'desc'] as const) ?? 'desc',
        };
        const offset = parseCount('/offset', query.offset, 0, Number.MAX_SAFE_INTEGER);
        const limit = parseCount('/limit', query.limit, DEFAULT_PAGE, MAX_PAGE);
        const all = await visible.list(session.account);
        const facts = await visible.facts(all, now);
        const selected = selectKeys(all, filter, facts);
        const page = selected.slice(offset, offset + limit);
        return { keys: await visible.describe(page, all, facts), total: selected.length, offset, limit };
      },
    },
    createKey: {
      access: 'member',
      bodySchema: object({
        name: text(1_000),
        tier: oneOf(TIER_NAMES),
        permissions: { ...listOf(oneOf(PERMISSIONS), PERMISSIONS.length), minItems: 1 },
      }),
      handler: async ({ session, body, actor, now }) => {
        const { account } = session;
        requireTier(account, body.tier);
        const permissions = PERMISSIONS.filter((permission) => body.permissions.includes(permission));
        const newKey = { name: parseName(body.name), tier: body.tier, permissions };
        const { key, secret } = await keys.create(newKey, now, { ownerId: account.id });
        const details = { tier: key.tier, permissions: permissions.join(' ') };
        await audit.record(actor, 'key.created', targetOf(key), now, details);
        return { key: await summaryOf(account, key, now), secret };
      },
    },
    getKey: {
      access: 'viewer',
      handler: async ({ session, params, now }) => {
        const key = await visible.find(session.account, params.id);
        const all = await visible.list(session.account);
        const predecessor = all.find(({ id }) => id === key.predecessorId);
        const successor = all.find(({ predecessorId }) => predecessorId === key.id);
        const shown = [key, predecessor, successor].filter((one) => one !== undefined);
        const summaries = await visible.describe(shown, all, await visible.facts(shown, now));
        const summary = (one: Key | undefined) => summaries.find(({ id }) => id === one?.id);
        const [own, before, next] = [summary(key), summary(predecessor), summary(successor)];
        if (own === undefined) throw new DashboardRefusal('NOT_FOUND');
        return { key: own, ...(before && { predecessor: before }), ...(next && { successor: next }) };
      },
    },
    revokeKey: {
      access: 'member',
      bodySchema: object({ name: text(1_000) }),
      handler: async ({ session, params, body, actor, now }) => {
        const key = await visible.find(session.account, params.id);
        if (key.revokedAt !== undefined) throw new DashboardRefusal('ALREADY_REVOKED');
        if (body.name.trim() !== key.name) throw new DashboardRefusal('NAME_MISMATCH');
        // Returns when no process of the deployment accepts the key.
        const outcome = await keys.revoke(key.id, now, session.account.name);
        if (outcome !== 'revoked') throw new DashboardRefusal('ALREADY_REVOKED');
        await audit.record(actor, 'key.revoked', targetOf(key), now);
        return { key: await summaryOf(session.account, await visible.find(session.account, key.id), now) };
      },
    },
    rotateKey: {
      access: 'member',
      bodySchema: object({}, { name: text(1_000) }),
      handler: async ({ session, params, body, actor, now }) => {
        const { account } = session;
        const key = await visible.find(account, params.id);
        if (key.revokedAt !== undefined) throw new DashboardRefusal('ALREADY_REVOKED');
        requireTier(account, key.tier);
        const all = await visible.list(account);
        if (all.some(({ predecessorId, revokedAt }) => predecessorId === key.id && revokedAt === undefined)) {
          throw new DashboardRefusal('ALREADY_ROTATING');
        }
        const { tier, permissions } = key;
        const newKey = { name: parseName(body.name ?? key.name), tier, permissions };
        // The owner stays: an administrator who rotates a key does not take it over.
        const origin = { predecessorId: key.id, ...(key.ownerId === undefined ? {} : { ownerId: key.ownerId }) };
        const { key: successor, secret } = await keys.create(newKey, now, origin);
        await audit.record(actor, 'key.rotated', targetOf(key), now, { successor: successor.id });
        await audit.record(actor, 'key.created', targetOf(successor), now, { tier, predecessor: key.id });
        return { key: await summaryOf(account, successor, now), secret };
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
        return { entries: entries.map(describeAudit) };
      },
    },
  };
}

function requireTier({ role }: Account, tier: Tier): void {
  const tiers = tiersFor(role);
  if (!tiers.includes(tier)) throw invalid('/tier', `one of ${tiers.join(', ')}; others are for administrators`);
}

const targetOf = ({ id, name }: Key) => ({ kind: 'key', id, name }) as const;

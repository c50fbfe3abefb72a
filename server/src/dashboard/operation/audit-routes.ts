/** The audit log: read and export. */
import type { Account } from '../../accounts/account.ts';
import type { CostQueue } from '../../limits/cost-classes.ts';
import { present } from '../../present.ts';
import type {
  AuditFilter,
  AuditStore,
  StoredAuditEntry,
} from '../../storage/stores/audit-store.ts';
import {
  AUDIT_ACTIONS,
  type AuditAction,
  type AuditTargetKind,
  EXPORT_FORMATS,
} from '../../vocabulary.ts';
import { type Ask, EXPORT, forAdmins, type Rows, route } from '../requests/ask.ts';
import { invalid, parseChoice, parseCount } from '../requests/refusal.ts';
import { type FileRow, sendFile } from '../requests/text-file.ts';
import type { AuditEntry } from '../wire/operation.ts';

const DEFAULT_PAGE = 50;
const MAX_PAGE = 500;
/** Rows of one file; `before` continues after them. */
const MAX_EXPORTED = 100_000;
const COLUMNS = [
  'at',
  'actor',
  'actor_id',
  'action',
  'target_kind',
  'target_id',
  'target',
  'address',
  'details',
  'id',
];

type AuditSources = { readonly storage: { readonly audit: AuditStore } };

export function auditRoutes({ storage }: AuditSources, exports: CostQueue) {
  return {
    listAudit: forAdmins(async ({ query }) => {
      const limit = Math.max(1, parseCount('/limit', query.limit, DEFAULT_PAGE, MAX_PAGE));
      const rows = await storage.audit.list(filterOf(query), limit + 1);
      const entries = rows.slice(0, limit).map(describeAudit);
      const last = entries.at(-1);
      return { entries, ...(rows.length > limit && last && { next_before: last.id }) };
    }),
    exportAudit: route('admin', EXPORT, async (ask) => {
      const { query } = ask;
      const format = parseChoice('/format', query.format, EXPORT_FORMATS) ?? 'csv';
      const file = { name: 'whence-audit', format, columns: COLUMNS };
      return sendFile(ask, exports, file, pagesOf(storage.audit, filterOf(query)), (page) =>
        page.map(fileRow),
      );
    }),
  } satisfies Rows;
}

/** Newest first. */
async function* pagesOf(
  store: AuditStore,
  filter: AuditFilter,
): AsyncGenerator<StoredAuditEntry[]> {
  let before = filter.before;
  for (let count = 0; count < MAX_EXPORTED; count += MAX_PAGE) {
    const page = await store.list({ ...filter, ...(before && { before }) }, MAX_PAGE);
    yield page;
    if (page.length < MAX_PAGE) return;
    before = page.at(-1)?.id;
  }
}

function filterOf({ action, actor, target, before }: Ask<'listAudit'>['query']): AuditFilter {
  const knownAction = parseChoice('/action', action, AUDIT_ACTIONS);
  if (before !== undefined && !/^[0-9a-f]{20}$/.test(before))
    throw invalid('/before', 'the id of an entry');
  return present({
    action: knownAction,
    actorId: actor || undefined,
    targetId: target || undefined,
    before,
  });
}

/** For others than administrators: where another person acted from is not for them. */
export function describeAuditFor({ id, role }: Account, entry: StoredAuditEntry): AuditEntry {
  const described = describeAudit(entry);
  const { address: _, ...rest } = described;
  return role === 'admin' || entry.actorId === id ? described : rest;
}

function describeAudit(entry: StoredAuditEntry): AuditEntry {
  const { id, at, actor, actorId, action, targetKind, targetId, target, address, details } = entry;
  return present({
    id,
    actor,
    target,
    address,
    at: at.toISOString(),
    // Written by AuditLog, which knows no other actions and targets.
    action: action as AuditAction,
    target_kind: targetKind as AuditTargetKind,
    actor_id: actorId,
    target_id: targetId,
    details: details && { ...details },
  });
}

function fileRow(entry: StoredAuditEntry): FileRow {
  const { details, ...rest } = describeAudit(entry);
  return { ...rest, details: details === undefined ? '' : JSON.stringify(details) };
}

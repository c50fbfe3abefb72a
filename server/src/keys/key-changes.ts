/** What a change of a key says in the audit log: an entry per attribute that differs, with its value before and after. */
import type { StoredKey } from '../storage/stores/key-store.ts';
import type { AuditAction } from '../vocabulary.ts';

type ChangedAttribute = {
  readonly action: AuditAction;
  readonly details: { readonly from: string; readonly to: string };
  /** Whether processes must have noticed the change before it is reported as done. */
  readonly isEnforced: boolean;
};

type Attribute = {
  readonly action: AuditAction | ((key: StoredKey) => AuditAction);
  /** As it is shown; two keys with the same text have the same value. */
  readonly text: (key: StoredKey) => string;
  readonly isEnforced: boolean;
};

const ATTRIBUTES: readonly Attribute[] = [
  { action: 'key.renamed', text: ({ name }) => name, isEnforced: false },
  { action: 'key.note_changed', text: ({ note }) => note ?? 'none', isEnforced: false },
  { action: 'key.tier_changed', text: ({ tier }) => tier, isEnforced: true },
  { action: 'key.permissions_changed', text: ({ permissions }) => permissions.join(' '), isEnforced: true },
  { action: 'key.expiry_changed', text: ({ expiresAt }) => expiresAt?.toISOString() ?? 'never', isEnforced: true },
  {
    action: ({ pausedAt }) => (pausedAt === undefined ? 'key.resumed' : 'key.paused'),
    text: ({ pausedAt }) => (pausedAt === undefined ? 'active' : 'paused'),
    isEnforced: true,
  },
  {
    action: 'key.networks_changed',
    text: ({ allowedNetworks }) => allowedNetworks?.join(' ') ?? 'any',
    isEnforced: true,
  },
  {
    action: 'key.rate_changed',
    text: ({ requestsPerSecond }) => (requestsPerSecond === undefined ? 'unlimited' : `${requestsPerSecond} a second`),
    isEnforced: true,
  },
  {
    action: ({ scheduledRevocation }) =>
      scheduledRevocation === undefined ? 'key.revocation_cancelled' : 'key.revocation_scheduled',
    text: ({ scheduledRevocation }) => scheduledRevocation?.at.toISOString() ?? 'none',
    isEnforced: true,
  },
];

export function changedAttributes(before: StoredKey, after: StoredKey): ChangedAttribute[] {
  return ATTRIBUTES.filter(({ text }) => text(before) !== text(after)).map(({ action, text, isEnforced }) => ({
    action: typeof action === 'string' ? action : action(after),
    details: { from: text(before), to: text(after) },
    isEnforced,
  }));
}

/**
 * What a change of a key says in the audit log: an entry per attribute that differs, with its value
 * before and after.
 */
import type { StoredKey } from '../storage/stores/key-store.ts';
import type { AuditAction } from '../vocabulary.ts';
import { ATTRIBUTES, textOf } from './key-attributes.ts';

type ChangedAttribute = {
  readonly action: AuditAction;
  readonly label: string;
  readonly details: { readonly from: string; readonly to: string };
  /** Whether processes must have noticed the change before it is reported as done. */
  readonly isEnforced: boolean;
};

type Compared = {
  readonly label: string;
  readonly action: (key: StoredKey) => AuditAction;
  readonly text: (key: StoredKey) => string;
  readonly isEnforced: boolean;
};

const COMPARED: readonly Compared[] = [
  { label: 'name', action: () => 'key.renamed', text: ({ name }) => name, isEnforced: false },
  { label: 'tier', action: () => 'key.tier_changed', text: ({ tier }) => tier, isEnforced: true },
  {
    label: 'permissions',
    action: () => 'key.permissions_changed',
    text: ({ permissions }) => permissions.join(' '),
    isEnforced: true,
  },
  ...ATTRIBUTES.map((attribute) => ({
    ...attribute,
    action: () => attribute.action,
    text: (key: StoredKey) => textOf(attribute, key),
  })),
  {
    label: 'state',
    action: ({ pausedAt }) => (pausedAt === undefined ? 'key.resumed' : 'key.paused'),
    text: ({ pausedAt }) => (pausedAt === undefined ? 'active' : 'paused'),
    isEnforced: true,
  },
  {
    label: 'revocation',
    action: ({ scheduledRevocation }) =>
      scheduledRevocation === undefined ? 'key.revocation_cancelled' : 'key.revocation_scheduled',
    text: ({ scheduledRevocation }) => scheduledRevocation?.at.toISOString() ?? 'none',
    isEnforced: true,
  },
];

export function changedAttributes(before: StoredKey, after: StoredKey): ChangedAttribute[] {
  return COMPARED.filter(({ text }) => text(before) !== text(after)).map(
    ({ action, label, text, isEnforced }) => ({
      action: action(after),
      label,
      details: { from: text(before), to: text(after) },
      isEnforced,
    }),
  );
}

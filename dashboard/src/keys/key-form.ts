/** The form that creates or edits a key: its values as text, what of them is sent, and what running clients notice. */
import type { Input } from '@whence/server/dashboard-wire/contract';
import type { KeySummary, TierInfo } from '@whence/server/dashboard-wire/keys';
import type { Permission, Tier } from '@whence/server/vocabulary';
import { PERMISSION_WORDS } from '../format/names.ts';
import { formatNumber } from '../format/number.ts';
import { exactUtc } from '../format/time.ts';

type Change = Input<'changeKey'>['body'];

export type KeyForm = {
  readonly name: string;
  readonly note: string;
  readonly tier: Tier;
  readonly permissions: readonly Permission[];
  /** As `<input type="datetime-local">` has it, in the time zone of the reader; empty for never. */
  readonly expires: string;
  /** One per line; empty for any client. */
  readonly networks: string;
  /** Empty for no limit. */
  readonly rate: string;
};

export function formOf(key: KeySummary): KeyForm {
  return {
    name: key.name,
    note: key.note ?? '',
    tier: key.tier,
    permissions: key.permissions,
    expires: key.expires_at === undefined ? '' : toLocal(key.expires_at),
    networks: (key.allowed_networks ?? []).join('\n'),
    rate: key.requests_per_second === undefined ? '' : String(key.requests_per_second),
  };
}

/** A new key may be used by any client until it is revoked, unless its form says otherwise. */
export function emptyForm(tier: Tier, permissions: readonly Permission[]): KeyForm {
  return { name: '', note: '', tier, permissions, expires: '', networks: '', rate: '' };
}

/** What is empty is not sent. */
export function newKeyOf({
  name,
  note,
  tier,
  permissions,
  expires,
  networks,
  rate,
}: KeyForm): Input<'createKey'>['body'] {
  return {
    name: name.trim(),
    tier,
    permissions: [...permissions],
    ...(note.trim() === '' ? {} : { note: note.trim() }),
    ...(expires === '' ? {} : { expires_at: toUtc(expires) }),
    ...(networksOf(networks).length === 0 ? {} : { allowed_networks: networksOf(networks) }),
    ...(rate.trim() === '' ? {} : { requests_per_second: Number(rate) }),
  };
}

/** Only what differs, so that a change made elsewhere meanwhile stays. */
export function changeOf(key: KeySummary, form: KeyForm): Change {
  const before = formOf(key);
  const isChanged = (field: keyof KeyForm) => String(form[field]).trim() !== String(before[field]);
  return {
    ...(isChanged('name') ? { name: form.name.trim() } : {}),
    ...(isChanged('note') ? { note: form.note.trim() } : {}),
    ...(isChanged('tier') ? { tier: form.tier } : {}),
    ...(isChanged('permissions') ? { permissions: [...form.permissions] } : {}),
    ...(isChanged('expires') ? { expires_at: form.expires === '' ? null : toUtc(form.expires) } : {}),
    ...(networksOf(form.networks).join() === networksOf(before.networks).join()
      ? {}
      : { allowed_networks: networksOf(form.networks) }),
    ...(isChanged('rate') ? { requests_per_second: form.rate.trim() === '' ? null : Number(form.rate) } : {}),
  };
}

/** The field accepts years that a date cannot have. They are sent as they are: the server says which times it takes. */
function toUtc(local: string): string {
  const date = new Date(local);
  return Number.isNaN(date.getTime()) ? local : date.toISOString();
}

const networksOf = (text: string) => text.split(/[\s,]+/).filter((network) => network !== '');

/** `2026-12-31T18:00` in the time zone of the reader, to the minute. */
export function toLocal(iso: string): string {
  const date = new Date(iso);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

export type Effects = Partial<Record<keyof KeyForm, string>>;

/** What running clients notice, by field, for fields that were changed. */
export function effectsOf(key: KeySummary, change: Change, tiers: readonly TierInfo[]): Effects {
  return {
    ...(change.name === undefined ? {} : { name: UNNOTICED }),
    ...(change.note === undefined ? {} : { note: UNNOTICED }),
    ...(change.tier === undefined
      ? {}
      : {
          tier: tierEffect(
            key,
            tiers.find(({ tier }) => tier === change.tier),
          ),
        }),
    ...(change.permissions === undefined ? {} : { permissions: permissionEffect(key, change.permissions) }),
    ...(change.expires_at === undefined ? {} : { expires: expiryEffect(key, change.expires_at) }),
    ...(change.allowed_networks === undefined ? {} : { networks: networkEffect(key, change.allowed_networks) }),
    ...(change.requests_per_second === undefined ? {} : { rate: rateEffect(change.requests_per_second) }),
  };
}

const UNNOTICED = 'Clients do not notice this.';

function tierEffect({ quota }: KeySummary, info: TierInfo | undefined): string {
  if (info === undefined) return '';
  const { requests_per_day: limit, batch_size } = info;
  const batches = `batches of up to ${formatNumber(batch_size)} addresses`;
  if (limit === null) return `From now on no daily limit, and ${batches}.`;
  const rule = `From now on ${formatNumber(limit)} requests a day, and ${batches}.`;
  if (quota.limit === null) return `${rule} Requests that were made without a limit today do not count.`;
  const isUsedUp = quota.used >= limit;
  return isUsedUp
    ? `${rule} ${formatNumber(quota.used)} were made today: requests are refused with 429 until 00:00 UTC.`
    : `${rule} ${formatNumber(limit - quota.used)} remain today.`;
}

function permissionEffect(key: KeySummary, permissions: readonly Permission[]): string {
  const namesOf = (some: readonly Permission[]) => some.map((one) => PERMISSION_WORDS[one].name).join(', ');
  const removed = key.permissions.filter((one) => !permissions.includes(one));
  const added = permissions.filter((one) => !key.permissions.includes(one));
  return [
    ...(removed.length === 0 ? [] : [`${namesOf(removed)}: requests are refused with 403 from now on.`]),
    ...(added.length === 0 ? [] : [`${namesOf(added)}: requests are answered from now on.`]),
  ].join(' ');
}

function expiryEffect({ state }: KeySummary, expiresAt: string | null): string {
  const again = state === 'expired' ? 'Requests are answered again. ' : '';
  if (expiresAt === null) return `${again}The key no longer expires.`;
  return `${again}Requests are refused with 401 from ${exactUtc(expiresAt)} on.`;
}

function networkEffect({ last_used_from }: KeySummary, networks: readonly string[]): string {
  if (networks.length === 0) return 'Any client may use the key from now on.';
  const last = last_used_from === undefined ? '' : ` The key was last used from ${last_used_from}.`;
  return `Clients with another address are refused with 401 from now on.${last}`;
}

function rateEffect(rate: number | null): string {
  if (rate === null) return 'Requests are limited by the day only.';
  return `More than ${formatNumber(rate)} a second are refused with 429 and Retry-After: 1. Each process of the server counts for itself.`;
}

/**
 * The form that creates or edits a key: its values as text, what of them is sent, and what running
 * clients notice.
 */
import type { Input } from '@whence/server/dashboard-wire/contract';
import type { KeySummary, TierInfo } from '@whence/server/dashboard-wire/keys';
import type { Permission, Tier } from '@whence/server/vocabulary';
import { PERMISSION_WORDS } from '../format/names.ts';
import { count, formatNumber } from '../format/number.ts';
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
  /** One per line; empty for all. */
  readonly domains: string;
  /** Empty for no limit. */
  readonly rate: string;
  /** Empty for the number of the tier. */
  readonly limit: string;
};

export function formOf(key: KeySummary): KeyForm {
  return {
    name: key.name,
    note: key.note ?? '',
    tier: key.tier,
    permissions: key.permissions,
    expires: key.expires_at === undefined ? '' : toLocal(key.expires_at),
    networks: (key.allowed_networks ?? []).join('\n'),
    domains: (key.allowed_domains ?? []).join('\n'),
    rate: String(key.requests_per_second ?? ''),
    limit: String(key.daily_limit ?? ''),
  };
}

/** A new key may be used by any client until it is revoked, unless its form says otherwise. */
export function emptyForm(tier: Tier, permissions: readonly Permission[]): KeyForm {
  return {
    name: '',
    note: '',
    tier,
    permissions,
    expires: '',
    networks: '',
    domains: '',
    rate: '',
    limit: '',
  };
}

/** What each field sends. An empty one removes the attribute. */
const SENT: { readonly [Field in keyof KeyForm]: (form: KeyForm) => Change } = {
  name: ({ name }) => ({ name: name.trim() }),
  note: ({ note }) => ({ note: note.trim() }),
  tier: ({ tier }) => ({ tier }),
  permissions: ({ permissions }) => ({ permissions: [...permissions] }),
  expires: ({ expires }) => ({ expires_at: expires === '' ? null : toUtc(expires) }),
  networks: ({ networks }) => ({ allowed_networks: networksOf(networks) }),
  domains: ({ domains }) => ({ allowed_domains: networksOf(domains) }),
  rate: ({ rate }) => ({ requests_per_second: numberOf(rate) }),
  limit: ({ limit }) => ({ daily_limit: numberOf(limit) }),
};

/** What is empty is not sent. */
export function newKeyOf(form: KeyForm): Input<'createKey'>['body'] {
  const { tier, permissions } = form;
  return {
    name: form.name.trim(),
    tier,
    permissions: [...permissions],
    ...sent(emptyForm(tier, permissions), form),
  };
}

/** Only what differs, so that a change made elsewhere meanwhile stays. */
export const changeOf = (key: KeySummary, form: KeyForm): Change => sent(formOf(key), form);

function sent(before: KeyForm, form: KeyForm): Omit<Change, 'revoke_in_hours'> {
  const parts = Object.values(SENT).map((part) => [part(before), part(form)] as const);
  const changed = parts.filter(([old, now]) => JSON.stringify(old) !== JSON.stringify(now));
  return Object.assign({}, ...changed.map(([, now]) => now));
}

const numberOf = (text: string) => (text.trim() === '' ? null : Number(text));

/**
 * The field accepts years that a date cannot have. They are sent as they are: the server says which
 * times it takes.
 */
function toUtc(local: string): string {
  const date = new Date(local);
  return Number.isNaN(date.getTime()) ? local : date.toISOString();
}

export const networksOf = (text: string) =>
  text.split(/[\s,]+/).filter((network) => network !== '');

/** `2026-12-31T18:00` in the time zone of the reader, to the minute. */
function toLocal(iso: string): string {
  const date = new Date(iso);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

export type Effects = Partial<Record<keyof KeyForm, string>>;

/** What running clients notice, by field, for fields that were changed. */
export function effectsOf(key: KeySummary, change: Change, tiers: readonly TierInfo[]): Effects {
  const info = tiers.find(({ tier }) => tier === (change.tier ?? key.tier));
  const own = change.daily_limit === undefined ? key.daily_limit : change.daily_limit;
  const limit = own ?? info?.requests_per_day ?? null;
  const effects: { [Field in keyof KeyForm]: string | undefined } = {
    name: change.name === undefined ? undefined : UNNOTICED,
    note: change.note === undefined ? undefined : UNNOTICED,
    tier: change.tier && info && tierEffect(key, limit, info),
    permissions: change.permissions && permissionEffect(key, change.permissions),
    expires: change.expires_at === undefined ? undefined : expiryEffect(key, change.expires_at),
    networks: change.allowed_networks && networkEffect(key, change.allowed_networks),
    domains: change.allowed_domains && domainEffect(change.allowed_domains),
    rate:
      change.requests_per_second === undefined ? undefined : rateEffect(change.requests_per_second),
    limit: change.daily_limit === undefined ? undefined : limitEffect(key, limit),
  };
  return Object.fromEntries(Object.entries(effects).filter(([, effect]) => effect !== undefined));
}

const UNNOTICED = 'Clients do not notice this.';

function tierEffect(key: KeySummary, limit: number | null, { batch_size }: TierInfo): string {
  return `${limitEffect(key, limit) ?? ''} Batches of up to ${formatNumber(batch_size)} addresses.`.trim();
}

/** Nothing is said about a number that the server will refuse. */
const isAmount = (value: number) => Number.isInteger(value) && value > 0;

function limitEffect({ quota }: KeySummary, limit: number | null): string | undefined {
  if (limit === null) return 'From now on no daily limit.';
  if (!isAmount(limit)) return undefined;
  const rule = `From now on ${count(limit, 'request')} a day.`;
  if (quota.limit === null)
    return `${rule} Requests that were made without a limit today do not count.`;
  return quota.used >= limit
    ? `${rule} ${count(quota.used, 'was', 'were')} made today: requests are refused with 429 until 00:00 UTC.`
    : `${rule} ${count(limit - quota.used, 'request remains', 'requests remain')} today.`;
}

function permissionEffect(key: KeySummary, permissions: readonly Permission[]): string {
  const namesOf = (some: readonly Permission[]) =>
    some.map((permission) => PERMISSION_WORDS[permission].name).join(', ');
  const removed = key.permissions.filter((permission) => !permissions.includes(permission));
  const added = permissions.filter((permission) => !key.permissions.includes(permission));
  return [
    ...(removed.length === 0
      ? []
      : [`${namesOf(removed)}: requests are refused with 403 from now on.`]),
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

function domainEffect(domains: readonly string[]): string {
  return domains.length === 0
    ? 'Reports of all domains may be used from now on.'
    : 'Requests for reports of other domains are refused from now on.';
}

function rateEffect(rate: number | null): string | undefined {
  if (rate === null) return 'Requests are limited by the day only.';
  if (!isAmount(rate)) return undefined;
  return `Above ${count(rate, 'request')} a second, requests are refused with 429 and Retry-After: 1. Each process of the server counts for itself.`;
}

/**
 * Fixed values of the domain, each defined here only. The dashboard imports this file, so it
 * imports nothing.
 */

/** From the fewest rights to the most: look up; also manage one's own keys; everything. */
export const ROLES = ['viewer', 'member', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export function isRole(text: string): text is Role {
  return (ROLES as readonly string[]).includes(text);
}

export function mayDo(role: Role, required: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(required);
}

/** How many days of DMARC reports are answered from unless the request says otherwise. */
export const REPORT_DAYS = 35;

/** NIST SP 800-63B §5.1.1.2: length is what counts; no rules on kinds of characters. */
export const MIN_PASSWORD_CHARACTERS = 10;

/** The smallest limits first. */
export const TIER_NAMES = ['free', 'starter', 'pro', 'enterprise'] as const;
export type Tier = (typeof TIER_NAMES)[number];

export const PERMISSIONS = [
  'ip:read',
  'ip:batch',
  'asn:read',
  'email:read',
  'decide:read',
  'database:read',
  'reports:read',
  'reports:write',
  'watch:read',
  'watch:write',
] as const;
export type Permission = (typeof PERMISSIONS)[number];
/**
 * Without databases, which a server writes only for keys that may download them, and without
 * reports on senders and watched domains.
 */
export const DEFAULT_PERMISSIONS = PERMISSIONS.filter(
  (permission) => !/^(?:database|reports|watch):/.test(permission),
);

/** Permissions of the key that a server creates at its first start: databases only on request. */
export const FIRST_KEY_PERMISSIONS = PERMISSIONS.filter(
  (permission) => !permission.startsWith('database:'),
);

/** Severities of events of watched domains, the lowest first. */
export const SEVERITIES = ['low', 'medium', 'high'] as const;
export type Severity = (typeof SEVERITIES)[number];
/** As it is stored: 1 to 3. */
export const rankOf = (severity: Severity): number => SEVERITIES.indexOf(severity) + 1;
export const severityOf = (rank: number): Severity => SEVERITIES[rank - 1] ?? 'high';

export const EVENT_STATES = ['open', 'resolved'] as const;
export type EventState = (typeof EVENT_STATES)[number];

/** Codes of events that end when a person accepts what was found. */
export const ACCEPTABLE_EVENTS = [
  'record_changed',
  'policy_weaker',
  'key_gone',
  'new_sender',
  'reporter_silent',
  'verdict_changed',
] as const;
export type AcceptableEvent = (typeof ACCEPTABLE_EVENTS)[number];

/** Where alerts go: by mail, or the form of what a webhook receives. */
export const CHANNEL_FORMATS = ['standard', 'slack', 'discord', 'teams', 'ntfy', 'email'] as const;
export type ChannelFormat = (typeof CHANNEL_FORMATS)[number];

/** Where a recipient confirms. The token follows as a fragment, as after `LINK_PAGE`. */
export const CONFIRMATION_PAGE = '/confirm-alerts';

const DELIVERY_KINDS = ['opened', 'resolved', 'summary', 'test'] as const;
export type DeliveryKind = (typeof DELIVERY_KINDS)[number];
/**
 * `dropped`: not sent any more, because of who its channel belongs to or what became of its event.
 */
const DELIVERY_STATES = ['waiting', 'delivered', 'failed', 'dropped'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export const KEY_STATUSES = ['active', 'revoked'] as const;
export type KeyStatus = (typeof KEY_STATUSES)[number];

/**
 * Filters of the list of keys. Paused and expired keys are still active; a key that is both counts
 * as expired.
 */
export const KEY_STATES = ['active', 'paused', 'expired', 'revoked'] as const;
export type KeyState = (typeof KEY_STATES)[number];

export const KEY_SORTS = ['name', 'created_at', 'last_used_at', 'requests_today'] as const;
export type KeySort = (typeof KEY_SORTS)[number];

export const SORT_ORDERS = ['asc', 'desc'] as const;
export type SortOrder = (typeof SORT_ORDERS)[number];

/** Sections of an email report that are made only on request. */
export const INCLUDABLE_SECTIONS = ['transport', 'networks', 'smtp'] as const;
export type IncludableSection = (typeof INCLUDABLE_SECTIONS)[number];
/** Those of the API: the dashboard always has the details. */
export const EMAIL_SECTIONS = [...INCLUDABLE_SECTIONS, 'details'] as const;

/** What an answer about an address has only on request, and exports too: it is in the dataset. */
export const EXPORTABLE_SECTIONS = ['routing', 'privacy', 'scanner', 'labels'] as const;
export type ExportableSection = (typeof EXPORTABLE_SECTIONS)[number];
/** Local ones need nothing but files of this machine. */
export const LOCAL_ADDRESS_SECTIONS = [
  'routing',
  'privacy',
  'scanner',
  'location',
  'labels',
] as const;
export type LocalAddressSection = (typeof LOCAL_ADDRESS_SECTIONS)[number];
export const ADDRESS_SECTIONS = [...LOCAL_ADDRESS_SECTIONS, 'hostname'] as const;
export type AddressSection = (typeof ADDRESS_SECTIONS)[number];

/** The same for a network. */
export const NETWORK_SECTIONS = ['routing'] as const;
export type NetworkSection = (typeof NETWORK_SECTIONS)[number];

export const USAGE_GROUPS = ['endpoint', 'key', 'status'] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

export const EXPORT_FORMATS = ['csv', 'ndjson'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/**
 * Why a request with an existing key is refused: the first four as an unknown key, `permission`
 * 403, others 429.
 */
export const REFUSAL_REASONS = [
  'revoked',
  'paused',
  'expired',
  'network',
  'permission',
  'rate',
  'daily_limit',
] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

export const AUDIT_ACTIONS = [
  'account.setup_link_made',
  'account.set_up',
  'account.invited',
  'account.link_revoked',
  'account.joined',
  'account.created',
  'account.signed_in',
  'account.sign_in_failed',
  'account.signed_out',
  'account.signed_out_everywhere',
  'account.session_ended',
  'account.password_changed',
  'account.reset_link_made',
  'account.password_reset',
  'account.role_changed',
  'account.domains_changed',
  'account.disabled',
  'account.enabled',
  'key.created',
  'key.rotated',
  'key.revoked',
  'key.renamed',
  'key.note_changed',
  'key.tier_changed',
  'key.permissions_changed',
  'key.paused',
  'key.resumed',
  'key.expiry_changed',
  'key.networks_changed',
  'key.domains_changed',
  'key.rate_changed',
  'key.limit_changed',
  'key.revocation_scheduled',
  'key.revocation_cancelled',
  'key.limit_near',
  'key.limit_reached',
  'dataset.version_used',
  'dataset.update_started',
  'dataset.updates_chosen',
  'domain.sender_decided',
  'domain.watched',
  'domain.unwatched',
  'domain.event_accepted',
  'channel.created',
  'channel.changed',
  'channel.deleted',
  'channel.confirmed',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

export type AuditTargetKind = 'account' | 'invitation' | 'key' | 'dataset' | 'domain' | 'channel';

/**
 * `forged`: DNS denies the address, or it cannot be the crawler's: a special range, or, where DNS
 * does not tell, another operator's or home network. `not_listed`: not in the dataset's copy of the
 * ranges, which may be old.
 * `unverifiable`: the operator documents no way. `unknown`: DNS did not answer or was not asked, or
 * there is no copy.
 */
export const CRAWLER_STATUSES = [
  'verified',
  'forged',
  'not_listed',
  'unverifiable',
  'unknown',
] as const;
export type CrawlerStatus = (typeof CRAWLER_STATUSES)[number];

/** `is_tor_exit` is `tor_exit` wherever people read or type it. */
export const flagName = (flag: string): string => (flag.startsWith('is_') ? flag.slice(3) : flag);

/** What fetching the default feeds costs, as measured in docs/feeds.md. */
export const UPDATE_COST = {
  feeds: 87,
  megabytes: 120,
  seconds: 65,
  gigabytesOfMemory: 1.8,
} as const;

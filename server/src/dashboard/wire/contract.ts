/**
 * The contract of `/dashboard/api/*`: paths, methods, and the types of what is sent and answered. The dashboard imports
 * it, the routes are typed by it. Every answer is `{ data, meta }`; field names are snake_case; times are ISO 8601 in
 * UTC and days are `YYYY-MM-DD`. An absent field is absent, never null, unless its type says so.
 *
 * Every request that changes something carries the header `X-CSRF-Token`: `csrf_token` of the session, or any text where
 * there is no session yet (signing in, redeeming a link). Browsers add Origin and Sec-Fetch-Site themselves.
 */
import type { AddressHistory, AsnSearchAnswer, BatchAnswer, BatchRequest, DatasetDiff } from '@whence/client/wire';
import type { Role } from '../../vocabulary.ts';
import type {
  LinkState,
  OneTimeLink,
  OpenLink,
  OpenSession,
  Person,
  RedeemRequest,
  SessionState,
  SignedIn,
  SignInRequest,
} from './accounts.ts';
import type { DatasetPage, UpdateState } from './dataset.ts';
import type { DomainCheck, DomainTrial, TrialRequest } from './domains.ts';
import type { CreatedKey, KeyChangeRequest, KeyDetail, KeyPage, KeyQuery, KeySummary, NewKeyRequest } from './keys.ts';
import type { AddressMap, AsnLookup, HostnameLookup, IpLookup, PrefixSummary, RegistrationLookup } from './lookups.ts';
import type { AuditPage, AuditQuery, Health, SettingInForce } from './operation.ts';
import type { DayRange, KeyUsage, Overview, Traffic, UsageQuery, UsageSeries } from './usage.ts';

export const CSRF_HEADER = 'X-CSRF-Token';
/** Where one-time links lead. The token follows as a fragment (`/set-up#TOKEN`), so that no log and no Referer has it. */
export const LINK_PAGE = '/set-up';
/** A page that leads to the identity provider. `?to=` is the path to come back to. */
export const PROVIDER_PATH = '/dashboard/provider';
/** What went wrong there, as `?failure=` of `/sign-in`. */
export type ProviderFailure = 'unreachable' | 'failed' | 'disabled';

export const routes = {
  getSession: { method: 'GET', path: '/dashboard/api/session' },
  signIn: { method: 'POST', path: '/dashboard/api/session' },
  signOut: { method: 'DELETE', path: '/dashboard/api/session' },
  checkLink: { method: 'POST', path: '/dashboard/api/links/check' },
  redeemLink: { method: 'POST', path: '/dashboard/api/links/redeem' },

  changePassword: { method: 'POST', path: '/dashboard/api/account/password' },
  listSessions: { method: 'GET', path: '/dashboard/api/account/sessions' },
  endSession: { method: 'DELETE', path: '/dashboard/api/account/sessions/:id' },
  /** Signs out everywhere, here too. */
  endAllSessions: { method: 'DELETE', path: '/dashboard/api/account/sessions' },

  listPeople: { method: 'GET', path: '/dashboard/api/people' },
  changePerson: { method: 'PATCH', path: '/dashboard/api/people/:id' },
  makeResetLink: { method: 'POST', path: '/dashboard/api/people/:id/reset-link' },
  invite: { method: 'POST', path: '/dashboard/api/invitations' },
  listLinks: { method: 'GET', path: '/dashboard/api/links' },
  revokeLink: { method: 'DELETE', path: '/dashboard/api/links/:id' },

  listKeys: { method: 'GET', path: '/dashboard/api/keys' },
  createKey: { method: 'POST', path: '/dashboard/api/keys' },
  getKey: { method: 'GET', path: '/dashboard/api/keys/:id' },
  /** Answers when every process uses the key as it is now; so do `pauseKey` and `resumeKey`. */
  changeKey: { method: 'PATCH', path: '/dashboard/api/keys/:id' },
  pauseKey: { method: 'POST', path: '/dashboard/api/keys/:id/pause' },
  resumeKey: { method: 'POST', path: '/dashboard/api/keys/:id/resume' },
  revokeKey: { method: 'POST', path: '/dashboard/api/keys/:id/revoke' },
  /** Creates the successor, with the attributes of the key; the key itself stays active until it is revoked. */
  rotateKey: { method: 'POST', path: '/dashboard/api/keys/:id/rotate' },
  getKeyUsage: { method: 'GET', path: '/dashboard/api/keys/:id/usage' },
  getKeyAudit: { method: 'GET', path: '/dashboard/api/keys/:id/audit' },

  getOverview: { method: 'GET', path: '/dashboard/api/overview' },
  getUsage: { method: 'GET', path: '/dashboard/api/usage' },
  /** A file: `format=csv|ndjson` and the parameters of `getUsage`. */
  exportUsage: { method: 'GET', path: '/dashboard/api/usage/export' },
  getTraffic: { method: 'GET', path: '/dashboard/api/traffic' },

  lookUpIp: { method: 'GET', path: '/dashboard/api/lookup/ip/:ip' },
  /** Asks DNS. */
  lookUpHostname: { method: 'GET', path: '/dashboard/api/lookup/ip/:ip/hostname' },
  /** Asks the registry of the address, at most once a day. */
  lookUpRegistration: { method: 'GET', path: '/dashboard/api/lookup/ip/:ip/registration' },
  lookUpHistory: { method: 'GET', path: '/dashboard/api/lookup/ip/:ip/history' },
  lookUpPrefix: { method: 'GET', path: '/dashboard/api/lookup/prefix/:address/:length' },
  lookUpAsn: { method: 'GET', path: '/dashboard/api/lookup/asn/:asn' },
  searchAsn: { method: 'GET', path: '/dashboard/api/lookup/asn' },
  mapPrefix: { method: 'GET', path: '/dashboard/api/lookup/prefix/:address/:length/map' },
  mapAsn: { method: 'GET', path: '/dashboard/api/lookup/asn/:asn/map' },
  checkDomain: { method: 'GET', path: '/dashboard/api/lookup/domain/:domain' },
  /** What the check would say with other records. Nothing is changed; records do not fit into a path. */
  tryDomain: { method: 'POST', path: '/dashboard/api/lookup/domain/:domain/try' },
  lookUpBatch: { method: 'POST', path: '/dashboard/api/lookup/batch' },

  getDataset: { method: 'GET', path: '/dashboard/api/dataset' },
  getDatasetDiff: { method: 'GET', path: '/dashboard/api/dataset/diff' },
  useVersion: { method: 'POST', path: '/dashboard/api/dataset/use' },
  startUpdate: { method: 'POST', path: '/dashboard/api/dataset/update' },
  getUpdate: { method: 'GET', path: '/dashboard/api/dataset/update' },

  getHealth: { method: 'GET', path: '/dashboard/api/health' },
  getSettings: { method: 'GET', path: '/dashboard/api/settings' },
  listAudit: { method: 'GET', path: '/dashboard/api/audit' },
  /** A file: `format=csv|ndjson` and the parameters of `listAudit`. */
  exportAudit: { method: 'GET', path: '/dashboard/api/audit/export' },
} as const;

export type RouteName = keyof typeof routes;

/** What each route takes and answers. Parameters in `query` are text on the wire. */
export type Contract = {
  getSession: { answer: SessionState };
  signIn: { body: SignInRequest; answer: SignedIn };
  signOut: { answer: Done };
  checkLink: { body: { token: string }; answer: LinkState };
  redeemLink: { body: RedeemRequest; answer: SignedIn };

  changePassword: { body: { current_password: string; new_password: string }; answer: SignedIn };
  listSessions: { answer: { sessions: OpenSession[] } };
  endSession: { params: { id: string }; answer: Done };
  endAllSessions: { answer: Done };

  listPeople: { answer: { people: Person[] } };
  changePerson: { params: { id: string }; body: { role?: Role; is_disabled?: boolean }; answer: { person: Person } };
  makeResetLink: { params: { id: string }; answer: OneTimeLink };
  invite: { body: { role: Role; note?: string }; answer: { open: OpenLink; link: OneTimeLink } };
  listLinks: { answer: { links: OpenLink[] } };
  revokeLink: { params: { id: string }; answer: Done };

  listKeys: { query: KeyQuery; answer: KeyPage };
  createKey: { body: NewKeyRequest; answer: CreatedKey };
  getKey: { params: { id: string }; answer: KeyDetail };
  changeKey: { params: { id: string }; body: KeyChangeRequest; answer: { key: KeySummary } };
  pauseKey: { params: { id: string }; answer: { key: KeySummary } };
  resumeKey: { params: { id: string }; answer: { key: KeySummary } };
  revokeKey: { params: { id: string }; body: { name: string }; answer: { key: KeySummary } };
  /** With `revoke_in_hours`, the key itself is revoked then. */
  rotateKey: { params: { id: string }; body: { name?: string; revoke_in_hours?: number }; answer: CreatedKey };
  getKeyUsage: { params: { id: string }; query: DayRange; answer: KeyUsage };
  getKeyAudit: { params: { id: string }; answer: AuditPage };

  getOverview: { answer: Overview };
  getUsage: { query: UsageQuery; answer: UsageSeries };
  exportUsage: { query: UsageQuery & { format?: ExportFormat }; answer: never };
  getTraffic: { query: { hours?: number }; answer: Traffic };

  lookUpIp: { params: { ip: string }; answer: IpLookup };
  lookUpHostname: { params: { ip: string }; answer: HostnameLookup };
  lookUpRegistration: { params: { ip: string }; answer: RegistrationLookup };
  lookUpHistory: { params: { ip: string }; answer: AddressHistory };
  lookUpPrefix: { params: { address: string; length: string }; answer: PrefixSummary };
  lookUpAsn: { params: { asn: string }; answer: AsnLookup };
  searchAsn: { query: { q: string; limit?: number }; answer: AsnSearchAnswer };
  mapPrefix: { params: { address: string; length: string }; answer: AddressMap };
  /** Of all IPv4 space, one cell per /16. */
  mapAsn: { params: { asn: string }; answer: AddressMap };
  /** `include`: `transport`, `networks` or both, separated by a comma. */
  checkDomain: { params: { domain: string }; query: { selectors?: string; include?: string }; answer: DomainCheck };
  tryDomain: { params: { domain: string }; body: TrialRequest; answer: DomainTrial };
  lookUpBatch: { body: BatchRequest; answer: BatchAnswer };

  getDataset: { answer: DatasetPage };
  getDatasetDiff: { query: { from: number; to: number; limit?: number }; answer: DatasetDiff };
  useVersion: { body: { version: number }; answer: { version: number } };
  startUpdate: { answer: UpdateState };
  getUpdate: { answer: UpdateState };

  getHealth: { answer: Health };
  getSettings: { answer: { settings: SettingInForce[] } };
  listAudit: { query: AuditQuery; answer: AuditPage };
  exportAudit: { query: AuditQuery & { format?: ExportFormat }; answer: never };
};

export type Done = { done: true };
export type ExportFormat = 'csv' | 'ndjson';

/** Codes of this part beside those of the API. All have the form `{ error, code, details? }`. */
export type DashboardErrorCode =
  /** 401: no session, or it has ended. Show the sign-in page. */
  | 'SIGNED_OUT'
  /** 401: wrong name or password; which of them is not told. */
  | 'INVALID_CREDENTIALS'
  /** 403: not from this origin, or without the CSRF header. */
  | 'CROSS_SITE'
  /** 403: `details.required` is the role. */
  | 'FORBIDDEN'
  /** 404: no such key, person, session or invitation, or not one of yours. */
  | 'NOT_FOUND'
  /** 410: unknown, used or expired. */
  | 'LINK_EXPIRED'
  /** 409: another account has the name. */
  | 'NAME_TAKEN'
  /** 409: the last active administrator cannot be demoted or disabled. */
  | 'LAST_ADMIN'
  /** 409: the typed name is not the key's. */
  | 'NAME_MISMATCH'
  /** 409: the key was revoked before. */
  | 'ALREADY_REVOKED'
  /** 503: storage did not take the change or the revocation; `Retry-After`. */
  | 'KEY_UNCHANGED'
  /** 409: the key has an active successor already. */
  | 'ALREADY_ROTATING'
  /** 409: the account has as many active keys as it may; `details.rule` says what to do. */
  | 'TOO_MANY_KEYS'
  /** 429: the account has created as many keys as it may on this day (UTC); `details.rule`, `resets_at`, `Retry-After`. */
  | 'TOO_MANY_NEW_KEYS'
  /** 409: an update is running; `details` has its state. */
  | 'UPDATE_RUNNING'
  /** 409: this server pulls datasets, or has nothing to update with. */
  | 'UPDATE_UNAVAILABLE'
  /** 400: `details.rule` says in a sentence what a name, password or other value must be, `details.path` which one. */
  | 'INVALID_REQUEST'
  /** 429: too many wrong passwords from this address or for this name; `Retry-After`. */
  | 'TOO_MANY_ATTEMPTS'
  /** 429: lookups are used up, of the account until 00:00 UTC, of an address without one for some seconds; `Retry-After`. */
  | 'RATE_LIMIT_EXCEEDED';

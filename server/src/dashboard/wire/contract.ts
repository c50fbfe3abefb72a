/**
 * The contract of `/dashboard/api/*`: paths, methods, and the types of what is sent and answered. The dashboard imports
 * it, the routes are typed by it. Every answer is `{ data, meta }`; field names are snake_case; times are ISO 8601 in
 * UTC and days are `YYYY-MM-DD`. An absent field is absent, never null, unless its type says so.
 *
 * Every request that changes something carries the header `X-CSRF-Token`: `csrf_token` of the session, or any text where
 * there is no session yet (signing in, redeeming a link). Browsers add Origin and Sec-Fetch-Site themselves.
 */
import type { AddressHistory, AsnSearchAnswer, BatchAnswer, DatasetDiff } from '@whence/client/wire';
import type { ParameterOf, ValueOf } from '../../http/json-schema.ts';
import type { LinkState, OneTimeLink, OpenLink, OpenSession, Person, SessionState, SignedIn } from './accounts.ts';
import type { DatasetPage, UpdateState } from './dataset.ts';
import type { DomainCheck, DomainTrial } from './domains.ts';
import type { CreatedKey, KeyDetail, KeyPage, KeySummary } from './keys.ts';
import type { AddressMap, AsnLookup, HostnameLookup, IpLookup, PrefixSummary, RegistrationLookup } from './lookups.ts';
import type { AuditPage, Health, SettingInForce } from './operation.ts';
import type { requests } from './requests.ts';
import type { KeyUsage, Overview, Traffic, UsageSeries } from './usage.ts';

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

/** What each route answers. */
export type Answers = {
  getSession: SessionState;
  signIn: SignedIn;
  signOut: Done;
  checkLink: LinkState;
  redeemLink: SignedIn;

  changePassword: SignedIn;
  listSessions: { sessions: OpenSession[] };
  endSession: Done;
  endAllSessions: Done;

  listPeople: { people: Person[] };
  changePerson: { person: Person };
  makeResetLink: OneTimeLink;
  invite: { open: OpenLink; link: OneTimeLink };
  listLinks: { links: OpenLink[] };
  revokeLink: Done;

  listKeys: KeyPage;
  createKey: CreatedKey;
  getKey: KeyDetail;
  changeKey: { key: KeySummary };
  pauseKey: { key: KeySummary };
  resumeKey: { key: KeySummary };
  revokeKey: { key: KeySummary };
  rotateKey: CreatedKey;
  getKeyUsage: KeyUsage;
  getKeyAudit: AuditPage;

  getOverview: Overview;
  getUsage: UsageSeries;
  exportUsage: never;
  getTraffic: Traffic;

  lookUpIp: IpLookup;
  lookUpHostname: HostnameLookup;
  lookUpRegistration: RegistrationLookup;
  lookUpHistory: AddressHistory;
  lookUpPrefix: PrefixSummary;
  lookUpAsn: AsnLookup;
  searchAsn: AsnSearchAnswer;
  mapPrefix: AddressMap;
  /** Map of all IPv4 space, one cell per /16. */
  mapAsn: AddressMap;
  checkDomain: DomainCheck;
  tryDomain: DomainTrial;
  lookUpBatch: BatchAnswer;

  getDataset: DatasetPage;
  getDatasetDiff: DatasetDiff;
  useVersion: { version: number };
  startUpdate: UpdateState;
  getUpdate: UpdateState;

  getHealth: Health;
  getSettings: { settings: SettingInForce[] };
  listAudit: AuditPage;
  exportAudit: never;
};

type Requests = typeof requests;
/** What a page sends: an absent part is not sent. Lists in a query are texts separated by commas. */
export type Input<Name extends RouteName> = ([ParameterOf<PathOf<Name>>] extends [never]
  ? unknown
  : { params: Params<Name> }) &
  (Name extends keyof Requests ? Sent<Requests[Name]> : unknown);
type Sent<Given> = (Given extends { body: infer Body } ? { body: ValueOf<Body> } : unknown) &
  (Given extends { querystring: infer Query } ? { query: Unlisted<ValueOf<Query>> } : unknown);
type Unlisted<Query> = {
  [Name in keyof Query]: Query[Name] extends readonly string[] | undefined ? string : Query[Name];
};
type PathOf<Name extends RouteName> = (typeof routes)[Name]['path'];
export type Params<Name extends RouteName> = { [Parameter in ParameterOf<PathOf<Name>>]: string };

export type Done = { done: true };

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

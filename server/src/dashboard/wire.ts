/**
 * The contract of `/dashboard/api/*`: paths, methods, and the types of what is sent and answered. The dashboard imports
 * it, the routes are typed by it. Every answer is `{ data, meta }`; field names are snake_case; times are ISO 8601 in
 * UTC and days are `YYYY-MM-DD`. An absent field is absent, never null, unless its type says so.
 *
 * Every request that changes something carries the header `X-CSRF-Token`: `csrf_token` of the session, or any text where
 * there is no session yet (signing in, redeeming a link). Browsers add Origin and Sec-Fetch-Site themselves.
 */
import type {
  AsnAnswer,
  AsnRecord,
  AsnSearchAnswer,
  AsnSearchResult,
  BatchAnswer,
  BatchRequest,
  ConnectionType,
  DatasetDiff,
  DatasetReport,
  EmailReport,
  Evidence,
  Flag,
  FlagSubject,
  IpRecord,
  Refusal,
  ThreatLevel,
} from '@whence/client/wire';
import type {
  AuditAction,
  AuditTargetKind,
  KeySort,
  KeyState,
  KeyStatus,
  Permission,
  Role,
  SortOrder,
  Tier,
  UsageGroup,
} from '../vocabulary.ts';

export type { AuditAction, KeySort, KeyState, KeyStatus, Permission, Role, Tier };

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
  /** 409: the key has an active successor already. */
  | 'ALREADY_ROTATING'
  /** 409: the account has as many active keys as it may; `details.rule` says what to do. */
  | 'TOO_MANY_KEYS'
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

// Accounts

export type Account = { id: string; name: string; role: Role; created_at: string };

export type SessionState = SignedOut | SignedIn;
export type SignedOut = {
  state: 'signed_out';
  /** False as long as there is no account: the first is made with the link that `whence user setup-link` prints. */
  has_accounts: boolean;
  /** WHENCE_PUBLIC_LOOKUPS: addresses, prefixes, networks and domains may be looked up without an account. */
  has_public_lookups: boolean;
  /** Another way to sign in: a link to follow, with the name of the provider. */
  provider?: { label: string; path: string };
};
export type SignedIn = {
  state: 'signed_in';
  account: Account;
  csrf_token: string;
  /** The session ends then at the latest. */
  expires_at: string;
  /** Without a password (an account of the provider), the password cannot be changed here. */
  has_password: boolean;
  /** Tiers this account may give to a key. */
  tiers: TierInfo[];
  permissions: Permission[];
  lookups_per_day: number;
  max_batch: number;
  server_version: string;
};
type SignInRequest = { name: string; password: string };

export type LinkKind = 'setup' | 'invitation' | 'reset';
export type LinkState = {
  kind: LinkKind;
  role: Role;
  /** Of the account whose password is set; absent where a name has to be chosen. */
  name?: string;
  expires_at: string;
};
/** `name` where the link does not have one. */
type RedeemRequest = { token: string; name?: string; password: string };
/** Shown once. `path` belongs behind the origin of the page. */
export type OneTimeLink = { path: string; expires_at: string };

export type OpenSession = {
  id: string;
  is_current: boolean;
  created_at: string;
  last_seen_at: string;
  expires_at: string;
  address: string;
  user_agent: string;
};

export type Person = Account & {
  is_disabled: boolean;
  has_password: boolean;
  last_sign_in_at?: string;
  active_keys: number;
};
/** A one-time link that was not used yet. The link itself is not shown again. */
export type OpenLink = {
  id: string;
  kind: LinkKind;
  role: Role;
  /** Of the account whose password is set. */
  account?: string;
  note?: string;
  created_at: string;
  created_by: string;
  expires_at: string;
};

// API keys

/** `requests_per_day` is null without a limit. */
export type TierInfo = { tier: Tier; requests_per_day: number | null; batch_size: number };

export type KeyQuery = {
  /**
   * At the beginning of a word of the name or of the owner's name, at the beginning of the id, or at the beginning or the
   * end of the masked key. Case-insensitive.
   */
  q?: string;
  /** Of SPEC: `active` has keys that are paused or have expired too. */
  status?: KeyStatus;
  /** Narrower: `active` has only keys that are neither paused nor expired. */
  state?: KeyState;
  tier?: Tier;
  permission?: Permission;
  /** Id of an account. Others than administrators see their own keys only. */
  owner?: string;
  /** Default: `created_at`. `requests_today` counts refused requests too. */
  sort?: KeySort;
  /** Default: `desc`. */
  order?: SortOrder;
  /** `next_after` of the page before, with the same filter and order. */
  after?: string;
  /** Default 50, at most 1000. */
  limit?: number;
};
/**
 * `total` is the number of keys that match; it is absent where `q` matches more than 2,000 keys, which are not counted.
 * `next_after` is there if more keys may follow. Such a page may have fewer keys than `limit`, even none.
 */
export type KeyPage = { keys: KeySummary[]; total?: number; next_after?: string };

export type KeySummary = {
  id: string;
  name: string;
  masked: string;
  status: KeyStatus;
  state: KeyState;
  tier: Tier;
  permissions: Permission[];
  note?: string;
  /** Requests are refused with 401 from then on. */
  expires_at?: string;
  paused_at?: string;
  /** Other clients are refused with 401; absent for any client. */
  allowed_networks?: string[];
  /** Per process of the server. */
  requests_per_second?: number;
  /** When the key will be revoked. */
  revoke_at?: string;
  revoke_scheduled_by?: string;
  /** Absent for keys of the command line. */
  owner?: { id: string; name: string };
  created_at: string;
  /** Absent for keys that were first used before this was recorded. */
  first_use?: FirstUse;
  last_used_at?: string;
  /** Client address of a request about that time. */
  last_used_from?: string;
  revoked_at?: string;
  revoked_by?: string;
  /** Requests with the key that were answered with 401 since it was revoked, paused or resumed; absent if there was none. */
  refused?: { requests: number; last_at: string; last_from?: string };
  quota: KeyQuota;
  /** Requests of the last 30 days, the oldest first; the last entry is today. */
  requests_by_day: number[];
  /** Rotation: the key this one replaces, and the one that replaces it. */
  predecessor_id?: string;
  successor_id?: string;
};
/** The first request with a key: from which client address, and the status of the answer. */
export type FirstUse = { at: string; from: string; status: number };
/** `used` of `limit` today; `limit` is null without one. */
export type KeyQuota = { used: number; limit: number | null; resets_at: string };

type NewKeyRequest = { name: string; tier: Tier; permissions: Permission[] } & KeyAttributesRequest;
/** `expires_at` is ISO 8601 with a zone; null, an empty note and an empty list remove an attribute. */
type KeyAttributesRequest = {
  note?: string;
  expires_at?: string | null;
  allowed_networks?: string[];
  requests_per_second?: number | null;
};
/** What is absent stays as it is. */
export type KeyChangeRequest = Partial<NewKeyRequest> & {
  /** Schedules the revocation of the key; null cancels it. */
  revoke_in_hours?: number | null;
};
/** `secret` is answered here and never again. */
export type CreatedKey = { key: KeySummary; secret: string };
export type KeyDetail = { key: KeySummary; predecessor?: KeySummary; successor?: KeySummary };

type DayRange = { from?: string; to?: string };
/** `status_class` is 2 for 200 to 299, and so on. */
export type UsageRow = { day: string; endpoint: string; status_class: number; requests: number };
type KeyUsage = { from: string; to: string; rows: UsageRow[] };

// Usage

export type UsageQuery = DayRange & {
  /** Id of a key, or `account:ID` for lookups in the dashboard. */
  key?: string;
  /** Default: `endpoint`. */
  by?: UsageGroup;
};
/** `values` has a number per entry of `days`. By key: the twenty largest, then one with the id `other`. */
export type UsageSeries = {
  from: string;
  to: string;
  by: UsageGroup;
  days: string[];
  series: { id: string; label: string; total: number; values: number[] }[];
  total: number;
  /** Answered with 4xx. */
  client_errors: number;
  /** Answered with 5xx. */
  server_errors: number;
};

/** The API as a whole, by hour: administrators only. */
type Traffic = {
  hours: TrafficHour[];
  latency: Latency;
  cache: { hits: number; misses: number };
  refused: Refused;
  unavailable: Unavailable;
};
/** `hour` is the start, as `2026-08-01T13:00:00Z`. */
type TrafficHour = {
  hour: string;
  requests: number;
  refused: number;
  server_errors: number;
  p50_ms: number;
  p99_ms: number;
};
/** Estimates from a histogram; 0 without requests. */
type Latency = { p50_ms: number; p90_ms: number; p99_ms: number };
/** Answered with 503 because something else was down; `other` is storage or the dataset. */
export type Unavailable = { dns: number; other: number };
export type Refused = { unauthorized: number; forbidden: number; rate_limited: number; overloaded: number };

export type Overview = {
  /** Of the keys and the account one may see. */
  today: { requests: number };
  yesterday: { requests: number };
  /** The most used share of the limit first; at most ten, from 80 % on. */
  keys_near_limit: KeySummary[];
  top_keys: { id: string; label: string; requests: number }[];
  dataset?: {
    version: number;
    built_at: string;
    /** Of the oldest source that decides prefixes or countries. */
    data_as_of?: string;
    limits: DatasetLimits;
  };
  update: UpdateState;
  /** Steps of a first run that are left; absent when all are done. */
  first_run?: FirstRun;
  /** Administrators only. */
  traffic?: TrafficOverview;
  /** Administrators only. */
  networks?: TopNetworks;
};
/**
 * Networks that the looked-up addresses belong to, today and yesterday (UTC): ten, the largest first, of `lookups` in
 * all. Estimates where a process has more than 1,000 lookups in ten seconds.
 */
export type TopNetworks = {
  lookups: number;
  top: { asn: number; name: string; lookups: number }[];
  /** By the country in which a network is registered, `ZZ` if it is not known. */
  countries: { country: string; lookups: number }[];
};
/** Compares equal spans of time; `before` is an estimate, because traffic is stored by hour. */
type TrafficOverview = {
  /** 24 hours until now. */
  last_day: TrafficTotals;
  /** Of the last 24 hours, and of the 24 hours before. */
  refused: { now: number; before: number };
  /** Since 00:00 UTC, and until the same time of yesterday. */
  requests_today: { now: number; before: number };
};
/** Whether the account has looked something up, has a key that was used, and the dataset has live data. */
export type FirstRun = { has_looked_up: boolean; has_used_key: boolean; has_live_data: boolean };
export type TrafficTotals = {
  requests: number;
  refused: Refused;
  unavailable: Unavailable;
  latency: Latency;
  cache: { hits: number; misses: number };
};

// Lookups. Meta of an address is that of the API: request_id, cache_status, dataset_version.

/** Not found: 404 with `details` as `SpecialPurpose` where the address is in such a range. */
export type IpLookup = {
  record: IpRecord;
  evidence: (Evidence & { licence: string; credit: string })[];
  /** Of the sources that decided something. */
  credits: string[];
  limits: DatasetLimits;
};
/** What the dataset cannot know, so that `false` and a score of 0 are not taken for "no". */
export type DatasetLimits = {
  /** No source knows them. */
  unknown: FlagSubject[];
  /** Addresses of these kinds change from day to day, and what is known is from tables or older than a month. */
  dated: { subject: FlagSubject; as_of?: string }[];
};
type SpecialPurpose = { prefix: string; name: string; rfc: string };

type Share<Value extends string> = { value: Value; addresses: number };
/** Sizes are IPv4 addresses or IPv6 /64s; as numbers they are exact up to 2^53. */
export type PrefixSummary = {
  prefix: string;
  unit: 'addresses' | 'slash64s';
  size: number;
  /** From the beginning, what was counted: all of it unless it has more parts than can be walked. */
  counted: number;
  /** Of that, what is announced. */
  announced: number;
  /** The announced prefix that contains all of it, if there is one. */
  covered_by?: { prefix: string; asn: number; asn_name: string };
  special_purpose?: SpecialPurpose;
  /** What was counted as up to 256 equal cells in order, for a map of all of it. */
  cells: PrefixCell[];
  /** Runs of addresses with the same record, in order: the first 256 of `part_count`. */
  parts: PrefixPart[];
  part_count: number;
  connection_types: Share<ConnectionType>[];
  flags: Share<Flag>[];
  threat_levels: Share<ThreatLevel>[];
  countries: Share<string>[];
  networks: { asn: number; asn_name: string; addresses: number }[];
  limits: DatasetLimits;
  credits: string[];
};
/** `announced` is a share from 0 to 1; the values are those of the largest announced part. */
export type PrefixCell = { announced: number; level?: ThreatLevel; connection_type?: ConnectionType };
export type PrefixPart = {
  first: string;
  last: string;
  prefix: string;
  asn: number;
  asn_name: string;
  country: string;
  connection_type: ConnectionType;
  flags: Flag[];
  score: number;
  level: ThreatLevel;
};

export type AsnLookup = {
  /** With `prefixes`, complete. */
  record: AsnAnswer;
  /** Of its IPv4 addresses; `is_sample` where it has too many prefixes to walk all. */
  connection_types: Share<ConnectionType>[];
  countries: Share<string>[];
  is_sample: boolean;
  /** Kinds of its prefixes, and for every prefix, IPv4 first, the position of its kind; -1 where it was not walked. */
  prefix_kinds: { kinds: PrefixKind[]; of: number[] };
  /** Networks of the same organisation, by name: a guess. */
  related: AsnSearchResult[];
  credits: string[];
};
/** Type and country of most of its addresses, and flags that at least one of them has. */
export type PrefixKind = { connection_type: ConnectionType; country: string; flags: Flag[] };
export type { AsnRecord };

/**
 * One letter of CELL_CODES per block of `cell_length` bits, in the order of addresses: at most 65,536. `is_truncated`
 * where there is more to walk than a page may wait for; what follows is then shown as unannounced.
 */
export type AddressMap = { prefix: string; cell_length: number; cells: string; is_truncated: boolean };

/** `record`: what to publish, as a line of a zone file. */
export type DomainAdvice = { points: number; text: string; record?: string };

export type DomainPart = 'mx' | 'spf' | 'dkim' | 'dmarc';
/** `words`: the record, or why there is none. */
export type DomainPartState = {
  state: 'verified' | 'missing' | 'unverified' | 'not applicable';
  is_valid: boolean;
  words: string;
};
export type DomainCheck = {
  report: EmailReport;
  points: Record<DomainPart, { points: number; max: number }>;
  parts: Record<DomainPart, DomainPartState>;
  /** The grade, with a question mark if a part could not be verified. */
  grade_text: string;
  /** False if DNS says that the domain does not exist: it has no grade then. */
  does_exist: boolean;
  /** Why anyone can send mail as the domain; empty if that is not so. */
  risk: string;
  /** Set up to send no mail: nothing is left to fix, whatever the grade. */
  is_finished: boolean;
  /** What to fix, the most points first; 0 for what does not count but should be known. */
  advice: DomainAdvice[];
  spf_tree: SpfTreeNode;
  spf_void_lookups: number;
  mx_state: string;
  /** The hosts that were examined, the preferred first. */
  mx_hosts: MxHost[];
  /** Found with a wildcard record: every selector would be. */
  is_dkim_wildcard: boolean;
  is_dmarc_test_mode: boolean;
};
/** `provider` is named where the host is known to belong to one. */
export type MxHost = { host: string; preference: number; addresses: string[]; provider?: string };
export type SpfTreeNode = {
  name: string;
  /** The term that led here; empty for the root. */
  via: string;
  raw: string;
  /** Of this subtree, itself included. */
  lookups: number;
  errors: string[];
  children: SpfTreeNode[];
};

/** Texts instead of the present records; an empty text removes one, an absent field leaves it as it is. */
export type TrialRequest = {
  spf?: string;
  dmarc?: string;
  dkim?: { selector: string; text: string };
  /** As for `checkDomain`. */
  selectors?: string;
};
/** `before` is the zone as it is, `after` with the texts of the request. */
export type DomainTrial = {
  before: TrialState;
  after: TrialState;
  appeared: TrialFinding[];
  vanished: TrialFinding[];
};
export type TrialState = {
  score: number;
  grade_text: string;
  points: DomainCheck['points'];
  risk: string;
  spf_lookups: number;
  spf_errors: string[];
  dmarc_errors: string[];
  /** Absent without a dataset. `networks`: by number of addresses that may send, the largest first. */
  senders?: {
    ipv4_addresses: number;
    ipv6_48s: number;
    open_to_all: boolean;
    networks: { asn: number; asn_name: string; ipv4_addresses: number }[];
  };
};
/** `text` begins with the code of the finding. */
export type TrialFinding = { part: DomainPart; text: string };

// Dataset

export type DatasetPage = {
  /** Absent as long as no dataset is loaded. */
  report?: DatasetReport;
  /** Per source, how its newest copy came here; absent for what is built in. */
  feeds: FeedState[];
  update: UpdateState;
};
export type FeedState = { id: string; attempted_at: string; fetched_at?: string; failures: number; error?: string };
export type UpdateState = {
  /** `never`: there was none yet. */
  outcome: 'never' | 'running' | 'published' | 'unchanged' | 'failed';
  started_at?: string;
  finished_at?: string;
  succeeded_at?: string;
  /** What a running update does, and how much of it is done, from 0 to 1. */
  step?: string;
  share?: number;
  version?: number;
  /** Administrators only. */
  error?: string;
  /** Feeds that the last update did not use, also if it failed; `problem` says so in a sentence. */
  refused: Refusal[];
  problem?: string;
  schedule: UpdateSchedule;
};
/** `pull`: versions come from a static host. Without `interval_seconds` nothing happens by itself. */
type UpdateSchedule = { kind: 'build' | 'pull'; interval_seconds?: number; can_start: boolean };

// Operation

export type Health = {
  server_version: string;
  node_version: string;
  storage: { engine: string; state: 'ok' | 'unavailable' };
  dataset: {
    state: 'ok' | 'stale' | 'fallback' | 'missing';
    version?: number;
    built_at?: string;
    /** Of the oldest source that decides prefixes or countries. */
    data_as_of?: string;
  };
  /** Processes that reported in the last half minute, on all machines. */
  processes: ProcessState[];
  update: UpdateState;
};
export type ProcessState = {
  id: string;
  host: string;
  pid: number;
  is_this: boolean;
  started_at: string;
  seen_at: string;
  memory_bytes: number;
  event_loop_lag_ms: number;
  dataset_version: number;
};

/** `value` is absent for secrets: only `is_set` is told. */
export type SettingInForce = {
  variable: string;
  help: string;
  default: string;
  is_set: boolean;
  is_secret: boolean;
  value?: string;
};

type AuditQuery = {
  action?: AuditAction;
  /** Id of the account that acted. */
  actor?: string;
  target?: string;
  /** Entries before this id: `next_before` of the page before. */
  before?: string;
  /** Default 50, at most 500. */
  limit?: number;
};
export type AuditEntry = {
  id: string;
  at: string;
  /** Name at that time; `command line, USER` for commands. */
  actor: string;
  actor_id?: string;
  action: AuditAction;
  target_kind: AuditTargetKind;
  target_id?: string;
  /** Name of the key or account, or number of the version, at that time. */
  target?: string;
  /** Client address; absent for commands. */
  address?: string;
  /** Such as `{ from: 'viewer', to: 'member' }`. Never a secret. */
  details?: Record<string, string>;
};
/** Newest first. */
export type AuditPage = { entries: AuditEntry[]; next_before?: string };

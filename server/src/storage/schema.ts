/** The tables, as queries see them. Times are milliseconds since 1970 and days `YYYY-MM-DD` in UTC, in every engine. */
import type { ColumnType, Generated, Kysely } from 'kysely';

/** Text that is never updated. */
type Fixed = ColumnType<string, string, never>;

export type Schema = {
  keys: {
    id: Fixed;
    name: string;
    hash: Fixed;
    masked: Fixed;
    /** Separated by spaces. */
    permissions: string;
    tier: string;
    created_at: number;
    last_used_at: number | null;
    revoked_at: number | null;
    revoked_by: string | null;
    /** Account of the dashboard; null for keys of the command line. */
    owner_id: string | null;
    predecessor_id: string | null;
    first_used_at: number | null;
    first_used_from: string | null;
    first_used_status: number | null;
    last_used_from: string | null;
    /** Requests that were refused since the key was last revoked, paused or resumed, and the last of them. */
    refused_requests: Generated<number>;
    last_refused_at: number | null;
    last_refused_from: string | null;
    note: string | null;
    expires_at: number | null;
    /** 1 once a list was read after the key had expired: its facet then says so. Requests compare `expires_at`. */
    has_expired: Generated<number>;
    paused_at: number | null;
    /** CIDR prefixes separated by spaces; null for any client. */
    allowed_networks: string | null;
    requests_per_second: number | null;
    /** Requests a day; null for the number of the tier. */
    daily_limit: number | null;
    /** When the key is to be revoked, and who scheduled it. */
    revoke_at: number | null;
    revoke_by: string | null;
    /** `revisions.keys` after its last change. */
    revision: Generated<number>;
    /** The name as it sorts. */
    name_key: string;
    /** Requests of the last day with any: days since 1970 times 2^32, plus their number. Sorts by day, then number. */
    day_requests: Generated<number>;
  };
  /** Each name from each of its words on, ids and masked keys, as they are searched for. */
  key_words: { word: string; key_id: string };
  /** Kept by triggers. `scope` is the id of an account, empty for all keys; `facet` is state, tier and permissions. */
  key_counts: { scope: string; facet: string; key_count: number };
  /** One row. Each number increases with every change that processes must notice. */
  revisions: { id: number; keys: number; recalls: number };
  /** A random token for each of the last changes of `revisions.keys`, kept by triggers. */
  key_changes: { number: number; token: string };
  /** How much of a key's day was granted and not returned. Statements return new values only: `last_granted`. */
  quota: {
    key_id: Fixed;
    day: Fixed;
    granted: number;
    last_granted: number;
    /** The largest share of the limit that the audit log has an entry of. */
    alerted_percent: Generated<number>;
  };
  /**
   * Leases that processes hold. Their numbers only grow: `granted` is the size, `opened` what may have been spent,
   * `spent` what was last reported. Past its deadline a lease is removed, and what was not opened returned.
   */
  leases: {
    key_id: Fixed;
    day: Fixed;
    /** A process and a number, so that the name of an ended lease is never reused. */
    owner: Fixed;
    granted: number;
    opened: number;
    spent: number;
    /** On the clock of the database. */
    expires_at: number;
  };
  /** One row: a program must know at least this schema step to use the database. */
  compatibility: { id: number; oldest_program: string };
  /** Requests to all processes to return their leases of a key's day. */
  recalls: { number: number; key_id: string; day: string };
  /** Requests by key, day, endpoint and status class (2 for 200 to 299, and so on). */
  usage: {
    key_id: Fixed;
    day: Fixed;
    endpoint: Fixed;
    status_class: ColumnType<number, number, never>;
    requests: number;
  };
  accounts: {
    id: Fixed;
    name: string;
    /** The name in the form in which it must be unique. */
    name_key: string;
    /** argon2id in its PHC form; null for accounts without a password, such as those of a provider. */
    password_hash: string | null;
    /** Issuer and subject of OpenID Connect. */
    provider_subject: string | null;
    role: string;
    created_at: number;
    last_sign_in_at: number | null;
    disabled_at: number | null;
  };
  /** Ended sessions are kept until they expire, because they show from which addresses an account has signed in. */
  sessions: {
    id: Fixed;
    token_hash: Fixed;
    account_id: Fixed;
    created_at: number;
    last_seen_at: number;
    expires_at: number;
    ended_at: number | null;
    address: string;
    user_agent: string;
  };
  /** One-time links: deleted when they are used. */
  links: {
    id: Fixed;
    token_hash: Fixed;
    kind: Fixed;
    role: Fixed;
    account_id: string | null;
    note: string | null;
    created_at: number;
    created_by: string;
    created_by_id: string | null;
    expires_at: number;
  };
  /** `id` sorts by time in every collation: fixed-width hexadecimal. */
  audit: {
    id: Fixed;
    at: number;
    actor: string;
    actor_id: string | null;
    action: string;
    target_kind: string;
    target_id: string | null;
    target: string | null;
    address: string | null;
    /** JSON. */
    details: string | null;
  };
  traffic: { hour: number; counter: Fixed; count: number };
  /** Requests that were refused although their key exists, by hour (its start) and reason; `detail` is of the last one. */
  key_refusals: {
    key_id: Fixed;
    hour: number;
    reason: Fixed;
    requests: number;
    last_at: number;
    detail: string | null;
  };
  processes: {
    id: Fixed;
    host: string;
    pid: number;
    started_at: number;
    seen_at: number;
    /** The clock of its machine; null while it does not agree with the time in use. */
    machine_at: number | null;
    /** The clock of the database when this was written. */
    stored_at: number;
    memory_bytes: number;
    lag_ms: number;
    dataset_version: number;
    rules_checksum: string;
    overrides_checksum: string;
    settings_checksum: string;
  };
  /**
   * One row. `probes` counts attempts to write, `pruned_at` is the last claim to remove old rows, `steady_hours` how
   * many claims followed each other within a day, `agreed_day` the last day on which all clocks agreed.
   */
  maintenance: { id: number; probes: number; pruned_at: number; steady_hours: number; agreed_day: string | null };
  /** Answers of registries by subject: an address, an IPv6 /64, a bootstrap file. */
  registrations: { subject: Fixed; content: string; fetched_at: number };
  /** Domains that reports or decisions are about. Ids are hashes: see `prepared-report`. */
  report_domains: { id: number; domain: Fixed; generation: number };
  /** Aggregate reports. Their days, like those below, are numbers: days since 1970. */
  reports: {
    id: number;
    /** Of reporter, its id of the report, domain and period. */
    key_id: number;
    domain_id: number;
    /** The middle of its period. */
    day: number;
    /** As the report has them. */
    reporter: Fixed;
    reporter_email: Fixed;
    report_id: Fixed;
    begin_at: number;
    end_at: number;
    /** JSON. */
    policy: Fixed;
    row_count: number;
    messages: number;
    passed: number;
    /** SHA-256 of the XML. */
    digest: Fixed;
    /** `file`, `key` or `message`; `arrived_from` is the id of the key. */
    arrived: Fixed;
    arrived_from: Fixed;
    imported_at: number;
    /** 0 if it came by mail without a signature of the reporter's domain. */
    proven: number;
    /** 0 if its period is longer than 48 hours, or in the future. */
    usable: number;
    /** 1 if there is another one with the same key and other rows. */
    conflicts: number;
  };
  /** Its rows: shape, address and messages, packed, as base64. */
  report_pages: { report: number; number: number; content: Fixed };
  /** Everything else that a row says. `content` is JSON; `last_day` is that of the last report with the shape. */
  report_shapes: { domain_id: number; id: number; content: Fixed; last_day: number };
  sender_decisions: { domain_id: number; service: Fixed; decision: string; decided_at: number; decided_by: string };
  /** Lists of domains that an account checks in the dashboard; `checked` of `size` have a result. */
  domain_runs: { id: Fixed; account_id: Fixed; name: Fixed; created_at: number; size: number; checked: number };
  /** `claimed_until`: no other page is told to check the domain before this time. `result` is JSON. */
  run_domains: { run_id: Fixed; position: number; domain: Fixed; claimed_until: number; result: string | null };
  /** Processes that write statistics, and the number of the last stored batch of each. */
  writers: { id: Fixed; last_batch: number; written_at: number };
};

export type Db = Kysely<Schema>;

/** State, tier and permissions, as indexes define it. Time cannot be part: `has_expired` is set before reading. */
export const FACET = (row = '') =>
  `(case when ${row}revoked_at is not null then 'revoked' when ${row}has_expired = 1 then 'expired'
    when ${row}paused_at is not null then 'paused' else 'active' end || ' ' || ${row}tier || ' ' || ${row}permissions)`;

export const SORT_VALUES = {
  name: 'name_key',
  created: 'created_at',
  last_use: 'coalesce(last_used_at, 0)',
  requests: 'day_requests',
};

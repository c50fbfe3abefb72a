/**
 * The tables of the first release, from which both the statements that create them and the types of
 * queries are made. A later step declares what it adds in `Schema`. Times are milliseconds since
 * 1970 and days `YYYY-MM-DD` in UTC.
 */
import type { ColumnType, Generated, Kysely } from 'kysely';

/**
 * `sorted` is text that is compared byte by byte. In SQLite, `bigint` is an integer like any other.
 */
export const TABLES = {
  keys: {
    id: 'text primary key',
    name: 'text not null',
    /** The forms of the name for sorting and for searching. */
    name_key: 'sorted not null',
    name_folded: 'text not null',
    hash: 'text not null unique',
    masked: 'text not null',
    /** Separated by spaces. */
    permissions: 'text not null',
    tier: 'text not null',
    note: 'text',
    created_at: 'bigint not null',
    expires_at: 'bigint',
    paused_at: 'bigint',
    /** CIDR prefixes separated by spaces; null for any client. */
    allowed_networks: 'text',
    /** Domains whose reports it may use, separated by spaces; null for all. */
    allowed_domains: 'text',
    requests_per_second: 'integer',
    /** Requests a day; null for the number of the tier. */
    daily_limit: 'bigint',
    /** When the key is to be revoked, and who scheduled it. */
    revoke_at: 'bigint',
    revoke_by: 'text',
    revoked_at: 'bigint',
    revoked_by: 'text',
    /** Account of the dashboard; null for keys of the command line. */
    owner_id: 'text',
    predecessor_id: 'text',
    first_used_at: 'bigint',
    first_used_from: 'text',
    first_used_status: 'integer',
    last_used_at: 'bigint',
    last_used_from: 'text',
    /**
     * Requests that were refused since the key was last revoked, paused or resumed, and the last of
     * them.
     */
    refused_requests: 'bigint not null default 0',
    last_refused_at: 'bigint',
    last_refused_from: 'text',
    /**
     * Requests of the last day with any: days since 1970 times 2^32, plus their number. Sorts by
     * day, then number.
     */
    day_requests: 'bigint not null default 0',
    /** `revisions.keys` after its last change. */
    revision: 'integer not null default 0',
  },
  /** One row. Each number increases with every change that processes must notice. */
  revisions: { id: 'integer primary key', keys: 'bigint not null', recalls: 'bigint not null' },
  /**
   * How much of a key's day was granted and not returned. Statements return new values only:
   * `last_granted`.
   */
  quota: {
    key_id: 'text not null',
    day: 'text not null',
    granted: 'bigint not null',
    last_granted: 'integer not null default 0',
    /** The largest share of the limit that the audit log has an entry of. */
    alerted_percent: 'bigint not null default 0',
    'constraint quota_key primary key': 'key_id, day',
  },
  /**
   * Leases that processes hold. Their numbers only grow: `granted` is the size, `opened` what may
   * have been spent,
   * `spent` what was last reported. Past its deadline a lease is removed, and what was not opened
   * returned.
   */
  leases: {
    key_id: 'text not null',
    day: 'text not null',
    /** A process and a number, so that the name of an ended lease is never reused. */
    owner: 'text not null',
    granted: 'bigint not null',
    opened: 'bigint not null',
    spent: 'bigint not null',
    /** On the clock of the database. */
    expires_at: 'bigint not null',
    'constraint leases_key primary key': 'key_id, day, owner',
  },
  /** Requests to all processes to return their leases of a key's day. */
  recalls: { number: 'bigint primary key', key_id: 'text not null', day: 'text not null' },
  /** Requests by key, day, endpoint and status class (2 for 200 to 299, and so on). */
  usage: {
    key_id: 'text not null',
    day: 'text not null',
    endpoint: 'text not null',
    status_class: 'integer not null',
    requests: 'bigint not null',
    'constraint usage_key primary key': 'key_id, day, endpoint, status_class',
  },
  accounts: {
    id: 'text primary key',
    name: 'text not null',
    /** The name in the form in which it must be unique. */
    name_key: 'text not null unique',
    /**
     * argon2id in its PHC form; null for accounts without a password, such as those of a provider.
     */
    password_hash: 'text',
    /** Issuer and subject of OpenID Connect. */
    provider_subject: 'text unique',
    role: 'text not null',
    /** As those of a key. */
    allowed_domains: 'text',
    created_at: 'bigint not null',
    last_sign_in_at: 'bigint',
    disabled_at: 'bigint',
  },
  /**
   * Ended sessions are kept until they expire, because they show from which addresses an account
   * has signed in.
   */
  sessions: {
    id: 'text primary key',
    token_hash: 'text not null unique',
    account_id: 'text not null',
    created_at: 'bigint not null',
    last_seen_at: 'bigint not null',
    expires_at: 'bigint not null',
    ended_at: 'bigint',
    address: 'text not null',
    user_agent: 'text not null',
  },
  /** One-time links: deleted when they are used. */
  links: {
    id: 'text primary key',
    token_hash: 'text not null unique',
    kind: 'text not null',
    role: 'text not null',
    account_id: 'text',
    note: 'text',
    created_at: 'bigint not null',
    created_by: 'text not null',
    created_by_id: 'text',
    expires_at: 'bigint not null',
  },
  /** `id` sorts by time in every collation: fixed-width hexadecimal. `details` is JSON. */
  audit: {
    id: 'text primary key',
    at: 'bigint not null',
    actor: 'text not null',
    actor_id: 'text',
    action: 'text not null',
    target_kind: 'text not null',
    target_id: 'text',
    target: 'text',
    address: 'text',
    details: 'text',
  },
  traffic: {
    hour: 'bigint not null',
    counter: 'text not null',
    count: 'bigint not null',
    'constraint traffic_key primary key': 'hour, counter',
  },
  /**
   * Requests with a key by hour (its start), for two days: those that `usage` counts have no
   * reason, and those that were refused although the key exists have one. `detail` is of the last
   * refusal.
   */
  key_hours: {
    key_id: 'text not null',
    hour: 'bigint not null',
    reason: 'text not null',
    requests: 'bigint not null',
    last_at: 'bigint not null',
    detail: 'text',
    'constraint key_hours_key primary key': 'key_id, hour, reason',
  },
  processes: {
    id: 'text primary key',
    host: 'text not null',
    pid: 'integer not null',
    started_at: 'bigint not null',
    seen_at: 'bigint not null',
    /** The clock of its machine; null while it does not agree with the time in use. */
    machine_at: 'bigint',
    /** The clock of the database when this was written. */
    stored_at: 'bigint not null',
    memory_bytes: 'bigint not null',
    lag_ms: 'bigint not null',
    dataset_version: 'bigint not null',
    rules_checksum: 'text not null',
    overrides_checksum: 'text not null',
    settings_checksum: 'text not null',
  },
  /** Domains that reports or decisions are about. Ids are hashes: see `prepared-report`. */
  report_domains: {
    id: 'bigint primary key',
    domain: 'text not null',
    generation: 'bigint not null',
  },
  /** Proven aggregate reports. Their days, like those below, are numbers: days since 1970. */
  reports: {
    id: 'bigint primary key',
    /** Hash of reporter, report id, domain and period. */
    key_id: 'bigint not null',
    domain_id: 'bigint not null',
    /** The middle of its period. */
    day: 'integer not null',
    /** As the report has them. */
    reporter: 'text not null',
    reporter_email: 'text not null',
    report_id: 'text not null',
    begin_at: 'bigint not null',
    end_at: 'bigint not null',
    /** JSON. */
    policy: 'text not null',
    row_count: 'integer not null',
    messages: 'bigint not null',
    passed: 'bigint not null',
    /** SHA-256 of the XML. */
    digest: 'text not null',
    /** `file`, `key` or `message`; `arrived_from` is the id of the key. */
    arrived: 'text not null',
    arrived_from: 'text not null',
    imported_at: 'bigint not null',
    /** 0 if its period is longer than 48 hours, or in the future. */
    usable: 'integer not null',
    /** 1 if there is another one with the same key and other rows. */
    conflicts: 'integer not null',
  },
  /**
   * Their rows. There may be millions, so they have no more columns, and an index of the reports
   * instead of a primary key (docs/decisions/0065).
   */
  report_rows: {
    report: 'bigint not null',
    /** `report_shapes.id` of the same domain. */
    shape: 'integer not null',
    address: 'text not null',
    messages: 'integer not null',
  },
  /** Everything else that rows say, once for each domain. */
  report_shapes: {
    domain_id: 'bigint not null',
    /** From 1 in each domain. */
    id: 'integer not null',
    hash: 'bigint not null',
    header_from: 'text not null',
    envelope_from: 'text not null',
    disposition: 'text not null',
    /** As reporters evaluated them, with alignment: 0 or 1. */
    spf_passed: 'integer not null',
    dkim_passed: 'integer not null',
    /**
     * JSON: lists of `{domain, scope, result}`, `{domain, selector, result}`, `{type, comment}`.
     */
    spf: 'text not null',
    dkim: 'text not null',
    reasons: 'text not null',
    /** Sum over all usable reports, and the day of the last one. */
    messages: 'bigint not null',
    last_day: 'integer not null',
    'constraint report_shapes_key primary key': 'domain_id, id',
  },
  /** Sums of the usable reports of a domain and day. */
  report_days: {
    domain_id: 'bigint not null',
    day: 'integer not null',
    reports: 'integer not null',
    messages: 'bigint not null',
    passed: 'bigint not null',
    /** Rows from elsewhere: see `report-flood`. */
    other_rows: 'integer not null',
    'constraint report_days_key primary key': 'domain_id, day',
  },
  /** Addresses from which mail has passed, or was signed as the domain. */
  report_sources: {
    domain_id: 'bigint not null',
    address: 'sorted not null',
    last_day: 'integer not null',
    'constraint report_sources_key primary key': 'domain_id, address',
  },
  /** Rows of a flood, added up by /24 or /48; `''` has those of all other networks. */
  report_sums: {
    domain_id: 'bigint not null',
    day: 'integer not null',
    network: 'sorted not null',
    shape: 'integer not null',
    messages: 'bigint not null',
    /** The part that receivers of the table have reported. */
    listed_messages: 'bigint not null',
    addresses: 'integer not null',
    'constraint report_sums_key primary key': 'domain_id, day, network, shape',
  },
  /** Proven TLS reports (RFC 8460); columns as in `reports`. What they say is in `tls_sums`. */
  tls_reports: {
    id: 'bigint primary key',
    domain_id: 'bigint not null',
    day: 'integer not null',
    reporter: 'text not null',
    reporter_email: 'text not null',
    report_id: 'text not null',
    begin_at: 'bigint not null',
    end_at: 'bigint not null',
    sessions: 'bigint not null',
    digest: 'text not null',
    arrived: 'text not null',
    arrived_from: 'text not null',
    imported_at: 'bigint not null',
    usable: 'integer not null',
  },
  /** Sums of the usable ones. */
  tls_sums: {
    domain_id: 'bigint not null',
    day: 'integer not null',
    /** The domain of the reporter's address, which is what is proven. */
    reporter: 'sorted not null',
    /** `sts`, `tlsa` or `no-policy-found`. */
    policy: 'sorted not null',
    /** Empty where the report does not say, as for `success`. */
    host: 'sorted not null',
    result: 'sorted not null',
    sessions: 'bigint not null',
    'constraint tls_sums_key primary key': 'domain_id, day, reporter, policy, host, result',
  },
  /** Reports that came by mail and were not proven: no rows. */
  unproven_reports: {
    id: 'bigint primary key',
    /** `dmarc` or `tls`. */
    kind: 'text not null',
    domain_id: 'bigint not null',
    day: 'integer not null',
    reporter: 'text not null',
    begin_at: 'bigint not null',
    end_at: 'bigint not null',
    row_count: 'integer not null',
    messages: 'bigint not null',
    /** Why: `not_signed` and so on. */
    reason: 'text not null',
    imported_at: 'bigint not null',
  },
  /** Mailboxes of reports, by `mailboxId`, and how far they are read. */
  report_mailboxes: {
    id: 'text primary key',
    /** Random, of the process that reads it until then. */
    claim: 'text',
    claimed_until: 'bigint not null default 0',
    due_at: 'bigint not null default 0',
    /** UIDs mean something only together with it. */
    uid_validity: 'bigint not null default 0',
    /** Messages up to this UID were read. */
    last_uid: 'bigint not null default 0',
    /** Messages below this UID are read only if they arrived after `since_at`. */
    first_uid: 'bigint not null default 0',
    since_at: 'bigint not null default 0',
    /** When all messages were read last. */
    fetched_at: 'bigint',
    failing_since_at: 'bigint',
    /** The last attempt: a sentence. */
    failure: 'text',
    /** What was read since the beginning. */
    messages: 'bigint not null default 0',
    reports_read: 'bigint not null default 0',
    reports_repeated: 'bigint not null default 0',
    reports_not_read: 'bigint not null default 0',
    without_report: 'bigint not null default 0',
    too_large: 'bigint not null default 0',
  },
  sender_decisions: {
    domain_id: 'bigint not null',
    service: 'sorted not null',
    decision: 'text not null',
    decided_at: 'bigint not null',
    decided_by: 'text not null',
    'constraint sender_decisions_key primary key': 'domain_id, service',
  },
  watched_domains: {
    domain: 'sorted primary key',
    /** Separated by spaces. */
    tags: 'text not null',
    note: 'text',
    added_at: 'bigint not null',
    added_by: 'text not null',
    /** When the next check may begin, on the clock of the deployment. */
    due_at: 'bigint not null',
    /** Random, of the process that checks it until then. */
    claim: 'text',
    claimed_until: 'bigint not null default 0',
    /** The last check, and the last one to which DNS answered in full. */
    tried_at: 'bigint',
    answered_at: 'bigint',
    unanswered_since_at: 'bigint',
    score: 'integer',
    grade: 'text',
    policy: 'text',
    /** From reports: `yes`, `no` or `not_enough`. */
    verdict: 'text',
    /** JSON: what the next check is compared with (`watch/domain-state`). */
    state: 'text not null',
  },
  watch_events: {
    /** Sorts by the time of its opening. */
    id: 'text primary key',
    /** Empty for events of the deployment. */
    domain: 'sorted not null',
    code: 'sorted not null',
    subject: 'sorted not null',
    /** `check` or `reports`. */
    source: 'text not null',
    /** 1 to 3: low, medium, high. */
    severity: 'integer not null',
    sentence: 'text not null',
    act: 'text not null',
    old_text: 'text',
    new_text: 'text',
    first_seen_at: 'bigint not null',
    last_seen_at: 'bigint not null',
    reopened_at: 'bigint',
    resolved_at: 'bigint',
    accepted_by: 'text',
    /** Why its opening is not alerted: `first_check` and so on; null if it is. */
    quiet: 'text',
  },
  /** Openings and ends of events in the order in which they were committed. */
  watch_changes: {
    seq: 'bigint primary key',
    event_id: 'text not null',
    kind: 'text not null',
    at: 'bigint not null',
  },
  /** One row: the number of the last change, and when events of the deployment were judged. */
  watch_state: {
    id: 'integer primary key',
    last_change: 'bigint not null',
    looked_at: 'bigint not null',
  },
  /** Where events of watched domains are alerted: see docs/decisions/0068. */
  alert_channels: {
    id: 'text primary key',
    /** Whose rights decide what is sent. */
    account_id: 'text not null',
    name: 'text not null',
    /** `email`, or the format of a webhook. */
    format: 'text not null',
    /** URL or email address. */
    target: 'text not null',
    /** Key of the signatures of the format `standard`. */
    secret: 'text',
    min_severity: 'integer not null',
    /** Separated by spaces; empty for all. */
    tags: 'text not null',
    created_at: 'bigint not null',
    /** Null until the recipient has followed the link with the token. */
    confirmed_at: 'bigint',
    token_hash: 'text unique',
    token_expires_at: 'bigint',
    /** `watch_changes.seq` of the last change that has its deliveries. */
    last_change: 'bigint not null',
    /** When the next weekly summary is due. */
    summary_at: 'bigint not null',
    /** Since when every attempt has failed. */
    failing_since_at: 'bigint',
  },
  alert_deliveries: {
    /** Follows from channel, event and kind: a second one cannot be inserted. */
    id: 'text primary key',
    channel_id: 'text not null',
    /** `opened`, `resolved`, `summary` or `test`. */
    kind: 'text not null',
    event_id: 'text',
    created_at: 'bigint not null',
    state: 'text not null',
    attempts: 'integer not null',
    /** The next attempt; while one is running, the end of its claim. */
    due_at: 'bigint not null',
    tried_at: 'bigint',
    /** What the receiver answered. */
    result: 'text',
  },
  /**
   * One row. `probes` counts attempts to write, `pruned_at` is the last claim to remove old rows,
   * `steady_hours` how many claims followed each other within a day, `agreed_day` the last day on
   * which all clocks agreed.
   */
  maintenance: {
    id: 'integer primary key',
    probes: 'bigint not null',
    pruned_at: 'bigint not null',
    steady_hours: 'integer not null',
    agreed_day: 'text',
  },
  /** At most one row: whether an administrator wants the feeds to be fetched every day (0 or 1). */
  update_choice: {
    id: 'integer primary key',
    is_daily: 'integer not null',
    decided_at: 'bigint not null',
    decided_by: 'text not null',
  },
  /** Processes that write statistics, and the number of the last stored batch of each. */
  writers: { id: 'text primary key', last_batch: 'bigint not null', written_at: 'bigint not null' },
  /** One row: a program must know at least this schema step to use the database. */
  compatibility: { id: 'integer primary key', oldest_program: 'text not null' },
} as const;

type ValueOf<Definition> = Definition extends `${'bigint' | 'integer'}${string}` ? number : string;
type ColumnOf<Definition> = Definition extends `${string} primary key`
  ? ColumnType<ValueOf<Definition>, ValueOf<Definition>, never>
  : Definition extends `${string} default ${string}`
    ? Generated<ValueOf<Definition>>
    : Definition extends `${string} not null${string}`
      ? ValueOf<Definition>
      : ValueOf<Definition> | null;
type TableOf<Columns> = {
  -readonly [Name in keyof Columns as Name extends `${string}primary key` ? never : Name]: ColumnOf<
    Columns[Name]
  >;
};

export type Schema = { [Table in keyof typeof TABLES]: TableOf<(typeof TABLES)[Table]> } & {
  /** A random token for each of the last changes of `revisions.keys`, kept by triggers. */
  key_changes: { number: number; token: string };
};

export type Db = Kysely<Schema>;

/**
 * The tables of the first release, from which both the statements that create them and the types of queries are made. A
 * later step declares what it adds in `Schema`. Times are milliseconds since 1970 and days `YYYY-MM-DD` in UTC.
 */
import type { ColumnType, Generated, Kysely } from 'kysely';

/** `sorted` is text that is compared byte by byte. In SQLite, `bigint` is an integer like any other. */
export const TABLES = {
  keys: {
    id: 'text primary key',
    name: 'text not null',
    /** The name as it sorts. */
    name_key: 'sorted not null',
    hash: 'text not null unique',
    masked: 'text not null',
    /** Separated by spaces. */
    permissions: 'text not null',
    tier: 'text not null',
    note: 'text',
    created_at: 'bigint not null',
    expires_at: 'bigint',
    /** 1 once a list was read after the key had expired: its facet then says so. Requests compare `expires_at`. */
    has_expired: 'integer not null default 0',
    paused_at: 'bigint',
    /** CIDR prefixes separated by spaces; null for any client. */
    allowed_networks: 'text',
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
    /** Requests that were refused since the key was last revoked, paused or resumed, and the last of them. */
    refused_requests: 'bigint not null default 0',
    last_refused_at: 'bigint',
    last_refused_from: 'text',
    /** Requests of the last day with any: days since 1970 times 2^32, plus their number. Sorts by day, then number. */
    day_requests: 'bigint not null default 0',
    /** `revisions.keys` after its last change. */
    revision: 'integer not null default 0',
  },
  /** Each name from each of its words on, ids and masked keys, as they are searched for. */
  key_words: { word: 'sorted not null', key_id: 'text not null', 'primary key': 'word, key_id' },
  /** Kept by triggers. `scope` is the id of an account, empty for all keys; `facet` is state, tier and permissions. */
  key_counts: {
    scope: 'text not null',
    facet: 'text not null',
    key_count: 'bigint not null',
    'primary key': 'scope, facet',
  },
  /** One row. Each number increases with every change that processes must notice. */
  revisions: { id: 'integer primary key', keys: 'bigint not null', recalls: 'bigint not null' },
  /** How much of a key's day was granted and not returned. Statements return new values only: `last_granted`. */
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
   * Leases that processes hold. Their numbers only grow: `granted` is the size, `opened` what may have been spent,
   * `spent` what was last reported. Past its deadline a lease is removed, and what was not opened returned.
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
    /** argon2id in its PHC form; null for accounts without a password, such as those of a provider. */
    password_hash: 'text',
    /** Issuer and subject of OpenID Connect. */
    provider_subject: 'text unique',
    role: 'text not null',
    created_at: 'bigint not null',
    last_sign_in_at: 'bigint',
    disabled_at: 'bigint',
  },
  /** Ended sessions are kept until they expire, because they show from which addresses an account has signed in. */
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
   * Requests with a key by hour (its start), for two days: those that `usage` counts have no reason, and those that were
   * refused although the key exists have one. `detail` is of the last refusal.
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
  /** Answers of registries by subject: an address, an IPv6 /64, a bootstrap file. */
  registrations: { subject: 'text primary key', content: 'text not null', fetched_at: 'bigint not null' },
  /** Domains that reports or decisions are about. Ids are hashes: see `prepared-report`. */
  report_domains: { id: 'bigint primary key', domain: 'text not null', generation: 'bigint not null' },
  /** Aggregate reports. Their days, like those below, are numbers: days since 1970. */
  reports: {
    id: 'bigint primary key',
    /** Of reporter, its id of the report, domain and period. */
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
    /** 0 if it came by mail without a signature of the reporter's domain. */
    proven: 'integer not null',
    /** 0 if its period is longer than 48 hours, or in the future. */
    usable: 'integer not null',
    /** 1 if there is another one with the same key and other rows. */
    conflicts: 'integer not null',
  },
  /** Its rows: shape, address and messages, packed, as base64. */
  report_pages: {
    report: 'bigint not null',
    number: 'integer not null',
    content: 'text not null',
    'constraint report_pages_key primary key': 'report, number',
  },
  /** Everything else that a row says. `content` is JSON; `last_day` is that of the last report with the shape. */
  report_shapes: {
    domain_id: 'bigint not null',
    id: 'bigint not null',
    content: 'text not null',
    last_day: 'integer not null',
    'constraint report_shapes_key primary key': 'domain_id, id',
  },
  sender_decisions: {
    domain_id: 'bigint not null',
    service: 'sorted not null',
    decision: 'text not null',
    decided_at: 'bigint not null',
    decided_by: 'text not null',
    'constraint sender_decisions_key primary key': 'domain_id, service',
  },
  /** Lists of domains that an account checks in the dashboard; `checked` of `size` have a result. */
  domain_runs: {
    id: 'text primary key',
    account_id: 'text not null',
    name: 'text not null',
    created_at: 'bigint not null',
    size: 'integer not null',
    checked: 'integer not null',
  },
  /** `claimed_until`: no other page is told to check the domain before this time. `result` is JSON. */
  run_domains: {
    run_id: 'text not null',
    position: 'integer not null',
    domain: 'text not null',
    claimed_until: 'bigint not null',
    result: 'text',
    'constraint run_domains_key primary key': 'run_id, position',
  },
  /**
   * One row. `probes` counts attempts to write, `pruned_at` is the last claim to remove old rows, `steady_hours` how
   * many claims followed each other within a day, `agreed_day` the last day on which all clocks agreed.
   */
  maintenance: {
    id: 'integer primary key',
    probes: 'bigint not null',
    pruned_at: 'bigint not null',
    steady_hours: 'integer not null',
    agreed_day: 'text',
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
  -readonly [Name in keyof Columns as Name extends `${string}primary key` ? never : Name]: ColumnOf<Columns[Name]>;
};

export type Schema = { [Table in keyof typeof TABLES]: TableOf<(typeof TABLES)[Table]> } & {
  /** A random token for each of the last changes of `revisions.keys`, kept by triggers. */
  key_changes: { number: number; token: string };
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

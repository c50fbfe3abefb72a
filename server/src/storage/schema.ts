/**
 * The tables, as queries see them. Times are milliseconds since 1970 and days are `YYYY-MM-DD` in UTC, in every engine:
 * what both store and compare alike needs no conversion.
 */
import type { ColumnType, Generated, Kysely } from 'kysely';

/** Text that no update touches. */
type Fixed = ColumnType<string, string, never>;

export type Schema = {
  keys: {
    id: Fixed;
    name: string;
    /** SHA-256 of the secret, in hexadecimal. */
    hash: Fixed;
    masked: Fixed;
    /** Separated by blanks. */
    permissions: string;
    tier: string;
    created_at: number;
    last_used_at: number | null;
    revoked_at: number | null;
    revoked_by: string | null;
    /** Account of the dashboard; null for keys of the command line. */
    owner_id: string | null;
    /** The key that this one replaces. */
    predecessor_id: string | null;
    /** Null for keys that were used before this was recorded. */
    first_used_at: number | null;
    /** Client address. */
    first_used_from: string | null;
    first_used_status: number | null;
    /** Requests with the key after it was revoked, and the last of them. */
    refused_requests: Generated<number>;
    last_refused_at: number | null;
    /** `revisions.keys` after its last change. */
    revision: Generated<number>;
  };
  /** One row. Each number moves with every change that processes must notice. */
  revisions: { id: number; keys: number; recalls: number };
  /**
   * What was taken from a key's day as leases, and not returned. `last_granted` is what the last statement granted: it
   * can return only the new values of a row. Programs before `leases` keep in `settled` what was reported as spent.
   */
  quota: {
    key_id: Fixed;
    day: Fixed;
    granted: number;
    settled: Generated<number>;
    last_granted: number;
  };
  /**
   * What processes hold of keys' days. All three numbers only grow while a lease lives: `granted` to the owner in all;
   * `opened`, the part that the owner may have spent; `spent`, as it last said. A lease past its deadline is removed,
   * and what was not opened goes back to the day.
   */
  leases: {
    key_id: Fixed;
    day: Fixed;
    /** A process and a number: a lease that was ended never comes back under its name. */
    owner: Fixed;
    granted: number;
    opened: number;
    spent: number;
    /** On the clock of the database. */
    expires_at: number;
  };
  /** One row: the first step that a program must know to use the database. */
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
    /** argon2id in its PHC form; null for accounts that have not set one, or sign in elsewhere. */
    password_hash: string | null;
    /** Issuer and subject of OpenID Connect. */
    provider_subject: string | null;
    role: string;
    created_at: number;
    last_sign_in_at: number | null;
    disabled_at: number | null;
  };
  /** Ended sessions stay until they would have expired: they tell which addresses an account has signed in from. */
  sessions: {
    id: Fixed;
    /** SHA-256 of the token, in hexadecimal. */
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
  /** Counters of the API by hour (its start), over all processes. */
  traffic: { hour: number; counter: Fixed; count: number };
  /** Look-ups by day and network of the address, over all processes. `asn` is 0 for all others together. */
  networks: { day: Fixed; asn: number; look_ups: number };
  /** What each process last said of itself. */
  processes: {
    id: Fixed;
    host: string;
    pid: number;
    started_at: number;
    seen_at: number;
    memory_bytes: number;
    lag_ms: number;
    dataset_version: number;
  };
  /** One row. `probes` counts attempts to write; `pruned_at` is when a process last began to remove old rows. */
  maintenance: { id: number; probes: number; pruned_at: number };
  /** Processes that add to statistics, and the number of the last batch that was stored of each. */
  writers: { id: Fixed; last_batch: number; written_at: number };
  /** Kept by Kysely's Migrator. */
  kysely_migration: { name: Generated<string>; timestamp: Generated<string> };
};

export type Db = Kysely<Schema>;

/** API keys as the dashboard shows them. */
import type { KeyState, KeyStatus, Permission, RefusalReason, Tier } from '../../vocabulary.ts';

/** `requests_per_day` is null without a limit. */
export type TierInfo = { tier: Tier; requests_per_day: number | null; batch_size: number };

/**
 * `total` is the number of keys that match, on all pages; `next_after` is absent on the last one.
 */
export type KeyPage = { keys: KeySummary[]; total: number; next_after?: string };

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
  allowed_domains?: string[];
  /** Per process of the server. */
  requests_per_second?: number;
  /** Requests a day, instead of the number of the tier. */
  daily_limit?: number;
  /** When the key will be revoked. */
  revoke_at?: string;
  revoke_scheduled_by?: string;
  /** Absent for keys of the command line. */
  owner?: { id: string; name: string };
  created_at: string;
  first_use?: FirstUse;
  last_used_at?: string;
  /** Client address of a request about that time. */
  last_used_from?: string;
  revoked_at?: string;
  revoked_by?: string;
  /**
   * Requests with the key that were answered with 401 since it was revoked, paused or resumed;
   * absent if there was none.
   */
  refused?: { requests: number; last_at: string; last_from?: string };
  quota: KeyQuota;
  /** Requests of the last 24 hours, the oldest first; the last entry is the current hour. */
  requests_by_hour: number[];
  /** Rotation: the key this one replaces, and the one that replaces it. */
  predecessor_id?: string;
  successor_id?: string;
};
/** The first request with a key: from which client address, and the status of the answer. */
type FirstUse = { at: string; from: string; status: number };
/** `used` of `limit` today; `limit` is null without one. */
export type KeyQuota = { used: number; limit: number | null; resets_at: string };

/** `secret` is answered here and never again. */
export type CreatedKey = { key: KeySummary; secret: string };
/** `refusals` has the reason of the last refusal first. */
export type KeyDetail = {
  key: KeySummary;
  /** The current hour, its start. */
  last_hour: string;
  refusals: KeyRefusal[];
  predecessor?: KeySummary;
  successor?: KeySummary;
};
/** Requests of the last 24 hours that were refused for one reason. */
export type KeyRefusal = {
  reason: RefusalReason;
  requests: number;
  last_at: string;
  /** Client address of the last one, or the permission that it lacked. */
  last_detail?: string;
};

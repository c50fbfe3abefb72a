/**
 * What the run tells its load generator, and what it hears back. Times are milliseconds since 1970.
 */

import type { HostileKind } from '../dns/zones.ts';
import type { MixInput, RequestKind, Tier } from './request-mix.ts';

export type LoadPlan = MixInput & {
  readonly port: number;
  readonly seed: number;
  readonly perSecond: number;
};

export type LoadCommand =
  | { readonly kind: 'start'; readonly plan: LoadPlan }
  | { readonly kind: 'hostile zone'; readonly zone: HostileKind; readonly number: number }
  | { readonly kind: 'stop' };

/** A request that did not get what it should have. */
export type Fault = {
  readonly request: RequestKind;
  readonly tier?: Tier;
  readonly detail: string;
  readonly isSilentZone: boolean;
  readonly sentAtMs: number;
  readonly endedAtMs: number;
  readonly outcome:
    | { readonly kind: 'refused'; readonly status: number; readonly code: string }
    | { readonly kind: 'cut'; readonly reason: string }
    | { readonly kind: 'unanswered' };
};

/** Answered lookups, in columns. */
export type LookupColumns = {
  readonly sentAtMs: number[];
  /** From the moment the request was due. */
  readonly latencyMs: number[];
  readonly datasetVersion: number[];
  /** Whether the key has a daily limit. */
  readonly hasLimit: boolean[];
};

/**
 * `counted` are answers that count against the limit of the key. What was cut off may have been
 * counted or not.
 */
export type FreeKeyUse = { counted: number; cut: number };

/** Sent once a second, and a last time after `stop`. */
export type LoadReport = {
  readonly isLast: boolean;
  readonly sent: number;
  readonly skipped: number;
  readonly connections: number;
  /** Per kind of request and status. */
  readonly answers: Readonly<Record<string, number>>;
  readonly lookups: LookupColumns;
  readonly faults: readonly Fault[];
  readonly freeKeys: readonly FreeKeyUse[];
  /**
   * How late each tick of the generator was: delay of this machine that is not due to the server.
   */
  readonly ownDelaysMs: readonly number[];
};

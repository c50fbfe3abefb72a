/**
 * Refusals that only the dashboard makes. They have a table of their own because the codes in `http/errors` are the
 * interface of the API.
 */
import { retryAfter } from '../../http/errors.ts';
import type { DashboardErrorCode } from '../wire/contract.ts';

const refusals = {
  SIGNED_OUT: { status: 401, text: 'sign in first' },
  INVALID_CREDENTIALS: { status: 401, text: 'wrong name or password' },
  CROSS_SITE: { status: 403, text: 'not a request from this dashboard' },
  FORBIDDEN: { status: 403, text: 'forbidden' },
  NOT_FOUND: { status: 404, text: 'not found' },
  LINK_EXPIRED: { status: 410, text: 'the link has been used or has expired' },
  NAME_TAKEN: { status: 409, text: 'another account has this name' },
  LAST_ADMIN: { status: 409, text: 'there must be at least one administrator' },
  NAME_MISMATCH: { status: 409, text: 'the name is not that of the key' },
  ALREADY_REVOKED: { status: 409, text: 'the key is already revoked' },
  KEY_UNCHANGED: { status: 503, text: 'the key is still valid', retryAfterSeconds: 5 },
  ALREADY_ROTATING: { status: 409, text: 'the key already has an active successor' },
  TOO_MANY_KEYS: { status: 409, text: 'too many keys' },
  TOO_MANY_NEW_KEYS: { status: 429, text: 'too many keys created today' },
  UPDATE_RUNNING: { status: 409, text: 'an update is running' },
  UPDATE_UNAVAILABLE: { status: 409, text: 'this server does not build datasets' },
  INVALID_REQUEST: { status: 400, text: 'invalid request' },
  TOO_MANY_ATTEMPTS: { status: 429, text: 'too many attempts', retryAfterSeconds: 10 },
  // For lookups in a short time. The daily limit of an account computes its own.
  RATE_LIMIT_EXCEEDED: { status: 429, text: 'too many lookups', retryAfterSeconds: 1 },
} as const satisfies Record<DashboardErrorCode, Row>;

type Row = { readonly status: number; readonly text: string; readonly retryAfterSeconds?: number };

export class DashboardRefusal extends Error {
  override name = 'DashboardRefusal';
  readonly code: DashboardErrorCode;
  readonly status: number;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: DashboardErrorCode,
    more: { details?: Readonly<Record<string, unknown>> /** Instead of the row's. */; retryAfterSeconds?: number } = {},
  ) {
    const row: Row = refusals[code];
    super(row.text);
    this.code = code;
    this.status = row.status;
    this.details = more.details;
    this.headers = retryAfter(more.retryAfterSeconds ?? row.retryAfterSeconds);
  }
}

/** `path` names the field, `rule` is a sentence for people. */
export function invalid(path: string, rule: string): DashboardRefusal {
  return new DashboardRefusal('INVALID_REQUEST', { details: { path, rule } });
}

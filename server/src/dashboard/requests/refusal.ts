/**
 * Refusals that only the dashboard makes, beside those of `http/errors`. They have a table of their own because the codes
 * of that one are the API's interface.
 */
import { RETRY_AFTER_SECONDS } from '../../accounts/sign-in-throttle.ts';
import type { DashboardErrorCode } from '../wire.ts';

const refusals = {
  SIGNED_OUT: { status: 401, text: 'sign in first' },
  INVALID_CREDENTIALS: { status: 401, text: 'wrong name or password' },
  CROSS_SITE: { status: 403, text: 'not a request of this dashboard' },
  FORBIDDEN: { status: 403, text: 'forbidden' },
  NOT_FOUND: { status: 404, text: 'not found' },
  LINK_EXPIRED: { status: 410, text: 'the link was used or has expired' },
  NAME_TAKEN: { status: 409, text: 'another account has this name' },
  LAST_ADMIN: { status: 409, text: 'the last administrator stays one' },
  NAME_MISMATCH: { status: 409, text: 'that is not the name of the key' },
  ALREADY_REVOKED: { status: 409, text: 'the key is revoked already' },
  ALREADY_ROTATING: { status: 409, text: 'the key has an active successor already' },
  UPDATE_RUNNING: { status: 409, text: 'an update is running' },
  UPDATE_UNAVAILABLE: { status: 409, text: 'this server does not build datasets' },
  INVALID_REQUEST: { status: 400, text: 'invalid request' },
  TOO_MANY_ATTEMPTS: { status: 429, text: 'too many attempts' },
  RATE_LIMIT_EXCEEDED: { status: 429, text: 'too many look-ups' },
} as const satisfies Record<DashboardErrorCode, { status: number; text: string }>;

export class DashboardRefusal extends Error {
  override name = 'DashboardRefusal';
  readonly code: DashboardErrorCode;
  readonly status: number;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: DashboardErrorCode,
    more: { details?: Readonly<Record<string, unknown>>; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(refusals[code].text);
    this.code = code;
    this.status = refusals[code].status;
    this.details = more.details;
    this.headers = more.headers ?? {};
  }
}

/** `path` names the field, `rule` is a sentence for people. */
export function invalid(path: string, rule: string): DashboardRefusal {
  return new DashboardRefusal('INVALID_REQUEST', { details: { path, rule } });
}

export function tooManyAttempts(): DashboardRefusal {
  return new DashboardRefusal('TOO_MANY_ATTEMPTS', { headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) } });
}

/**
 * Refusals that only the dashboard makes. The codes in `http/errors` are the interface of the API.
 */
export const refusals = {
  /** No session, or it has ended. Show the sign-in page. */
  SIGNED_OUT: { status: 401, text: 'sign in first' },
  /** Wrong name or password; which of them is not told. */
  INVALID_CREDENTIALS: { status: 401, text: 'wrong name or password' },
  /** Not from this origin, or without the CSRF header. */
  CROSS_SITE: { status: 403, text: 'not a request from this dashboard' },
  /** No such key, person, session or invitation, or not one of yours. */
  NOT_FOUND: { status: 404, text: 'not found' },
  /** Unknown, used or expired. */
  LINK_EXPIRED: { status: 410, text: 'the link has been used or has expired' },
  NAME_TAKEN: { status: 409, text: 'another account has this name' },
  /** The last active administrator cannot be demoted or disabled. */
  LAST_ADMIN: { status: 409, text: 'there must be at least one administrator' },
  NAME_MISMATCH: { status: 409, text: 'the name is not that of the key' },
  ALREADY_REVOKED: { status: 409, text: 'the key is already revoked' },
  /** Storage did not take the change or the revocation; `Retry-After`. */
  KEY_UNCHANGED: { status: 503, text: 'the key is still valid', retryAfterSeconds: 5 },
  /**
   * A change was sent to storage, and its answer was lost: it may have been made; `details.rule`,
   * `Retry-After`.
   */
  OUTCOME_UNKNOWN: {
    status: 503,
    text: 'it is not known whether the change was made',
    retryAfterSeconds: 5,
  },
  ALREADY_ROTATING: { status: 409, text: 'the key already has an active successor' },
  /** The account has as many active keys as it may; `details.rule` says what to do. */
  TOO_MANY_KEYS: { status: 409, text: 'too many keys' },
  /**
   * The account has created as many keys as it may on this day (UTC); `details.rule`, `resets_at`,
   * `Retry-After`.
   */
  TOO_MANY_NEW_KEYS: { status: 429, text: 'too many keys created today' },
  /** An update is running; `details` has its state. */
  UPDATE_RUNNING: { status: 409, text: 'an update is running' },
  /** WHENCE_UPDATE decides when updates run. */
  UPDATE_SET: { status: 409, text: 'WHENCE_UPDATE decides when updates run' },
  /** This server pulls datasets, or has nothing to update with. */
  UPDATE_UNAVAILABLE: { status: 409, text: 'this server does not build datasets' },
  /**
   * `details.rule` says in a sentence what a name, password or other value must be, `details.path`
   * which one.
   */
  INVALID_REQUEST: { status: 400, text: 'invalid request' },
  /** Too many wrong passwords from this address or for this name; `Retry-After`. */
  TOO_MANY_ATTEMPTS: { status: 429, text: 'too many attempts', retryAfterSeconds: 10 },
} as const satisfies Record<string, RefusalRow>;

export type RefusalRow = {
  readonly status: number;
  readonly text: string;
  readonly retryAfterSeconds?: number;
};

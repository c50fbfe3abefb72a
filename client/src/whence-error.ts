/** Everything a request can end in, other than its answer and the caller's own abort. */
import type { ErrorCode } from './wire.ts';

/** The client's own: an answer that is not Whence's, no answer at all, none in time. */
export type ClientErrorCode = 'BAD_RESPONSE' | 'NETWORK' | 'TIMEOUT';

/** Codes of a newer server are strings too; `Record<never, never>` keeps the known ones in the editor's list. */
export type WhenceErrorCode = ErrorCode | ClientErrorCode | (string & Record<never, never>);

export type WhenceErrorFields = {
  status: number;
  code: WhenceErrorCode;
  requestId: string;
  retryAfterMs?: number;
  details?: Record<string, unknown>;
};

export class WhenceError extends Error {
  override name = 'WhenceError';
  /** Of the HTTP answer; 0 where there was none (NETWORK, TIMEOUT). */
  readonly status: number;
  readonly code: WhenceErrorCode;
  /** What to name when asking the server's operator; `''` where the server sent none or the browser hides it. */
  readonly requestId: string;
  // `declare`: a field that is only declared is absent, not undefined, until it is set.
  /** How long the server asked to be left alone, where it did. */
  declare readonly retryAfterMs?: number;
  declare readonly details?: Record<string, unknown>;

  constructor(message: string, fields: WhenceErrorFields, options?: ErrorOptions) {
    super(message, options);
    this.status = fields.status;
    this.code = fields.code;
    this.requestId = fields.requestId;
    if (fields.retryAfterMs !== undefined) this.retryAfterMs = fields.retryAfterMs;
    if (fields.details !== undefined) this.details = fields.details;
  }
}

/** Every way a request can fail, except an abort by the caller. */
import type { ErrorCode } from './wire.ts';

/**
 * Codes of the client: a response that is not of the Whence API, no response, no response in time.
 */
type ClientErrorCode = 'BAD_RESPONSE' | 'NETWORK' | 'TIMEOUT';

/**
 * A newer server may send other codes; `Record<never, never>` keeps completion of the known ones in
 * editors.
 */
export type WhenceErrorCode = ErrorCode | ClientErrorCode | (string & Record<never, never>);

type WhenceErrorFields = {
  status: number;
  code: WhenceErrorCode;
  requestId: string;
  retryAfterMs?: number;
  details?: Record<string, unknown>;
};

export class WhenceError extends Error {
  override name = 'WhenceError';
  /** HTTP status; 0 if there was no response (NETWORK, TIMEOUT). */
  readonly status: number;
  readonly code: WhenceErrorCode;
  /**
   * Identifies the request in the server's log; `''` if the server sent none or the browser hides
   * it.
   */
  readonly requestId: string;
  // With `declare` the property does not exist until it is set; otherwise it would be undefined.
  /** From `Retry-After`. */
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

/** Why a request brought no answer: the server refused, or could not be reached. */
import type { ErrorCode } from '@whence/client/wire';
import type { DashboardErrorCode } from '@whence/server/dashboard-wire';

export type FailureCode = ErrorCode | DashboardErrorCode | 'OFFLINE' | 'NOT_AN_ANSWER';

export class Failure extends Error {
  override name = 'Failure';
  readonly status: number;
  readonly code: FailureCode;
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    message: string,
    code: FailureCode,
    more: {
      status?: number;
      requestId?: string | undefined;
      retryAfterSeconds?: number | undefined;
      details?: Record<string, unknown> | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: more.cause });
    this.code = code;
    this.status = more.status ?? 0;
    this.requestId = more.requestId;
    this.retryAfterSeconds = more.retryAfterSeconds;
    this.details = more.details ?? {};
  }
}

export function isFailure(error: unknown, ...codes: FailureCode[]): error is Failure {
  return error instanceof Failure && (codes.length === 0 || codes.includes(error.code));
}

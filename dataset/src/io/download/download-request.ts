import type { IncomingHttpHeaders } from 'node:http';
import type { Network } from './connection.ts';
import type { TransferLimits } from './transfer-timeouts.ts';

export type DownloadRequest = {
  /** `https:`, `http:` or `file:`, without user name and password. */
  readonly url: string;
  /** Sent as Basic authentication, to the origin of the URL only. */
  readonly password?: string | undefined;
  readonly target: string;
  /** The validators of the copy that the caller has. */
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
  /** Called with the headers of the file, or of the answer that it is unchanged. */
  readonly onHeaders?: (headers: IncomingHttpHeaders) => void;
  readonly limits: DownloadLimits;
  /** An address or page in the User-Agent, for the operators of feeds. */
  readonly contact?: string | undefined;
  readonly network?: Network | undefined;
  readonly now: Date;
  readonly sleep: (ms: number) => Promise<void>;
};

type DownloadLimits = TransferLimits & { readonly maxBytes: number };

export type DownloadResult = Fetched | { readonly kind: 'unchanged' } | DownloadFailed;

type Fetched = {
  readonly kind: 'fetched';
  readonly bytes: number;
  /** The final URL, after redirects. */
  readonly url: string;
  readonly etag?: string;
  readonly lastModified?: string;
};

export type DownloadFailed = {
  readonly kind: 'failed';
  readonly reason: string;
  readonly isAnswered: boolean;
  readonly retryAfterSeconds?: number;
  /** The body of a response with `Retry-After`, if it is short JSON. */
  readonly body?: string;
  /**
   * Why no server was reached. Absent for one that answered, and for what is no matter of the
   * network.
   */
  readonly unreachable?: Unreachable;
};

export type Unreachable = 'dns' | 'connection';

export function failed(
  reason: string,
  isAnswered = false,
  unreachable?: Unreachable,
): DownloadFailed {
  return { kind: 'failed', reason, isAnswered, ...(unreachable && { unreachable }) };
}

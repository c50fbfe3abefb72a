/** Fetches a small text into memory: the catalogue of an operator, the policy of a mail domain. */
import type { Network } from './connection.ts';
import { formatStatus } from './connection-error.ts';
import { userAgent } from './credentials.ts';
import { BodyError, httpGet } from './http-get.ts';
import { type TransferLimits, TransferTimeouts } from './transfer-timeouts.ts';

type FetchTextOptions = {
  readonly limits: TransferLimits & { readonly maxBytes: number };
  readonly contact?: string | undefined;
  readonly network?: Network | undefined;
  readonly maxRedirects?: number;
  readonly mayRedirectTo?: (url: URL) => boolean;
  readonly accept?: string;
  readonly signal?: AbortSignal;
};

type FetchedText =
  | { readonly kind: 'fetched'; readonly text: string; readonly contentType: string; readonly url: URL }
  /** `status` is that of an answer other than 200. */
  | { readonly kind: 'failed'; readonly reason: string; readonly status?: number };

/** `url` may contain credentials; they are never part of a reason. */
export async function fetchText(
  url: URL,
  { limits, contact, network, maxRedirects, mayRedirectTo, accept, signal }: FetchTextOptions,
): Promise<FetchedText> {
  const timeouts = new TransferTimeouts(limits, signal);
  const headers = {
    'user-agent': userAgent(contact),
    'accept-encoding': 'identity',
    ...(accept !== undefined && { accept }),
  };
  try {
    const answer = await httpGet(url, { headers, timeouts, network, maxRedirects, mayRedirectTo });
    if (answer.kind === 'failure') return { kind: 'failed', reason: answer.reason };
    if (answer.status !== 200) {
      answer.close();
      return { kind: 'failed', reason: `the server ${formatStatus(answer.status)}`, status: answer.status };
    }
    const chunks: Buffer[] = [];
    for await (const chunk of answer.body(limits.maxBytes)) chunks.push(chunk);
    const contentType = answer.headers['content-type'] ?? '';
    return { kind: 'fetched', text: Buffer.concat(chunks).toString(), contentType, url: answer.url };
  } catch (error) {
    if (error instanceof BodyError) return { kind: 'failed', reason: error.message };
    throw error;
  } finally {
    timeouts.end();
  }
}

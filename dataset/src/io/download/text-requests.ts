// Small texts over HTTP: an operator's catalogue or the policy of a mail domain is fetched into
// memory, a message to a webhook is posted.
import type { Network } from './connection.ts';
import { formatStatus } from './connection-error.ts';
import { userAgent } from './credentials.ts';
import { BodyError, httpGet, httpPost } from './http-get.ts';
import { type TransferLimits, TransferTimeouts } from './transfer-timeouts.ts';

type FetchTextOptions = {
  readonly limits: TransferLimits & { readonly maxBytes: number };
  readonly contact?: string | undefined;
  readonly network?: Network | undefined;
  readonly maxRedirects?: number;
  readonly signal?: AbortSignal;
};

type FetchedText =
  | { readonly kind: 'fetched'; readonly text: string; readonly contentType: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** `url` may contain credentials; they are never part of a reason. */
export async function fetchText(
  url: URL,
  { limits, contact, network, maxRedirects, signal }: FetchTextOptions,
): Promise<FetchedText> {
  const timeouts = new TransferTimeouts(limits, signal);
  const headers = { 'user-agent': userAgent(contact), 'accept-encoding': 'identity' };
  try {
    const answer = await httpGet(url, { headers, timeouts, network, maxRedirects });
    if (answer.kind === 'failure') return { kind: 'failed', reason: answer.reason };
    if (answer.status !== 200) {
      answer.close();
      return { kind: 'failed', reason: `the server ${formatStatus(answer.status)}` };
    }
    const chunks: Buffer[] = [];
    for await (const chunk of answer.body(limits.maxBytes)) chunks.push(chunk);
    const contentType = answer.headers['content-type'] ?? '';
    return { kind: 'fetched', text: Buffer.concat(chunks).toString(), contentType };
  } catch (error) {
    if (error instanceof BodyError) return { kind: 'failed', reason: error.message };
    throw error;
  } finally {
    timeouts.end();
  }
}

type PostTextOptions = {
  readonly headers: Readonly<Record<string, string>>;
  readonly limits: TransferLimits;
  readonly network?: Network;
  readonly signal?: AbortSignal;
};

/** `reason` contains the host, but neither path nor query of the URL, which may be secrets. */
type PostedText =
  | { readonly kind: 'answered'; readonly status: number; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** Only the status of the response is read. */
export async function postText(
  url: URL,
  content: string,
  { headers, limits, network, signal }: PostTextOptions,
): Promise<PostedText> {
  const timeouts = new TransferTimeouts(limits, signal);
  const allHeaders = { 'user-agent': userAgent(undefined), ...headers };
  try {
    const answer = await httpPost(url, content, { headers: allHeaders, timeouts, network });
    if (answer.kind === 'failure') return { kind: 'failed', reason: answer.reason };
    answer.close();
    const { status } = answer;
    return { kind: 'answered', status, reason: formatStatus(status) };
  } finally {
    timeouts.end();
  }
}

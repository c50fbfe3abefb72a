/**
 * One GET request, redirects included, and what can go wrong with it, in sentences. Redirects are followed by hand: fetch
 * would follow one from https to http, or to an address with a password in it, without a word.
 */
import { STATUS_CODES } from 'node:http';
import { type Deadline, TooLate } from './deadline.ts';

/** `url` is where the answer came from, after redirects. */
export type HttpAnswer = { readonly kind: 'answer'; readonly response: Response; readonly url: URL };

export type Trouble = {
  readonly kind: 'trouble';
  readonly reason: string;
  /** Whether it may be gone in a moment. */
  readonly isPassing: boolean;
  /** Whether a server was reached at all. */
  readonly isAnswered: boolean;
};

const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export async function httpGet(
  start: URL,
  headers: Readonly<Record<string, string>>,
  deadline: Deadline,
): Promise<HttpAnswer | Trouble> {
  let url = start;
  for (let redirects = 0; ; redirects++) {
    let response: Response;
    try {
      deadline.restart('no answer');
      response = await fetch(url, { headers, redirect: 'manual', signal: deadline.signal });
    } catch (error) {
      return connectionTrouble(error, url);
    }
    const location = response.headers.get('location');
    if (!REDIRECTS.has(response.status) || location === null) return { kind: 'answer', response, url };
    await dismiss(response);
    if (redirects === MAX_REDIRECTS) return refusal(`the server redirected more than ${MAX_REDIRECTS} times`);
    const next = followRedirect(url, location);
    if (typeof next === 'string') return refusal(`the server redirected ${next}`);
    url = next;
  }
}

/** The address that a redirect leads to, or what speaks against going there, as the rest of a sentence. */
export function followRedirect(from: URL, location: string): URL | string {
  if (!URL.canParse(location, from.href)) return `to ${JSON.stringify(location)}, which is no address`;
  const to = new URL(location, from);
  const objection = urlObjection(to);
  if (objection !== undefined) return `to an address where ${objection}`;
  if (from.protocol === 'https:' && to.protocol === 'http:') return `from https to http (${to.host}), which is refused`;
  return to;
}

/** What speaks against asking for this address, as the rest of a sentence. */
export function urlObjection(url: URL): string | undefined {
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return `the scheme is ${url.protocol} and not https: or http:`;
  if (url.username !== '' || url.password !== '') return 'there is a user name or password in it, which is refused';
  return undefined;
}

/** Nobody will read the rest of this answer, so the connection must not wait for it. */
export async function dismiss(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => {});
}

/** Words for a status. Those of the server are not repeated: they may be anything. */
export function formatStatus(status: number): string {
  return `the server answered ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd();
}

function refusal(reason: string): Trouble {
  return { kind: 'trouble', reason, isPassing: false, isAnswered: true };
}

function connectionTrouble(error: unknown, url: URL): Trouble {
  if (error instanceof TooLate) return { kind: 'trouble', reason: error.message, isPassing: false, isAnswered: false };
  const { code = '', message } = causeOf(error);
  const words = CONNECTION_ERRORS[code]?.(url.hostname);
  if (words !== undefined)
    return { kind: 'trouble', reason: words, isPassing: code !== 'ENOTFOUND', isAnswered: false };
  const isCertificate =
    code.includes('CERT') || code.startsWith('ERR_TLS') || code === 'UNABLE_TO_VERIFY_LEAF_SIGNATURE';
  const reason = isCertificate
    ? `the certificate of ${url.hostname} is not accepted: ${message}`
    : `no connection to ${url.hostname}: ${message}`;
  return { kind: 'trouble', reason, isPassing: !isCertificate, isAnswered: false };
}

const CONNECTION_ERRORS: Readonly<Record<string, (host: string) => string>> = {
  ENOTFOUND: (host) => `there is no host ${host}`,
  EAI_AGAIN: (host) => `the name ${host} could not be looked up; is the network there?`,
  ECONNREFUSED: (host) => `${host} refused the connection`,
  ECONNRESET: (host) => `${host} broke the connection before it answered`,
  UND_ERR_SOCKET: (host) => `${host} broke the connection before it answered`,
  UND_ERR_CONNECT_TIMEOUT: (host) => `no connection to ${host} within 10 s`,
  ETIMEDOUT: (host) => `no connection to ${host}: it does not answer`,
  EHOSTUNREACH: (host) => `there is no way to ${host}; is the network there?`,
  ENETUNREACH: (host) => `there is no way to ${host}; is the network there?`,
};

/** fetch wraps what happened in a TypeError without content. */
function causeOf(error: unknown): NodeJS.ErrnoException {
  const { cause } = error as { cause?: unknown };
  return (cause instanceof Error ? cause : error) as NodeJS.ErrnoException;
}

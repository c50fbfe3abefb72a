/** One question to the server: sent, timed, tried again where that can help. */
import { type Answer, type HttpAnswer, readAnswer } from './envelope.ts';
import { redactCause } from './redact.ts';
import { retryDelayMs } from './retry.ts';
import { WhenceError } from './whence-error.ts';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;
/** Should reject with the signal's reason when it aborts; if it sleeps on instead, the abort is noticed afterwards. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

/** Holds the key, so it stays inside closures and is never handed out. */
export type Connection = {
  /** Without a slash at the end. */
  baseUrl: string;
  apiKey: string;
  fetch: Fetch;
  timeoutMs: number;
  retries: number;
  maxRetryDelayMs: number;
  sleep: Sleep;
  now: () => number;
};

export type Question = {
  method: 'GET' | 'POST';
  path: string;
  query?: Record<string, string>;
  body?: unknown;
  /** The health endpoints ask for no key, and get none. */
  withKey: boolean;
  signal?: AbortSignal | undefined;
};

export async function request<Data, Meta>(connection: Connection, question: Question): Promise<Answer<Data, Meta>> {
  const { retries, maxRetryDelayMs: maxDelayMs, sleep } = connection;
  const { method, signal } = question;
  for (let tries = 1; ; tries++) {
    try {
      return await ask(connection, question);
    } catch (error) {
      if (!(error instanceof WhenceError) || tries > retries) throw error;
      const delayMs = retryDelayMs(error, { method, tries, maxDelayMs, random: Math.random() });
      if (delayMs === undefined) throw error;
      signal?.throwIfAborted();
      await sleep(delayMs, signal);
      signal?.throwIfAborted();
    }
  }
}

async function ask<Data, Meta>(connection: Connection, question: Question): Promise<Answer<Data, Meta>> {
  const { baseUrl, apiKey, now } = connection;
  const { method, path, query, body, withKey, signal } = question;
  const search = new URLSearchParams(query).toString();
  const url = `${baseUrl}${path}${search && `?${search}`}`;
  const init: RequestInit = {
    method,
    headers: {
      Accept: 'application/json',
      ...(withKey && { 'X-API-Key': apiKey }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    // fetch keeps X-API-Key when it follows a redirect to another host; so none is followed.
    redirect: 'error',
    credentials: 'omit',
  };
  return readAnswer(await receive(connection, url, init, signal), apiKey, now());
}

/** The whole answer, its body included, within the timeout. */
async function receive(
  { apiKey, fetch, timeoutMs }: Connection,
  url: string,
  init: RequestInit,
  signal: AbortSignal | undefined,
): Promise<HttpAnswer> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, { ...init, signal: signal ? AbortSignal.any([signal, timeout]) : timeout });
    return { status: response.status, headers: response.headers, body: await response.text() };
  } catch (error) {
    signal?.throwIfAborted();
    const fields = { status: 0, requestId: '' };
    // Asking the signal, not the error, also keeps it referenced: Node 20 drops a timeout that only AbortSignal.any knows.
    if (timeout.aborted) throw new WhenceError(`no answer within ${timeoutMs} ms`, { ...fields, code: 'TIMEOUT' });
    const cause = redactCause(error, apiKey);
    throw new WhenceError('no answer from the server', { ...fields, code: 'NETWORK' }, cause && { cause });
  }
}

/** One API request: sent with a timeout, retried where a retry can help. */
import type { HttpResponse } from './envelope.ts';
import { redactCause } from './redact.ts';
import { retryDelayMs } from './retry.ts';
import { WhenceError } from './whence-error.ts';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;
/**
 * Should reject with the signal's reason on abort. If it does not, the abort takes effect after the
 * delay.
 */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

/** Holds the key, so it is only kept in closures and never returned. */
export type Connection = {
  /** Without a trailing slash. */
  baseUrl: string;
  apiKey: string;
  fetch: Fetch;
  timeoutMs: number;
  retries: number;
  maxRetryDelayMs: number;
  sleep: Sleep;
  now: () => number;
};

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export type ApiRequest = {
  method: Method;
  path: string;
  query?: Record<string, string>;
  body?: unknown;
  /** The health endpoints need no key, so none is sent. */
  withKey: boolean;
  signal?: AbortSignal | undefined;
};

/** Turns a response into a result, or throws a WhenceError. */
type Parse<Result> = (response: HttpResponse, apiKey: string, now: number) => Result;

export async function request<Result>(
  connection: Connection,
  apiRequest: ApiRequest,
  parse: Parse<Result>,
): Promise<Result> {
  const { retries, maxRetryDelayMs: maxDelayMs, sleep } = connection;
  const { method, signal } = apiRequest;
  for (let attempts = 1; ; attempts++) {
    try {
      return parse(await send(connection, apiRequest), connection.apiKey, connection.now());
    } catch (error) {
      if (!(error instanceof WhenceError) || attempts > retries) throw error;
      const delayMs = retryDelayMs(error, { method, attempts, maxDelayMs, random: Math.random() });
      if (delayMs === undefined) throw error;
      signal?.throwIfAborted();
      await sleep(delayMs, signal);
      signal?.throwIfAborted();
    }
  }
}

async function send(connection: Connection, apiRequest: ApiRequest): Promise<HttpResponse> {
  const { baseUrl, apiKey } = connection;
  const { method, path, query, body, withKey, signal } = apiRequest;
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
    // Redirects are not followed: fetch would send X-API-Key to the new host as well.
    redirect: 'error',
    credentials: 'omit',
  };
  return fetchWithTimeout(connection, url, init, signal);
}

/** The timeout covers the body too. */
async function fetchWithTimeout(
  { apiKey, fetch, timeoutMs }: Connection,
  url: string,
  init: RequestInit,
  signal: AbortSignal | undefined,
): Promise<HttpResponse> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      ...init,
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    return { status: response.status, headers: response.headers, body: await response.text() };
  } catch (error) {
    signal?.throwIfAborted();
    const fields = { status: 0, requestId: '' };
    // Checking the signal, not the error, keeps it referenced: Node 20 drops a timeout that only
    // AbortSignal.any holds.
    if (timeout.aborted)
      throw new WhenceError(`no response within ${timeoutMs} ms`, { ...fields, code: 'TIMEOUT' });
    const cause = redactCause(error, apiKey);
    throw new WhenceError(
      'no response from the server',
      { ...fields, code: 'NETWORK' },
      cause && { cause },
    );
  }
}

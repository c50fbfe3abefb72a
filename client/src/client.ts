/** The client: one method per endpoint. */
import { lookUpBatch, type MergedBatch } from './batch.ts';
import type { Answer, RateLimit } from './envelope.ts';
import { type Connection, type Fetch, type Question, request, type Sleep } from './request.ts';
import { sleep as sleepFor } from './sleep.ts';
import { WhenceError, type WhenceErrorCode } from './whence-error.ts';
import type {
  AsnAnswer,
  AsnSearchAnswer,
  BatchAnswer,
  BatchMeta,
  DatasetDiff,
  DatasetReport,
  EmailReport,
  HealthReport,
  IpAnswer,
  IpMeta,
  ReadyReport,
  TimedMeta,
} from './wire.ts';

export { type Answer, type Fetch, type MergedBatch, type RateLimit, type Sleep, WhenceError, type WhenceErrorCode };

export type ClientOptions = {
  /** `https://whence.example`, with or without a path prefix or a slash at the end. */
  baseUrl: string;
  apiKey: string;
  fetch?: Fetch;
  /** For each try, until the body is read. Default 10 000. */
  timeoutMs?: number;
  /** After the first try. Default 2. */
  retries?: number;
  /** A server that asks for a longer pause is not waited for. Default 30 000. */
  maxRetryDelayMs?: number;
  /** Addresses in one request. Default 10, what the Free tier allows; Starter 100, Pro 500, Enterprise 1 000. */
  batchSize?: number;
  sleep?: Sleep;
  /** Milliseconds since 1970. */
  now?: () => number;
};

/** Aborting rejects with the signal's reason as it is; everything else that goes wrong is a WhenceError. */
export type CallOptions = { signal?: AbortSignal | undefined };

export type Client = {
  ip(address: string, options?: CallOptions & { explain?: boolean }): Promise<Answer<IpAnswer, IpMeta>>;
  batch(addresses: readonly string[], options?: CallOptions): Promise<MergedBatch>;
  /** `15169` or `'AS15169'`. */
  asn(
    asn: number | string,
    options?: CallOptions & { includePrefixes?: boolean },
  ): Promise<Answer<AsnAnswer, TimedMeta>>;
  searchAsn(query: string, options?: CallOptions & { limit?: number }): Promise<Answer<AsnSearchAnswer, TimedMeta>>;
  /** Without selectors, or with an empty list, the server probes the usual ones and reports those it finds. */
  emailDomain(
    domain: string,
    options?: CallOptions & { selectors?: readonly string[] },
  ): Promise<Answer<EmailReport, TimedMeta>>;
  /** The version that is served, its sources, and all versions that are kept. */
  dataset(options?: CallOptions): Promise<Answer<DatasetReport, TimedMeta>>;
  /** What changed from one version to another. The server takes seconds to compare two large ones for the first time. */
  datasetDiff(
    from: number,
    to: number,
    options?: CallOptions & { limit?: number },
  ): Promise<Answer<DatasetDiff, TimedMeta>>;
  health(options?: CallOptions): Promise<Answer<HealthReport, TimedMeta>>;
  /** A server that is not ready is a WhenceError NOT_READY, with `details.checks`. */
  ready(options?: CallOptions): Promise<Answer<ReadyReport, TimedMeta>>;
};

// The reference client of the interface sends it too, so that a server's own default does not matter.
const DEFAULT_SEARCH_LIMIT = 20;
const DEFAULT_DIFF_LIMIT = 20;
/** Beyond it timers fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Throws a TypeError for options that cannot work. Its message names the option and never quotes it: it may be the key. */
export function createClient(options: ClientOptions): Client {
  const connection: Connection = {
    baseUrl: checkBaseUrl(options.baseUrl),
    apiKey: checkApiKey(options.apiKey),
    fetch: options.fetch ?? globalThis.fetch,
    timeoutMs: checkNumber('timeoutMs', options.timeoutMs ?? 10_000, 1),
    retries: checkNumber('retries', options.retries ?? 2, 0),
    maxRetryDelayMs: checkNumber('maxRetryDelayMs', options.maxRetryDelayMs ?? 30_000, 0),
    sleep: options.sleep ?? sleepFor,
    now: options.now ?? Date.now,
  };
  const batchSize = checkNumber('batchSize', options.batchSize ?? 10, 1);

  const ask = <Data, Meta>(question: Question) => request<Data, Meta>(connection, question);
  const get = <Data, Meta>(path: string, signal: AbortSignal | undefined, query: Record<string, string> = {}) =>
    ask<Data, Meta>({ method: 'GET', path, query, withKey: true, signal });

  return {
    ip: async (address, { explain, signal } = {}) =>
      get<IpAnswer, IpMeta>(`/v1/ip/${segment(address)}`, signal, explain ? { explain: 'true' } : {}),

    batch: async (addresses, { signal } = {}) =>
      lookUpBatch(addresses, batchSize, (ips) =>
        ask<BatchAnswer, BatchMeta>({ method: 'POST', path: '/v1/ip/batch', body: { ips }, withKey: true, signal }),
      ),

    asn: async (asn, { includePrefixes, signal } = {}) =>
      get(`/v1/asn/${segment(String(asn))}`, signal, includePrefixes ? { include_prefixes: 'true' } : {}),

    searchAsn: async (query, { limit = DEFAULT_SEARCH_LIMIT, signal } = {}) =>
      get('/v1/asn/search', signal, { q: query, limit: String(limit) }),

    emailDomain: async (domain, { selectors = [], signal } = {}) =>
      get(
        `/v1/email/domain/${segment(domain)}/dns`,
        signal,
        selectors.length > 0 ? { selectors: selectors.join(',') } : {},
      ),

    dataset: async ({ signal } = {}) => get('/v1/dataset', signal),

    datasetDiff: async (from, to, { limit = DEFAULT_DIFF_LIMIT, signal } = {}) =>
      get('/v1/dataset/diff', signal, { from: String(from), to: String(to), limit: String(limit) }),

    health: async ({ signal } = {}) => ask({ method: 'GET', path: '/healthz', withKey: false, signal }),
    ready: async ({ signal } = {}) => ask({ method: 'GET', path: '/readyz', withKey: false, signal }),
  };
}

/** RFC 3986 §3.3 allows a colon in a path segment, and an IPv6 address is easier to read with it. */
function segment(text: string): string {
  // URLs resolve "." and "..", however they are escaped. Escaped twice they arrive, and are refused like any other text.
  if (text === '.' || text === '..') return text.replaceAll('.', '%252E');
  return encodeURIComponent(text).replaceAll('%3A', ':');
}

function checkBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw new TypeError('baseUrl is not an http or https URL');
  if (url.username || url.password) throw new TypeError('baseUrl carries a user name or password');
  if (/[?#]/.test(url.href)) throw new TypeError('baseUrl carries a query or fragment');
  return url.href.replace(/\/+$/, '');
}

/** Visible ASCII: what a header takes everywhere unchanged. fetch would refuse the rest too, and quote it. */
function checkApiKey(key: string): string {
  if (typeof key !== 'string' || !/^[!-~]+$/.test(key)) {
    throw new TypeError('apiKey is empty or holds a character that a header cannot carry');
  }
  return key;
}

function checkNumber(name: string, value: number, least: number): number {
  if (Number.isInteger(value) && value >= least && value <= MAX_TIMER_MS) return value;
  throw new TypeError(`${name} is not a whole number from ${least} to ${MAX_TIMER_MS}`);
}

import { BatchSender, type MergedBatch } from './batch.ts';
import {
  type DecisionAnswer,
  type DecisionRequest,
  type DecisionResponse,
  parseDecision,
} from './decide.ts';
import { type ApiResponse, parseResponse, type RateLimit } from './envelope.ts';
import { type ApiRequest, type Connection, type Fetch, request, type Sleep } from './request.ts';
import { sleep as sleepFor } from './retry.ts';
import { WhenceError, type WhenceErrorCode } from './whence-error.ts';
import type {
  AddedDomains,
  AddressHistory,
  AddressSection,
  AskedPolicy,
  AsnAnswer,
  AsnSearchAnswer,
  BatchAnswer,
  BatchMeta,
  DatasetReport,
  EmailReport,
  EmailTrial,
  EmailTrialRequest,
  HealthReport,
  IpAnswer,
  IpMeta,
  LocalAddressSection,
  NetworkSection,
  PrefixContent,
  ReadyReport,
  RemovedDomains,
  Senders,
  TimedMeta,
  TlsReports,
  WatchEvent,
  WatchEventPage,
  WatchedDomain,
  WatchedDomainPage,
} from './wire.ts';

export {
  type ApiResponse,
  type DecisionAnswer,
  type DecisionRequest,
  type DecisionResponse,
  type Fetch,
  type MergedBatch,
  type RateLimit,
  type Sleep,
  WhenceError,
  type WhenceErrorCode,
};

export type ClientOptions = {
  /** `https://whence.example`, with or without a path prefix or a trailing slash. */
  baseUrl: string;
  apiKey: string;
  fetch?: Fetch;
  /** Timeout of each attempt, including the body. Default 10 000. */
  timeoutMs?: number;
  /** Attempts after the first. Default 2. */
  retries?: number;
  /** If `Retry-After` asks for a longer delay, the error is thrown instead. Default 30 000. */
  maxRetryDelayMs?: number;
  /**
   * Addresses per request at most. Default 1 000; if the key may send fewer, the client learns it
   * from the first refusal.
   */
  batchSize?: number;
  sleep?: Sleep;
  /** Milliseconds since 1970. */
  now?: () => number;
};

/** An abort rejects with the signal's reason; every other failure is a WhenceError. */
export type CallOptions = { signal?: AbortSignal | undefined };

export type Client = {
  /**
   * `'me'` is the address that the request comes from. `include` adds what is not part of the
   * record, such as `privacy`. An earlier `version`, or the one that was the newest at the end of a
   * day (`at: '2026-11-15'`, UTC), answers without
   * `include`.
   */
  ip(
    address: string,
    options?: CallOptions & {
      explain?: boolean;
      include?: readonly AddressSection[];
      version?: number;
      at?: string;
    },
  ): Promise<ApiResponse<IpAnswer, IpMeta>>;
  /** How the record of an address changed over the versions that the server keeps. */
  ipHistory(
    address: string,
    options?: CallOptions,
  ): Promise<ApiResponse<AddressHistory, TimedMeta>>;
  batch(
    addresses: readonly string[],
    options?: CallOptions & { include?: readonly LocalAddressSection[] },
  ): Promise<MergedBatch>;
  /** What is announced inside a prefix such as `192.0.2.0/24`. */
  prefix(cidr: string, options?: CallOptions): Promise<ApiResponse<PrefixContent, TimedMeta>>;
  /** `15169` or `'AS15169'`. */
  asn(
    asn: number | string,
    options?: CallOptions & { includePrefixes?: boolean; include?: readonly NetworkSection[] },
  ): Promise<ApiResponse<AsnAnswer, TimedMeta>>;
  searchAsn(
    query: string,
    options?: CallOptions & { limit?: number; cursor?: string },
  ): Promise<ApiResponse<AsnSearchAnswer, TimedMeta>>;
  /**
   * Without selectors, or with an empty list, the server tries the common ones, with
   * `moreSelectors` beside them, and reports those that exist. `include` adds `transport` (MTA-STS,
   * TLS-RPT, DANE, BIMI, DNSSEC), `networks` (who carries the mail), `smtp` (what MX hosts say on
   * port 25, where the server allows it; allow it 40 s) and `details` (points of each part, SPF
   * tree, records to publish) to the report.
   */
  emailDomain(
    domain: string,
    options?: CallOptions & {
      selectors?: readonly string[];
      moreSelectors?: readonly string[];
      include?: readonly ('transport' | 'networks' | 'smtp' | 'details')[];
    },
  ): Promise<ApiResponse<EmailReport, TimedMeta>>;
  /**
   * What the check would say if other records were published, and what they would break:
   * `{ zone: '_dmarc IN TXT "v=DMARC1; p=reject"' }`. Nothing is published.
   */
  tryEmailDomain(
    domain: string,
    records: EmailTrialRequest,
    options?: CallOptions,
  ): Promise<ApiResponse<EmailTrial, TimedMeta>>;
  /**
   * Who sends as a domain by its reports, and whether a stricter policy may be published. Needs
   * `reports:read`.
   */
  emailSenders(
    domain: string,
    options?: CallOptions & { days?: number; policy?: AskedPolicy; service?: string },
  ): Promise<ApiResponse<Senders, TimedMeta>>;
  /**
   * What senders report about TLS on the way to a domain, and whether MTA-STS may be enforced or
   * DANE be kept. Needs
   * `reports:read`.
   */
  emailTlsReports(
    domain: string,
    options?: CallOptions & { days?: number },
  ): Promise<ApiResponse<TlsReports, TimedMeta>>;
  /** Needs `watch:read`, as `events` does; what changes the list needs `watch:write`. */
  watchedDomains(
    options?: CallOptions & {
      q?: string;
      tag?: string;
      grade?: 'A' | 'B' | 'C' | 'D' | 'F';
      open?: boolean;
      sort?: 'domain' | 'worst';
      limit?: number;
      cursor?: string;
    },
  ): Promise<ApiResponse<WatchedDomainPage, TimedMeta>>;
  /** At most 1,000. They are checked at once, and then once a day. */
  watchDomains(
    domains: readonly string[],
    options?: CallOptions & { tags?: readonly string[]; note?: string },
  ): Promise<ApiResponse<AddedDomains, TimedMeta>>;
  /** With their events. */
  unwatchDomains(
    domains: readonly string[],
    options?: CallOptions,
  ): Promise<ApiResponse<RemovedDomains, TimedMeta>>;
  /** An empty note removes it. */
  changeWatchedDomain(
    domain: string,
    change: { tags?: readonly string[]; note?: string },
    options?: CallOptions,
  ): Promise<ApiResponse<WatchedDomain, TimedMeta>>;
  /** The check begins within seconds. */
  checkWatchedDomain(
    domain: string,
    options?: CallOptions,
  ): Promise<ApiResponse<WatchedDomain, TimedMeta>>;
  /** `since` is a day or a time in UTC. The latest first. */
  events(
    options?: CallOptions & {
      domain?: string;
      state?: 'open' | 'resolved';
      since?: string;
      limit?: number;
      cursor?: string;
    },
  ): Promise<ApiResponse<WatchEventPage, TimedMeta>>;
  acceptEvent(id: string, options?: CallOptions): Promise<ApiResponse<WatchEvent, TimedMeta>>;
  /**
   * Whether a request may pass, by the rules of the server. `deny` is an answer and not an error.
   */
  decide(request?: CallOptions & DecisionRequest): Promise<DecisionResponse>;
  /** The version being served, its sources, and all versions that are kept. */
  dataset(options?: CallOptions): Promise<ApiResponse<DatasetReport, TimedMeta>>;
  health(options?: CallOptions): Promise<ApiResponse<HealthReport, TimedMeta>>;
  /** If the server is not ready: a WhenceError with code NOT_READY and `details.checks`. */
  ready(options?: CallOptions): Promise<ApiResponse<ReadyReport, TimedMeta>>;
};

// Always sent, so that results do not depend on the server's default.
const DEFAULT_SEARCH_LIMIT = 20;
/** setTimeout fires immediately for longer delays. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Throws a TypeError for invalid options. The message names the option but does not quote it: it
 * may be the key.
 */
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
  const batches = new BatchSender(checkNumber('batchSize', options.batchSize ?? 1_000, 1));

  const send = <Data, Meta>(apiRequest: ApiRequest) =>
    request(connection, apiRequest, parseResponse<Data, Meta>);
  const get = <Data, Meta>(path: string, signal: AbortSignal | undefined, query?: Query) =>
    send<Data, Meta>({ method: 'GET', path, query: parametersOf(query), withKey: true, signal });

  return {
    ip: async (address, { explain, include = [], version, at, signal } = {}) =>
      get<IpAnswer, IpMeta>(`/v1/ip/${segment(address)}`, signal, {
        explain,
        include,
        version,
        at,
      }),

    ipHistory: async (address, { signal } = {}) =>
      get(`/v1/ip/${segment(address)}/history`, signal),

    batch: async (addresses, { include = [], signal } = {}) =>
      batches.lookUp(addresses, (ips) => {
        const body = { ips, ...(include.length > 0 && { include }) };
        return send<BatchAnswer, BatchMeta>({
          method: 'POST',
          path: '/v1/ip/batch',
          body,
          withKey: true,
          signal,
        });
      }),

    prefix: async (cidr, { signal } = {}) => get(`/v1/prefix/${segment(cidr)}`, signal),

    asn: async (asn, { includePrefixes, include = [], signal } = {}) =>
      get(`/v1/asn/${segment(String(asn))}`, signal, {
        include_prefixes: includePrefixes,
        include,
      }),

    searchAsn: async (query, { limit = DEFAULT_SEARCH_LIMIT, cursor, signal } = {}) =>
      get('/v1/asn/search', signal, { q: query, limit, cursor }),

    emailDomain: async (
      domain,
      { selectors = [], moreSelectors = [], include = [], signal } = {},
    ) =>
      get(`/v1/email/domain/${segment(domain)}/dns`, signal, {
        selectors,
        more_selectors: moreSelectors,
        include,
      }),

    tryEmailDomain: async (domain, body, { signal } = {}) =>
      send({
        method: 'POST',
        path: `/v1/email/domain/${segment(domain)}/try`,
        body,
        withKey: true,
        signal,
      }),

    emailSenders: async (domain, { days, policy, service, signal } = {}) =>
      get(`/v1/email/domain/${segment(domain)}/senders`, signal, { days, policy, service }),

    emailTlsReports: async (domain, { days, signal } = {}) =>
      get(`/v1/email/domain/${segment(domain)}/tls-reports`, signal, { days }),

    // False is an answer of its own here.
    watchedDomains: async ({ open, signal, ...query } = {}) =>
      get('/v1/watched-domains', signal, {
        ...query,
        open: open === undefined ? undefined : String(open),
      }),

    watchDomains: async (domains, { tags = [], note, signal } = {}) => {
      const body = { domains, tags, ...(note !== undefined && { note }) };
      return send({ method: 'POST', path: '/v1/watched-domains', body, withKey: true, signal });
    },

    unwatchDomains: async (domains, { signal } = {}) => {
      const query = parametersOf({ domains });
      return send({ method: 'DELETE', path: '/v1/watched-domains', query, withKey: true, signal });
    },

    changeWatchedDomain: async (domain, body, { signal } = {}) => {
      const path = `/v1/watched-domains/${segment(domain)}`;
      return send({ method: 'PATCH', path, body, withKey: true, signal });
    },

    checkWatchedDomain: async (domain, { signal } = {}) => {
      const path = `/v1/watched-domains/${segment(domain)}/check`;
      return send({ method: 'POST', path, withKey: true, signal });
    },

    events: async ({ signal, ...query } = {}) => get('/v1/events', signal, query),

    acceptEvent: async (id, { signal } = {}) =>
      send({ method: 'POST', path: `/v1/events/${segment(id)}/accept`, withKey: true, signal }),

    decide: async ({ signal, ...asked } = {}) => {
      const query = parametersOf(asked);
      return request(
        connection,
        { method: 'GET', path: '/v1/decide', query, withKey: true, signal },
        parseDecision,
      );
    },

    dataset: async ({ signal } = {}) => get('/v1/dataset', signal),

    health: async ({ signal } = {}) =>
      send({ method: 'GET', path: '/healthz', withKey: false, signal }),
    ready: async ({ signal } = {}) =>
      send({ method: 'GET', path: '/readyz', withKey: false, signal }),
  };
}

type Query = Record<string, string | number | boolean | readonly string[] | undefined>;

/**
 * Lists with commas. What is undefined, false or an empty list is not sent: it is the server's
 * default.
 */
function parametersOf(query: Query = {}): Record<string, string> {
  const isGiven = (value: Query[string]) =>
    value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);
  const given = Object.entries(query).filter(([, value]) => isGiven(value));
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}

/** RFC 3986 §3.3 allows a colon in a path segment; it keeps IPv6 addresses readable in logs. */
function segment(text: string): string {
  // URL parsers resolve "." and ".." even when percent-encoded. Encoded twice, they reach the
  // server as invalid input.
  if (text === '.' || text === '..') return text.replaceAll('.', '%252E');
  return encodeURIComponent(text).replaceAll('%3A', ':');
}

function checkBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new TypeError('baseUrl must be an http or https URL');
  if (url.username || url.password)
    throw new TypeError('baseUrl must not contain a user name or password');
  if (/[?#]/.test(url.href)) throw new TypeError('baseUrl must not contain a query or fragment');
  return url.href.replace(/\/+$/, '');
}

/** Visible ASCII only. fetch also rejects other characters, but its error quotes them. */
function checkApiKey(key: string): string {
  if (typeof key !== 'string' || !/^[!-~]+$/.test(key)) {
    throw new TypeError('apiKey must consist of one or more visible ASCII characters');
  }
  return key;
}

function checkNumber(name: string, value: number, min: number): number {
  if (Number.isInteger(value) && value >= min && value <= MAX_TIMER_MS) return value;
  throw new TypeError(`${name} must be an integer from ${min} to ${MAX_TIMER_MS}`);
}

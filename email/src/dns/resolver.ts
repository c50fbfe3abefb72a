// The DNS client of the email check: Node's sends no EDNS, refuses names with `:` `/` `+` `%`, and
// hides aliases and TTLs. It holds what checks share: cache, pending questions, which server
// answers.
import { type CheckResolver, failure, type Reply } from './answer.ts';
import { bytesOf, CheckBudget, MAX_CACHE_BYTES } from './budget.ts';
import { createCheckResolver } from './check-resolver.ts';
import { EventLoopSlices } from './event-loop-slices.ts';
import { exchange } from './exchange.ts';
import { Gate } from './gate.ts';
import { InFlight, type Waiter } from './in-flight.ts';
import { parseServer, systemServers } from './servers.ts';
import { keyOf, type Question } from './wire.ts';

export type DnsClientOptions = {
  /** `192.0.2.53`, `192.0.2.53:5353`, `[2001:db8::53]:5353`. Default: the system's. */
  readonly servers?: readonly string[];
  /** Per try, including TCP and the repetition without EDNS. */
  readonly timeoutMs?: number;
  /** The second try goes to the second server, and so on in turn. */
  readonly tries?: number;
  /** Milliseconds on a monotonic clock, for TTLs. */
  readonly now?: () => number;
  readonly cacheBytes?: number;
};

export type CheckOptions = {
  /** Milliseconds from now. Questions unanswered by then fail with `timeout`. */
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
};

export type DnsClient = {
  /**
   * `domain` is the one to check: questions about names outside of it have a limit of their own.
   */
  forCheck(domain: string, options?: CheckOptions): CheckResolver;
  /** An estimate of the memory that cached replies take. */
  readonly cachedBytes: number;
  /** Pending questions fail, and so does every later one. */
  close(): void;
};

// A check has about 50 questions pending, for four seconds each if servers are silent. 2048 is
// below the smallest common limit on open files (4096).
const SOCKETS = { places: 2048, perTurn: 2048 };

// Recent queries unanswered: a resolver's buffer holds a few hundred datagrams (with 200 checks,
// one in eight was lost with 2048, none with 256). After WINDOW_MS a query has arrived or is lost.
const WINDOW = { places: 256, perTurn: 32 };
const WINDOW_MS = 250;

export function createDnsClient({
  servers: serverTexts = [],
  timeoutMs = 2000,
  tries = 2,
  now = () => performance.now(),
  cacheBytes = MAX_CACHE_BYTES,
}: DnsClientOptions = {}): DnsClient {
  const servers = serverTexts.length > 0 ? serverTexts.map(parseServer) : systemServers();
  const cache = new DnsCache({ maxBytes: cacheBytes, now });
  const inFlight = new InFlight<Reply>();
  const slices = new EventLoopSlices();
  const sockets = new Gate(SOCKETS);
  const window = new Gate(WINDOW);
  let preferred = 0;
  /** When each server last answered. */
  const answeredMs: number[] = [];
  let isClosed = false;

  /** `mayRetry` is called before a second try while the first server works. */
  function ask(question: Question, mayRetry: () => boolean): Waiter<Reply> {
    if (isClosed) return known(failure('client closed'));
    const key = keyOf(question);
    const cached = cache.get(key);
    return cached === undefined
      ? inFlight.join(key, (signal) => lookUp(key, question, mayRetry, signal))
      : known(cached);
  }

  /** What a check makes of a reply takes time too when it comes from the cache. */
  function known(reply: Reply): Waiter<Reply> {
    return { result: slices.next().then(() => reply), isFirst: false, leave: () => {} };
  }

  async function lookUp(
    key: string,
    question: Question,
    mayRetry: () => boolean,
    signal: AbortSignal,
  ): Promise<Reply> {
    await sockets.enter();
    await window.enter();
    let isInWindow = true;
    const leaveWindow = () => {
      if (isInWindow) window.leave();
      isInWindow = false;
    };
    const windowTimer = setTimeout(leaveWindow, WINDOW_MS);
    try {
      const reply = await tryServers(question, mayRetry, signal);
      if (!signal.aborted) cache.keep(key, reply);
      return reply;
    } finally {
      clearTimeout(windowTimer);
      leaveWindow();
      sockets.leave();
    }
  }

  async function tryServers(
    question: Question,
    mayRetry: () => boolean,
    signal: AbortSignal,
  ): Promise<Reply> {
    const first = preferred;
    let reply: Reply = failure('no DNS server');
    for (let i = 0; i < tries; i++) {
      const index = (first + i) % servers.length;
      const server = servers[index];
      if (server === undefined) break;
      const sentMs = now();
      reply = await exchange(question, server, { timeoutMs, signal, slices });
      if (reply.kind !== 'failure') answeredMs[index] = now();
      if (reply.kind !== 'failure' || signal.aborted) break;
      // SERVFAIL, or silence of a server that answers others, is about the name.
      const isOfName =
        reply.reason === 'SERVFAIL' || (answeredMs[index] ?? Number.NEGATIVE_INFINITY) >= sentMs;
      if (isOfName && i + 1 < tries && !mayRetry()) break;
      // SERVFAIL concerns the name, other failures the server. If the first server is down, only
      // the first round waits for it.
      if (reply.reason !== 'SERVFAIL' && preferred === index)
        preferred = (index + 1) % servers.length;
    }
    return reply;
  }

  return {
    forCheck: (domain, { deadlineMs = 8000, signal } = {}) =>
      createCheckResolver(ask, { deadlineMs, signal, budget: new CheckBudget(domain) }),
    get cachedBytes() {
      return cache.bytes;
    },
    close() {
      isClosed = true;
      inFlight.abortAll();
      cache.clear();
    },
  };
}

const MAX_TTL_SECONDS = 300;
/** The entry in the Map, its object and the header of its key. */
const ENTRY_BYTES = 160;

type Entry = { readonly reply: Reply; readonly expiresAt: number; readonly bytes: number };

/**
 * For their TTL but at most five minutes, so that an administrator sees a correction. Failures are
 * not cached.
 */
class DnsCache {
  readonly #entries = new Map<string, Entry>();
  readonly #maxBytes: number;
  readonly #now: () => number;
  #bytes = 0;

  constructor({ maxBytes, now }: { maxBytes: number; now: () => number }) {
    this.#maxBytes = maxBytes;
    this.#now = now;
  }

  /** An estimate of what the entries take in memory. */
  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): Reply | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || this.#now() < entry.expiresAt) return entry?.reply;
    this.#delete(key);
    return undefined;
  }

  keep(key: string, reply: Reply): void {
    if (reply.kind === 'failure' || reply.ttl <= 0) return;
    // Deleted first, so that it moves to the end: a Map keeps insertion order.
    this.#delete(key);
    const bytes = ENTRY_BYTES + key.length + bytesOf(reply);
    const expiresAt = this.#now() + Math.min(reply.ttl, MAX_TTL_SECONDS) * 1000;
    this.#entries.set(key, { reply, expiresAt, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#delete(oldest);
    }
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }

  #delete(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }
}

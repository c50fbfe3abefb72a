/**
 * The DNS client of the email check. Node's own resolver will not do: it sends no EDNS, refuses names with `:` `/` `+` `%`, hides aliases
 * and TTLs, and answers a CNAME loop with an empty list. A client lives as long as the process and holds what checks share (the
 * cache, the questions under way, which server answers); `forCheck` gives each check a resolver of its own.
 */
import { failure, type Reply } from './alias-chain.ts';
import { createCheckResolver } from './check-resolver.ts';
import type { Resolver } from './dns.ts';
import { DnsCache } from './dns-cache.ts';
import { exchange } from './dns-exchange.ts';
import { parseServer, systemServers } from './dns-servers.ts';
import type { Question } from './dns-wire.ts';
import { Gate } from './gate.ts';
import { InFlight, type Seat } from './in-flight.ts';

export type DnsClientOptions = {
  /** IP addresses, with a port if it is not 53: `192.0.2.53`, `192.0.2.53:5353`, `[2001:db8::53]:5353`. None: the system's. */
  readonly servers?: readonly string[];
  /** For each try, with all it entails (TCP, no EDNS). */
  readonly timeoutMs?: number;
  /** The second goes to the second server, and so on around. */
  readonly tries?: number;
  /** Milliseconds on any clock that does not stop; for the TTLs. */
  readonly now?: () => number;
  readonly cacheEntries?: number;
};

export type CheckOptions = {
  /** Milliseconds from now. What is not answered by then is a failure, `timeout`. */
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
};

/** `queries` counts the questions that went out for this check; tries after the first and what other checks asked already are not counted. */
export type CheckResolver = Resolver & { readonly queries: number };

export type DnsClient = {
  forCheck(options?: CheckOptions): CheckResolver;
  /** Whatever is under way ends as a failure, and so does every question from now on. */
  close(): void;
};

/**
 * A check has about 50 questions in the air, for four seconds each if nobody answers; further ones wait. 2048 leave room below the smallest
 * limits on open files in use (4096), and one check whose servers are silent does not hold up the others.
 */
const SOCKETS = { places: 2048, perTurn: 2048 };

/**
 * Of those, so many may be unanswered that were sent just now: a resolver's receive buffer holds a few hundred datagrams, and each one lost costs a
 * timeout (measured with 2048: one in eight lost at 200 checks at once, with 256: none). A question that has waited for a while has arrived or
 * is lost, so it makes room for the next; silent servers hold nobody up for longer.
 */
const WINDOW = { places: 256, perTurn: 32 };
const WINDOW_MS = 250;

export function createDnsClient({
  servers: serverTexts = [],
  timeoutMs = 2000,
  tries = 2,
  now = () => performance.now(),
  cacheEntries = 10_000,
}: DnsClientOptions = {}): DnsClient {
  const servers = serverTexts.length > 0 ? serverTexts.map(parseServer) : systemServers();
  const cache = new DnsCache({ maxEntries: cacheEntries, now });
  const inFlight = new InFlight<Reply>();
  const sockets = new Gate(SOCKETS);
  const window = new Gate(WINDOW);
  let preferred = 0;
  let isClosed = false;

  function ask(question: Question): Reply | Seat<Reply> {
    if (isClosed) return failure('client closed');
    const key = `${question.name} ${question.type}`;
    return cache.get(key) ?? inFlight.join(key, (signal) => lookUp(key, question, signal));
  }

  async function lookUp(key: string, question: Question, signal: AbortSignal): Promise<Reply> {
    await sockets.enter();
    await window.enter();
    let isInWindow = true;
    const leaveWindow = () => {
      if (isInWindow) window.leave();
      isInWindow = false;
    };
    const patience = setTimeout(leaveWindow, WINDOW_MS);
    try {
      const reply = await tryServers(question, signal);
      if (!signal.aborted) cache.keep(key, reply);
      return reply;
    } finally {
      clearTimeout(patience);
      leaveWindow();
      sockets.leave();
    }
  }

  async function tryServers(question: Question, signal: AbortSignal): Promise<Reply> {
    const first = preferred;
    let reply: Reply = failure('no DNS server');
    for (let i = 0; i < tries; i++) {
      const index = (first + i) % servers.length;
      const server = servers[index];
      if (server === undefined) break;
      reply = await exchange(question, server, { timeoutMs, signal });
      if (reply.kind !== 'failure' || signal.aborted) break;
      // SERVFAIL is about the name, the rest about the server. With a dead one in front, only the first round of questions waits for it.
      if (reply.reason !== 'SERVFAIL' && preferred === index) preferred = (index + 1) % servers.length;
    }
    return reply;
  }

  return {
    forCheck: ({ deadlineMs = 8000, signal } = {}) => createCheckResolver(ask, { deadlineMs, signal }),
    close() {
      isClosed = true;
      inFlight.abortAll();
      cache.clear();
    },
  };
}

// SMTP sessions with MX hosts on request: at most five public addresses, ten seconds in all. Kept
// for a minute and limited per network, so that a zone's owner cannot make us flood a third party.
import { parseAddress } from '@whence/dataset/address';
import { isPublicAddress } from '@whence/email/address-scope';
import { type Finding, formatFinding, limitFindings } from '@whence/email/findings';
import type { SmtpReport, SmtpServer } from '@whence/email/report';
import type { DnsClient } from '@whence/email/resolver';
import { judgeSession, type SmtpContext } from '@whence/email/smtp/judge';
import { openSmtpSession, type SmtpSession } from '@whence/email/smtp/session';
import { lookUpHostname } from '../address/hostname.ts';
import { GuessThrottle } from '../limits/guess-throttle.ts';
import type { Checked } from './examine-mail.ts';
import type { PolicyNetwork } from './mta-sts-fetch.ts';

export type SmtpSettings = {
  /** For tests: a mail server at an address that is not public. */
  readonly network?: PolicyNetwork;
  /** For commands, which work for one person. */
  readonly isUnthrottled?: boolean;
};

const MAX_ADDRESSES = 5;
/** Hosts whose addresses are queried, the preferred first. */
const MAX_HOSTS = 8;
const MAX_LISTED = 20;
const MAX_BANNER_ADDRESSES = 8;
const MAX_SERVER_ERRORS = 10;
/** The names of servers are queried within the rest of the ten seconds. */
const SESSION_MS = 9_000;
const TOTAL_MS = 10_000;
const PORT = 25;

/** Per network: twenty sessions at once, then one per second. */
const NETWORK_RATE = { intervalMs: 1_000, burst: 20, maxWaitMs: 0 };
const KEPT_MS = 60_000;
const MAX_KEPT = 500;

type Target = { readonly host: string; readonly address: string };
type Probed = Target & { readonly session: SmtpSession };
type CheckResolver = ReturnType<DnsClient['forCheck']>;

export class SmtpProbes {
  readonly #settings: SmtpSettings;
  readonly #rate = new GuessThrottle(undefined, NETWORK_RATE);
  /** By host and address, the oldest first. */
  readonly #kept = new Map<string, { readonly session: SmtpSession; readonly endsAtMs: number }>();

  constructor(settings: SmtpSettings) {
    this.#settings = settings;
  }

  /** `transport` is what the check found out about DANE and MTA-STS. */
  async probe(
    domain: string,
    { findings, transport }: Pick<Checked, 'findings' | 'transport'>,
    dns: DnsClient,
    signal: AbortSignal,
  ): Promise<SmtpReport> {
    const ended = new AbortController();
    const timer = setTimeout(() => ended.abort(), SESSION_MS);
    const resolver = dns.forCheck(domain, { deadlineMs: TOTAL_MS, signal });
    try {
      const { mx } = findings;
      const hosts =
        mx.state === 'implicit' ? [domain] : mx.report.records.filter((host) => host !== '.');
      if (hosts.length === 0) return reportOf([], [], { code: 'no_mail_host', detail: { domain } });
      const targets = await this.#targetsOf(hosts.slice(0, MAX_HOSTS), resolver);
      if (targets.length === 0)
        return reportOf([], [], { code: 'no_public_mail_host', detail: { domain } });
      const chosen = targets.slice(0, MAX_ADDRESSES);
      const stop = AbortSignal.any([signal, ended.signal]);
      const probed = (
        await Promise.all(chosen.map((target) => this.#session(target, stop)))
      ).flat();
      if (
        probed.length > 0 &&
        probed.every(({ session }) => UNREACHABLE.includes(connectionError(session)))
      )
        return reportOf([], [], {
          code: 'smtp_blocked',
          detail: { addresses: chosen.map(({ address }) => address) },
        });
      const seen = probed.filter(({ session }) => !NO_ROUTE.includes(connectionError(session)));
      const unprobed = targets.filter(
        ({ address }) => !seen.some((host) => host.address === address),
      );
      const described = seen.map((host) => describe(host, { domain, transport, resolver }));
      return reportOf(await Promise.all(described), unprobed);
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * One address of each host in turn, so that five of the first do not leave out the others. IPv4
   * comes first.
   */
  async #targetsOf(hosts: readonly string[], resolver: CheckResolver): Promise<Target[]> {
    const { isReachable = isPublicAddress } = this.#settings.network ?? {};
    const byHost = await Promise.all(
      hosts.map(async (host) => {
        const answers = await Promise.all([resolver.a(host), resolver.aaaa(host)]);
        const hostAddresses = answers.flatMap((answer) =>
          answer.kind === 'found' ? answer.records : [],
        );
        return hostAddresses.filter(isReachable).map((address) => ({ host, address }));
      }),
    );
    const rounds = Math.max(...byHost.map((targets) => targets.length));
    const inTurn = Array.from({ length: Math.min(rounds, MAX_LISTED) }, (_, i) =>
      byHost.flatMap((own) => own[i] ?? []),
    );
    return [...new Map(inTurn.flat().map((target) => [target.address, target])).values()];
  }

  /** None if the network of the address was connected to too often. */
  async #session(target: Target, signal: AbortSignal): Promise<Probed[]> {
    const key = `${target.host} ${target.address}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined && performance.now() < kept.endsAtMs)
      return [{ ...target, session: kept.session }];
    const { network = {}, isUnthrottled = false } = this.#settings;
    if (!isUnthrottled && this.#rate.attempt(target.address) === undefined) return [];
    const { port = PORT, ca } = network;
    const session = await openSmtpSession({ ...target, port, ca }, signal);
    // What ended early may be different the next time.
    if (session.failure === undefined) this.#keep(key, session);
    return [{ ...target, session }];
  }

  #keep(key: string, session: SmtpSession): void {
    this.#kept.delete(key);
    this.#kept.set(key, { session, endsAtMs: performance.now() + KEPT_MS });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }
}

async function describe(
  { session, ...target }: Probed,
  {
    domain,
    transport,
    resolver,
  }: Pick<SmtpContext, 'domain' | 'transport'> & { readonly resolver: CheckResolver },
): Promise<SmtpServer> {
  const judged = judgeSession(session, { ...target, domain, transport, now: new Date() });
  const address = parseAddress(target.address);
  const addressesOf = async (name: string) => {
    if (name === '') return [];
    const answers = await Promise.all([resolver.a(name), resolver.aaaa(name)]);
    return answers
      .flatMap((answer) => (answer.kind === 'found' ? answer.records : []))
      .slice(0, MAX_BANNER_ADDRESSES);
  };
  const [banner_addresses, reverse] = await Promise.all([
    addressesOf(judged.banner_name),
    address === undefined ? undefined : lookUpHostname(address, resolver),
  ]);
  return {
    ...judged,
    banner_addresses,
    reverse_name: reverse?.name ?? '',
    is_reverse_confirmed: reverse?.is_confirmed === true,
    validation_errors: limitFindings(judged.validation_errors, MAX_SERVER_ERRORS).map(
      formatFinding,
    ),
  };
}

function reportOf(servers: SmtpServer[], unprobed: readonly Target[], error?: Finding): SmtpReport {
  return {
    is_blocked: error?.code === 'smtp_blocked',
    servers,
    unprobed: unprobed.slice(0, MAX_LISTED).map(({ address }) => address),
    is_valid: error === undefined && servers.every(({ is_valid }) => is_valid),
    validation_errors: error === undefined ? [] : [formatFinding(error)],
  };
}

/** The system has no way to the address: that says nothing about it. */
const NO_ROUTE: readonly string[] = ['ENETUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT', 'ENETDOWN'];
/** No answer, or the refusal of a firewall. A refused connection is an answer of the host. */
const UNREACHABLE: readonly string[] = [
  ...NO_ROUTE,
  'EHOSTUNREACH',
  'ETIMEDOUT',
  'EACCES',
  'EPERM',
];

function connectionError({ failure }: SmtpSession): string {
  if (failure?.step !== 'connection') return '';
  if (failure.fault === 'timeout') return 'ETIMEDOUT';
  return typeof failure.fault === 'object' && 'error' in failure.fault ? failure.fault.error : '';
}

// Who holds an address, by RDAP (RFC 9082): asked on request, stored for a day for all processes; failures are not
// stored. Each registry is asked one question at a time, with pauses, in turn by client.

import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, formatAddress, truncateAddress } from '@whence/dataset/address';
import { getOrInsert } from '@whence/dataset/internal/get-or-insert';
import { fetchText } from '@whence/dataset/internal/io/download/fetch-text';
import type { ProxyVariables } from '@whence/dataset/internal/io/download/proxy';
import { CostQueue, type Requester } from '../../limits/cost-classes.ts';
import { SharedWork } from '../../limits/shared-work.ts';
import type { RegistrationStore } from '../../storage/stores/registration-store.ts';
import { Bootstrap, parseBootstrap } from './bootstrap.ts';
import { parseRdapNetwork, type Registration } from './rdap-network.ts';

/** Folder with `ipv4.json` and `ipv6.json` of RFC 9224, which name the registries. */
const IANA = new URL('https://data.iana.org/rdap/');
const DAY_MS = 86_400_000;
/** For the whole answer of a registry, with the wait for a turn. */
const TIMEOUT_MS = 5_000;
const MAX_BYTES = 256 * 1024;
const MAX_REDIRECTS = 3;
/** Registries limit requests by address and block those who send too many. */
const INTERVAL_MS = 1_000;
/** An IPv6 client may use any address of its network. */
const IPV6_NETWORK_BITS = 64;
const ACCEPT = 'application/rdap+json, application/json';
const UNAVAILABLE: Registration = { error: 'registry_unavailable' };

export type RegistrationOptions = {
  readonly store: RegistrationStore;
  /** For tests: another folder than IANA's. */
  readonly bootstrapUrl?: URL;
  readonly contact?: string | undefined;
  readonly proxies?: ProxyVariables;
  /** Certificate authorities to trust instead of Node's, as PEM. */
  readonly ca?: string;
  readonly nowMs: () => number;
  /** Between the starts of two requests to a registry. */
  readonly intervalMs?: number;
  /** Requests that wait for one registry; a further one is refused. */
  readonly waiting?: number;
  readonly bootstrapFailed?: (reason: string) => void;
  readonly timeoutMs?: number;
};

type Registry = { readonly questions: SharedWork<Asked>; nextMs: number };
/** Null if the registry says that there is no registration. */
type Asked = Registration | null | 'failed';

export class Registrations {
  readonly #options: RegistrationOptions;
  readonly #registries = new Map<string, Registry>();
  #bootstrap: Promise<Bootstrap | undefined> | undefined;
  #bootstrapUntilMs = 0;

  constructor(options: RegistrationOptions) {
    this.#options = options;
  }

  /** Reads the bootstrap files ahead, so that a wrong setting is reported at the start. */
  async start(): Promise<void> {
    await this.#bootstrapNow();
  }

  async find(address: Address, requester: Requester): Promise<Registration | undefined> {
    const asked = address.version === 4 ? address : truncateAddress(address, IPV6_NETWORK_BITS);
    const subject = formatAddress(asked);
    const stored = await this.#stored(subject);
    if (stored !== undefined) return (JSON.parse(stored) as Registration | null) ?? undefined;
    const timeoutMs = this.#options.timeoutMs ?? TIMEOUT_MS;
    const deadlineMs = performance.now() + timeoutMs;
    const bootstrap = await this.#bootstrapNow();
    const url = bootstrap?.urlFor(asked);
    if (bootstrap === undefined || url === undefined) return bootstrap === undefined ? UNAVAILABLE : undefined;
    const registry = this.#registryAt(url.host, timeoutMs);
    const signal = AbortSignal.any([
      requester.signal,
      AbortSignal.timeout(Math.max(0, Math.ceil(deadlineMs - performance.now()))),
    ]);
    const answer = await registry.questions.run(
      subject,
      { ...requester, signal },
      async () => {
        const found = await this.#ask(asked, url, registry, bootstrap, deadlineMs);
        if (found !== 'failed') await this.#save(subject, JSON.stringify(found));
        return found;
      },
      () => 'failed' as const,
    );
    return answer === 'failed' ? UNAVAILABLE : (answer ?? undefined);
  }

  #registryAt(host: string, waitMs: number): Registry {
    const { waiting } = this.#options;
    const queue = () => new CostQueue('registration', { waitMs, ...(waiting !== undefined && { waiting }) });
    return getOrInsert(this.#registries, host, () => ({ questions: new SharedWork<Asked>(queue()), nextMs: 0 }));
  }

  async #ask(address: Address, url: URL, registry: Registry, bootstrap: Bootstrap, deadlineMs: number): Promise<Asked> {
    const pauseMs = Math.max(0, registry.nextMs - performance.now());
    if (performance.now() + pauseMs >= deadlineMs) return 'failed';
    if (pauseMs > 0) await sleep(pauseMs);
    registry.nextMs = performance.now() + (this.#options.intervalMs ?? INTERVAL_MS);
    const fetched = await this.#fetch(url, deadlineMs - performance.now(), (target) => bootstrap.isRegistry(target));
    if (fetched.kind === 'failed') return fetched.status === 404 ? null : 'failed';
    // Such as the page of a proxy.
    if (!/^$|\bjson\b/i.test(fetched.contentType)) return 'failed';
    return parseRdapNetwork(fetched.text, address, fetched.url.host) ?? 'failed';
  }

  /** From IANA once a day. A file that cannot be fetched is replaced by the last one that could, however old. */
  #bootstrapNow(): Promise<Bootstrap | undefined> {
    const nowMs = this.#options.nowMs();
    if (this.#bootstrap === undefined || nowMs >= this.#bootstrapUntilMs) {
      this.#bootstrapUntilMs = nowMs + DAY_MS;
      const bootstrap = this.#readBootstrap();
      this.#bootstrap = bootstrap;
      // One that failed is asked for again by the next request.
      const forget = () => {
        if (this.#bootstrap === bootstrap) this.#bootstrap = undefined;
      };
      bootstrap.then((read) => read ?? forget(), forget);
    }
    return this.#bootstrap;
  }

  async #readBootstrap(): Promise<Bootstrap | undefined> {
    const services = await Promise.all([this.#readFile('ipv4.json', 4), this.#readFile('ipv6.json', 6)]);
    return services.some((rows) => rows === undefined)
      ? undefined
      : new Bootstrap(services.flatMap((rows) => rows ?? []));
  }

  async #readFile(file: string, version: 4 | 6) {
    const subject = `bootstrap ${file}`;
    const { store, bootstrapUrl = IANA, timeoutMs = TIMEOUT_MS } = this.#options;
    const stored = await this.#stored(subject);
    if (stored !== undefined) return parseBootstrap(stored, version);
    const fetched = await this.#fetch(
      new URL(file, bootstrapUrl),
      timeoutMs,
      ({ origin }) => origin === bootstrapUrl.origin,
    );
    const services = fetched.kind === 'failed' ? undefined : parseBootstrap(fetched.text, version);
    if (fetched.kind === 'failed' || services === undefined) {
      this.#options.bootstrapFailed?.(`${file}: ${fetched.kind === 'failed' ? fetched.reason : 'unexpected format'}`);
      const old = await store.find(subject);
      return old && parseBootstrap(old.content, version);
    }
    await this.#save(subject, fetched.text);
    return services;
  }

  #fetch(url: URL, timeoutMs: number, mayRedirectTo: (url: URL) => boolean) {
    const { contact, proxies, ca } = this.#options;
    const limitMs = Math.max(1, timeoutMs);
    return fetchText(url, {
      limits: { maxBytes: MAX_BYTES, idleTimeoutMs: limitMs, totalTimeoutMs: limitMs },
      accept: ACCEPT,
      contact,
      maxRedirects: MAX_REDIRECTS,
      mayRedirectTo,
      network: { ...(proxies && { proxies }), ...(ca !== undefined && { ca }) },
    });
  }

  /** Undefined if there is nothing, or it is older than a day. */
  async #stored(subject: string): Promise<string | undefined> {
    const { store, nowMs } = this.#options;
    const row = await store.find(subject);
    return row !== undefined && row.fetchedAtMs > nowMs() - DAY_MS ? row.content : undefined;
  }

  async #save(subject: string, content: string): Promise<void> {
    const { store, nowMs } = this.#options;
    await store.save(subject, { content, fetchedAtMs: nowMs() }, nowMs() - DAY_MS);
  }
}

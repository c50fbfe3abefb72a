/**
 * Email checks of this process: one DNS client, and at most so many checks at a time. A check is forty questions, so what comes beyond that waits its
 * turn, and beyond what could be answered in time is refused.
 */
import { type CheckOptions, type Examination, examineDomain } from '@whence/email/check';
import { createDnsClient, type DnsClient } from '@whence/email/resolver';

const MAX_IN_FLIGHT = 64;
const MAX_WAITING = 1_000;

export class EmailChecks {
  readonly #dns: DnsClient;
  readonly #waiting: (() => void)[] = [];
  #inFlight = 0;

  /** Without servers, the system's are asked. */
  constructor(servers: readonly string[]) {
    this.#dns = createDnsClient(servers.length > 0 ? { servers } : {});
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get isFull(): boolean {
    return this.#waiting.length >= MAX_WAITING;
  }

  /** Stops asking when the signal aborts; what it returns then is nobody's to read. */
  async check(domain: string, selectors: CheckOptions['selectors'], signal: AbortSignal): Promise<Examination> {
    if (this.#inFlight >= MAX_IN_FLIGHT) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#inFlight++;
    try {
      const resolver = this.#dns.forCheck({ signal });
      return await examineDomain(domain, selectors === undefined ? { resolver } : { resolver, selectors });
    } finally {
      this.#inFlight--;
      this.#waiting.shift()?.();
    }
  }

  close(): void {
    this.#dns.close();
  }
}

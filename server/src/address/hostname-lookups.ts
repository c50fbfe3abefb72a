/**
 * The hostname lookups of this process: a time limit for each, and slots that keys share fairly. An address whose reverse
 * zone does not answer holds its slot for the whole time, so one key must not be able to hold all of them.
 */
import type { Address } from '@whence/dataset/address';
import type { DnsClient } from '@whence/email/resolver';
import { ApiError } from '../http/errors.ts';
import { FairSlots } from '../limits/fair-slots.ts';
import { type Hostname, lookUpHostname, reverseNameOf } from './hostname.ts';

/** For a lookup, including the wait for a slot. */
const BUDGET_MS = 4_000;
const LIMITS = { slots: 64, slotsPerKey: 16, waitingPerKey: 256, waitMs: BUDGET_MS };

export type Requester = {
  /** Lookups with the same key share that key's slots. */
  readonly fairnessKey: string;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
};

export class HostnameLookups {
  readonly #client: () => Promise<DnsClient>;
  readonly #slots = new FairSlots(LIMITS);

  /** `client` is called for the first lookup, so that DNS code is not loaded before. */
  constructor(client: () => Promise<DnsClient>) {
    this.#client = client;
  }

  async find(address: Address, { fairnessKey, signal }: Requester): Promise<Hostname> {
    const startedMs = performance.now();
    if (this.#slots.isFull(fairnessKey)) throw new ApiError('QUEUE_FULL');
    if (!(await this.#slots.acquire(fairnessKey, signal))) return { error: 'dns_temporary_failure' };
    try {
      const client = await this.#client();
      const deadlineMs = BUDGET_MS - (performance.now() - startedMs);
      return await lookUpHostname(address, client.forCheck(reverseNameOf(address), { deadlineMs, signal }));
    } finally {
      this.#slots.release(fairnessKey);
    }
  }
}

// Hostname lookups with a time limit each. Keys share the slots fairly: silent reverse zones hold
// them long.
import type { Address } from '@whence/dataset/address';
import type { DnsClient } from '@whence/email/resolver';
import { ApiError } from '../http/errors.ts';
import { COST_CLASSES, CostQueue, type Requester, type Slot } from '../limits/cost-classes.ts';
import { type Hostname, lookUpHostname, reverseNameOf } from './hostname.ts';

/** For a lookup, including the wait for a slot. */
const BUDGET_MS = COST_CLASSES.hostname.waitMs;

export class HostnameLookups {
  readonly #client: () => DnsClient;
  readonly #queue = new CostQueue('hostname');

  /** `client` is called for the first lookup, so that DNS code is not loaded before. */
  constructor(client: () => DnsClient) {
    this.#client = client;
  }

  find(address: Address, requester: Requester): Promise<Hostname> {
    const startedMs = performance.now();
    const ask = async ({ signal }: Slot) => {
      const client = this.#client();
      const deadlineMs = BUDGET_MS - (performance.now() - startedMs);
      return lookUpHostname(
        address,
        client.forCheck(reverseNameOf(address), { deadlineMs, signal }),
      );
    };
    return this.#queue.run(requester, ask, (reason): Hostname => {
      if (reason === 'full') throw new ApiError('QUEUE_FULL');
      return { error: 'dns_temporary_failure' };
    });
  }
}

/**
 * Clients in the networks that may ask. Most questions come from a few of them, which are
 * remembered.
 */
import { parseClient } from './client.ts';
import { PrefixSet } from './prefix-set.ts';

const MAX_KNOWN_CLIENTS = 1000;

export class AllowedClients {
  readonly #allowed: PrefixSet;
  readonly #known = new Map<string, boolean>();

  constructor(prefixes: readonly string[]) {
    this.#allowed = new PrefixSet(prefixes);
  }

  has(client: string): boolean {
    let isAllowed = this.#known.get(client);
    if (isAllowed === undefined) {
      const address = parseClient(client);
      isAllowed = address !== undefined && this.#allowed.has(address);
      // Forged senders must not take memory.
      if (this.#known.size >= MAX_KNOWN_CLIENTS) this.#known.clear();
      this.#known.set(client, isAllowed);
    }
    return isAllowed;
  }
}

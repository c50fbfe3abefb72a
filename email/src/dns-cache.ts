/**
 * Replies kept across checks, each for as long as its TTL says and for five minutes at most: who has just mended a record wants to see it.
 * Failures are never kept. When full, the oldest go first.
 */
import type { Reply } from './alias-chain.ts';

const MAX_TTL_SECONDS = 300;

export class DnsCache {
  readonly #kept = new Map<string, { reply: Reply; endsAt: number }>();
  readonly #maxEntries: number;
  readonly #now: () => number;

  constructor({ maxEntries, now }: { maxEntries: number; now: () => number }) {
    this.#maxEntries = maxEntries;
    this.#now = now;
  }

  get(key: string): Reply | undefined {
    const entry = this.#kept.get(key);
    if (entry === undefined || this.#now() < entry.endsAt) return entry?.reply;
    this.#kept.delete(key);
    return undefined;
  }

  keep(key: string, reply: Reply): void {
    if (reply.kind === 'failure' || reply.ttl <= 0) return;
    // Deleted first, so that it stands at the end: a Map keeps the order of insertion.
    this.#kept.delete(key);
    this.#kept.set(key, { reply, endsAt: this.#now() + Math.min(reply.ttl, MAX_TTL_SECONDS) * 1000 });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.#maxEntries) break;
      this.#kept.delete(oldest);
    }
  }

  clear(): void {
    this.#kept.clear();
  }
}

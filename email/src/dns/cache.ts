/**
 * Replies cached across checks, for their TTL but at most five minutes, so that an administrator who has just corrected
 * a record sees the change. Failures are not cached. When the cache is full, the oldest entries are dropped.
 */
import type { Reply } from './answer.ts';
import { bytesOf } from './budget.ts';

const MAX_TTL_SECONDS = 300;
/** The entry in the Map, its object and the header of its key. */
const ENTRY_BYTES = 160;

type Entry = { readonly reply: Reply; readonly expiresAt: number; readonly bytes: number };

export class DnsCache {
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

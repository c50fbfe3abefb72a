/**
 * The zones of domains whose records are being edited: the check as it is now, and the answers it was made of. Every
 * change to a text is then checked against them, and only names that the change brings are asked.
 */
import type { KnownAnswers } from '@whence/email/internal/dns/changed-zone';
import type { Checked } from './examine-mail.ts';

export type KnownZone = {
  readonly before: Checked;
  readonly answers: KnownAnswers;
  /** Both checks ask for the same name that does not exist. */
  readonly sentinel: string;
};

/** The answers to one check take at most a megabyte. */
const MAX_ZONES = 16;
/** As long as the DNS cache keeps an answer at most. */
const MAX_AGE_MS = 300_000;

export class KnownZones {
  readonly #zones = new Map<string, { zone: KnownZone; endsAtMs: number }>();

  find(key: string): KnownZone | undefined {
    const entry = this.#zones.get(key);
    if (entry === undefined) return undefined;
    // Deleted first, so that it moves to the end: a Map keeps insertion order.
    this.#zones.delete(key);
    if (performance.now() >= entry.endsAtMs) return undefined;
    this.#zones.set(key, entry);
    return entry.zone;
  }

  keep(key: string, zone: KnownZone): void {
    // Answers are added to a zone, but those that it has do not become newer.
    const endsAtMs = this.#zones.get(key)?.endsAtMs ?? performance.now() + MAX_AGE_MS;
    this.#zones.delete(key);
    this.#zones.set(key, { zone, endsAtMs });
    const [oldest] = this.#zones.keys();
    if (this.#zones.size > MAX_ZONES && oldest !== undefined) this.#zones.delete(oldest);
  }
}

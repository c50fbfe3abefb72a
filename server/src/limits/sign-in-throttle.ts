/**
 * Throttles password guessing by client and by account, in fixed memory and per process. Attempts of others do not delay
 * a client from whose network the account has signed in before, so an attacker cannot lock out its owner. From another
 * network the owner waits, or uses a link from `wh user reset-password`.
 */
import { createHash } from 'node:crypto';
import { GuessThrottle } from './guess-throttle.ts';

/** Ten wrong passwords at once, then one every six seconds. */
const BY_ADDRESS = { intervalMs: 6_000, burst: 10, maxWaitMs: 0 };
/** Ten at once, then one every ten seconds: 8,640 a day against passwords of ten characters. */
const BY_ACCOUNT = { intervalMs: 10_000, burst: 10, maxWaitMs: 0 };

export class SignInThrottle {
  readonly #addresses: GuessThrottle;
  readonly #accounts: GuessThrottle;

  constructor(nowMs?: () => number) {
    this.#addresses = new GuessThrottle(nowMs, BY_ADDRESS);
    this.#accounts = new GuessThrottle(nowMs, BY_ACCOUNT);
  }

  /** Whether the client may make an attempt. Counts it. Asked before storage is. */
  attemptFrom(address: string): boolean {
    return this.#addresses.attempt(address) !== undefined;
  }

  /** Whether an attempt may be made for the account. Counts it, unless the client is known. */
  attemptFor(nameKey: string, isKnown: boolean): boolean {
    return isKnown || this.#accounts.attempt(slotText(nameKey)) !== undefined;
  }

  /** The password was right, so the attempt does not count. */
  succeeded(address: string, nameKey: string, isKnown: boolean): void {
    this.#addresses.succeeded(address);
    if (!isKnown) this.#accounts.succeeded(slotText(nameKey));
  }
}

/** A name may look like an IPv6 address, of which the throttle reads only the network. */
const slotText = (nameKey: string) => createHash('sha256').update(nameKey).digest('hex');

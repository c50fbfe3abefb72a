/**
 * Slows down guessing of passwords, by client address and by account, in fixed memory and in each process. An address
 * that the account has signed in from before is not held up by what others try on the account, so an attacker cannot
 * lock its owner out; who must get in from elsewhere meanwhile has `whence user reset-password`, or waits.
 */
import { createHash } from 'node:crypto';
import { GuessThrottle } from '../keys/guess-throttle.ts';

/** Ten wrong passwords at once, then one every six seconds. */
const BY_ADDRESS = { intervalMs: 6_000, burst: 10, maxWaitMs: 0 };
/** Ten at once, then one every ten seconds: 8,640 a day against passwords of ten characters. */
const BY_ACCOUNT = { intervalMs: 10_000, burst: 10, maxWaitMs: 0 };

export const RETRY_AFTER_SECONDS = 10;

export class SignInThrottle {
  readonly #addresses: GuessThrottle;
  readonly #accounts: GuessThrottle;

  constructor(nowMs?: () => number) {
    this.#addresses = new GuessThrottle(nowMs, BY_ADDRESS);
    this.#accounts = new GuessThrottle(nowMs, BY_ACCOUNT);
  }

  /** Whether the attempt may be made. Counts it. */
  attempt(address: string, nameKey: string, isKnownAddress: boolean): boolean {
    if (this.#addresses.attempt(address) === undefined) return false;
    return isKnownAddress || this.#accounts.attempt(slotText(nameKey)) !== undefined;
  }

  /** The attempt was no guess. */
  succeeded(address: string, nameKey: string, isKnownAddress: boolean): void {
    this.#addresses.succeeded(address);
    if (!isKnownAddress) this.#accounts.succeeded(slotText(nameKey));
  }
}

/** A name may look like an IPv6 address, of which the throttle reads only the network. */
const slotText = (nameKey: string) => createHash('sha256').update(nameKey).digest('hex');

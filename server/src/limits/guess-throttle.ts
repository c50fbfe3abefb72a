// Throttles clients that guess keys: a well-formed unknown secret costs a hash and a query. Above a
// rate per client they wait, then are refused; known keys behind the same address are not affected.
// Memory is fixed: networks are hashed, with a secret, to 65,536 slots of one number (GCRA's
// theoretical arrival time); equal slots share a rate.
import { createHash, randomBytes } from 'node:crypto';
import { clientNetwork } from './client.ts';

const SLOTS = 1 << 16;

type ThrottleLimits = {
  /** One attempt per interval, after `burst` at once. */
  readonly intervalMs: number;
  readonly burst: number;
  /** An attempt that would have to wait longer is refused: waiting requests hold connections. */
  readonly maxWaitMs: number;
};

/** For keys: 10 per second, 20 at once. */
const KEY_LIMITS: ThrottleLimits = { intervalMs: 100, burst: 20, maxWaitMs: 2_000 };

export class GuessThrottle {
  readonly #nowMs: () => number;
  readonly #limits: ThrottleLimits;
  readonly #nextMs = new Float64Array(SLOTS);
  readonly #seed = randomBytes(4).readUInt32LE();

  constructor(nowMs: () => number = () => performance.now(), limits = KEY_LIMITS) {
    this.#nowMs = nowMs;
    this.#limits = limits;
  }

  /**
   * Counts an attempt and returns how long it must wait, in milliseconds; undefined if it is
   * refused.
   */
  attempt(address: string): number | undefined {
    const { intervalMs, burst, maxWaitMs } = this.#limits;
    const slot = this.#slotOf(address);
    const nowMs = this.#nowMs();
    const nextMs = Math.max(nowMs, this.#nextMs[slot] as number);
    const waitMs = Math.max(0, nextMs - nowMs - burst * intervalMs);
    if (waitMs > maxWaitMs) return undefined;
    this.#nextMs[slot] = nextMs + intervalMs;
    return waitMs;
  }

  /** The attempt found a key, so it does not count as a guess. */
  succeeded(address: string): void {
    const slot = this.#slotOf(address);
    this.#nextMs[slot] = (this.#nextMs[slot] as number) - this.#limits.intervalMs;
  }

  #slotOf(address: string): number {
    const text = clientNetwork(address);
    // FNV-1a, then a multiplication that spreads the low bits.
    let hash = this.#seed;
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
    return Math.imul(hash ^ (hash >>> 15), 0x85ebca6b) >>> 16;
  }
}

const BY_ADDRESS = { intervalMs: 6_000, burst: 10, maxWaitMs: 0 };
/** Ten at once, then one every ten seconds: 8,640 a day against passwords of ten characters. */
const BY_ACCOUNT = { intervalMs: 10_000, burst: 10, maxWaitMs: 0 };

/**
 * Throttles password guessing by client and by account, in fixed memory. A client from whose
 * network the account has signed in before is not delayed by others, so that an attacker cannot
 * lock out its owner.
 */
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

/** A name may look like an IPv6 address, where the throttle reads only the network. */
const slotText = (nameKey: string) => createHash('sha256').update(nameKey).digest('hex');

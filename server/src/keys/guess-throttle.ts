/**
 * Slows down clients that try keys. A well-formed secret that is not known costs a hash and a query, and may be a guess;
 * each client address may try so many per second, then waits, then is refused. Keys that are known are not affected, so
 * an attacker behind the same address does not lock out its neighbours that are already talking to us.
 *
 * Memory is fixed: an address is hashed, with a secret of the process, to one of 65,536 slots, and a slot is one number
 * (GCRA, the "theoretical arrival time" of its next attempt). Addresses that share a slot share its rate.
 */
import { randomBytes } from 'node:crypto';

const SLOTS = 1 << 16;

export type ThrottleLimits = {
  /** One attempt per interval, after `burst` at once. */
  readonly intervalMs: number;
  readonly burst: number;
  /** An attempt that would have to wait longer is refused: waiting requests hold connections. */
  readonly maxWaitMs: number;
};

/** Of keys: 10 per second, 20 at once. */
const KEY_LIMITS: ThrottleLimits = { intervalMs: 100, burst: 20, maxWaitMs: 2_000 };

export class GuessThrottle {
  readonly #nowMs: () => number;
  readonly #limits: ThrottleLimits;
  readonly #nextMs = new Float64Array(SLOTS);
  readonly #seed = randomBytes(4).readUInt32LE();

  /** `nowMs` is a monotonic clock. */
  constructor(nowMs: () => number = () => performance.now(), limits = KEY_LIMITS) {
    this.#nowMs = nowMs;
    this.#limits = limits;
  }

  /** How long an attempt from this address must wait, in milliseconds; undefined if it is refused. Counts the attempt. */
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

  /** The attempt found a key: it was no guess. */
  succeeded(address: string): void {
    const slot = this.#slotOf(address);
    this.#nextMs[slot] = (this.#nextMs[slot] as number) - this.#limits.intervalMs;
  }

  #slotOf(address: string): number {
    const text = address.includes(':') ? network64(address) : address;
    // FNV-1a, then a multiplication that spreads the low bits.
    let hash = this.#seed;
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
    return Math.imul(hash ^ (hash >>> 15), 0x85ebca6b) >>> 16;
  }
}

/** An IPv6 client has all addresses of its /64, so they count as one. The text need not be a full form: only equality matters. */
function network64(address: string): string {
  const [head = '', tail] = address.split('::');
  const groups = head.split(':');
  if (tail === undefined) return groups.slice(0, 4).join(':');
  const filled = [...groups, ...new Array<string>(Math.max(0, 8 - groups.length - tail.split(':').length)).fill('0')];
  return filled.slice(0, 4).join(':');
}

/**
 * Passwords as argon2id (RFC 9106) in PHC form. Parameters are OWASP's minimum, 19 MiB and two passes: 50 ms on a core
 * of a small virtual machine. Hashing runs on Node's thread pool, which files and DNS share, so only two run at once.
 */
import { FairSlots } from '../lookup/fair-slots.ts';

/** argon2id is the library's default algorithm; its names are a const enum, which this build cannot read. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const WAIT_MS = 5_000;
const LIMITS = { slots: 2, slotsPerKey: 2, waitingPerKey: 64, waitMs: WAIT_MS };

/** Of a password that no account has: comparing with it takes as long as with a real one. */
const NO_PASSWORD = '$argon2id$v=19$m=19456,t=2,p=1$7MQGoxEe6zxT8+mkr+V4FA$ABhqbiucvKoZh8yXqDJ6Rblgz8O1ay5bc5oLHzPcdDg';

/** Loaded when the first password is checked, not before the server listens. */
const argon2 = () => import('@node-rs/argon2');

/** More passwords are being checked than can be in time. */
export class TooManyPasswords extends Error {
  override name = 'TooManyPasswords';
}

export class PasswordHasher {
  readonly #slots = new FairSlots(LIMITS);

  hash(password: string): Promise<string> {
    return this.#inSlot(async () => (await argon2()).hash(password, PARAMETERS));
  }

  /** Takes the same time whether there is a hash or not. */
  async verify(passwordHash: string | undefined, password: string): Promise<boolean> {
    const isRight = await this.#inSlot(async () => (await argon2()).verify(passwordHash ?? NO_PASSWORD, password));
    return passwordHash !== undefined && isRight;
  }

  async #inSlot<T>(work: () => Promise<T>): Promise<T> {
    if (this.#slots.isFull('') || !(await this.#slots.acquire('', new AbortController().signal))) {
      throw new TooManyPasswords();
    }
    try {
      return await work();
    } finally {
      this.#slots.release('');
    }
  }
}

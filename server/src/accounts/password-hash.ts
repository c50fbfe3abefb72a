// Passwords as argon2id (RFC 9106) in PHC form, with OWASP's minimum parameters: 50 ms of a small
// machine's core. Known and unknown clients have a queue each, served in turn by network. After
// BURST passwords at once, a queue checks one per INTERVAL_MS: 300 a minute, 15 s of a core.
import { hash, verify } from '@node-rs/argon2';
import { clientNetwork } from '../limits/client.ts';
import { CostQueue } from '../limits/cost-classes.ts';

/**
 * argon2id is the library's default algorithm; its names are a const enum, which this build cannot
 * read.
 */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const INTERVAL_MS = 200;
const BURST = 20;
/** Hash of a password that no account has: comparing with it takes as long as with a real one. */
const NO_PASSWORD =
  '$argon2id$v=19$m=19456,t=2,p=1$7MQGoxEe6zxT8+mkr+V4FA$ABhqbiucvKoZh8yXqDJ6Rblgz8O1ay5bc5oLHzPcdDg';

/** More passwords are being checked than can be in time. */
export class TooManyPasswords extends Error {
  override name = 'TooManyPasswords';
}

/**
 * Known are clients that are signed in, hold a valid link, or have signed in to the account from
 * the same network.
 */
type PasswordClient = { readonly address: string; readonly isKnown: boolean };

export class PasswordHasher {
  readonly #known = new Lane();
  readonly #unknown = new Lane();

  hash(password: string, client: PasswordClient): Promise<string> {
    return this.#inSlot(client, () => hash(password, PARAMETERS));
  }

  /** Takes the same time whether there is a hash or not. */
  async verify(
    passwordHash: string | undefined,
    password: string,
    client: PasswordClient,
  ): Promise<boolean> {
    const matches = () => verify(passwordHash ?? NO_PASSWORD, password);
    const isRight = await this.#inSlot(client, matches);
    return passwordHash !== undefined && isRight;
  }

  async #inSlot<T>({ address, isKnown }: PasswordClient, work: () => Promise<T>): Promise<T> {
    return (isKnown ? this.#known : this.#unknown).run(clientNetwork(address), work);
  }
}

/** One slot for a group of clients, which is released late when the group exceeds its rate. */
class Lane {
  readonly #queue = new CostQueue('password');
  /** When the passwords of the past would have been checked at the rate (GCRA). */
  #paidUntilMs = 0;

  run<T>(network: string, work: () => Promise<T>): Promise<T> {
    return this.#queue.run(
      { fairnessKey: network, signal: new AbortController().signal },
      async ({ hold }) => {
        this.#paidUntilMs = Math.max(this.#paidUntilMs, performance.now()) + INTERVAL_MS;
        const result = await work();
        const earlyMs = this.#paidUntilMs - BURST * INTERVAL_MS - performance.now();
        if (earlyMs > 0) setTimeout(hold(), earlyMs).unref();
        return result;
      },
      () => {
        throw new TooManyPasswords();
      },
    );
  }
}

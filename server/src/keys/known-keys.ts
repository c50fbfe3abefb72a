// Keys by secret, found or not, are remembered, used while vouched for, and forgotten when the key
// changes.
import { setTimeout as sleep } from 'node:timers/promises';
import { GuessThrottle } from '../limits/guess-throttle.ts';
import type { KeyStore, StoredKey } from '../storage/stores/key-store.ts';
import type { RefusalReason } from '../vocabulary.ts';
import { fromStored, type Key } from './key.ts';
import { refusalOf } from './restrictions.ts';
import { hashSecret } from './secret.ts';
import { isWellFormed } from './secret-form.ts';
import { canBeRead, type StorageState, Vouching } from './vouching.ts';

/** More than a deployment has in use at once; a bound, not a tuning parameter. */
const MAX_REMEMBERED = 50_000;
/** Wrong secrets that are sent again and again, such as a revoked key that a client still uses. */
const MAX_ABSENT = 1_000;

const RETRY_MS = 100;

/** Thrown where a client address has tried too many secrets. */
export class TooManyGuesses extends Error {
  override name = 'TooManyGuesses';
}

type OnRefused = (keyId: string, reason: RefusalReason, address: string) => void;

type KnownKeysOptions = {
  /** How long known keys are accepted while storage does not answer. */
  readonly graceMs?: number;
  /**
   * Called for every request that is refused although its key exists: a revoked key, or one that is
   * restricted.
   */
  readonly onRefused?: OnRefused;
  /**
   * Called when another database, or an older copy, has taken the place of the one that was known.
   */
  readonly onReplaced?: () => void;
  /** Storage has stopped answering. */
  readonly onOutage?: () => void;
  /** The clock that all processes share, for expiry. */
  readonly nowMs?: () => number;
};

export class KnownKeys {
  readonly #store: KeyStore;
  readonly #onRefused: OnRefused;
  readonly #nowMs: () => number;
  readonly #vouching: Vouching;
  readonly #guesses = new GuessThrottle();
  readonly #remembered = new Map<string, Key>();
  /** Secrets that are not accepted, with the key where it is revoked or paused. */
  readonly #absent = new Map<string, RefusedKey | undefined>();
  /** Searches in storage under way: requests with the same secret share one. */
  readonly #searches = new Map<string, Promise<KeyAnswer>>();
  readonly #onReplaced: () => void;
  #revision = '';
  #isClosed = false;

  constructor(
    store: KeyStore,
    {
      graceMs = 0,
      onRefused = () => {},
      onReplaced = () => {},
      onOutage = () => {},
      nowMs = Date.now,
    }: KnownKeysOptions = {},
  ) {
    this.#store = store;
    this.#onRefused = onRefused;
    this.#nowMs = nowMs;
    this.#onReplaced = onReplaced;
    this.#vouching = new Vouching(() => this.#readChanges(), { graceMs, onOutage });
  }

  /** Whether storage answers, as of the last question. */
  get storageState(): StorageState {
    return this.#vouching.state;
  }

  /** Since storage was last known to answer. */
  get storageAgeSeconds(): number {
    return this.#vouching.ageSeconds;
  }

  /** From a question to its answer, averaged over the last few; undefined before the first. */
  get storageRoundTripMs(): number | undefined {
    return this.#vouching.roundTripMs;
  }

  /**
   * The same, after a question where the last one is some time ago: at once without one, and after
   * a second at most.
   */
  checkStorage(): StorageState | Promise<StorageState> {
    return this.#vouching.isCurrent() ? this.#vouching.state : this.#askStorage();
  }

  async #askStorage(): Promise<StorageState> {
    try {
      await this.#vouching.refresh();
      return this.#vouching.state;
    } catch {
      return 'unavailable';
    }
  }

  async untilStorageAnswers(): Promise<void> {
    while (!this.#isClosed && (await this.checkStorage()) !== 'ok') await sleep(RETRY_MS);
  }

  close(): void {
    this.#isClosed = true;
    this.#vouching.stop();
  }

  async find(secret: string, address: string): Promise<Key | undefined> {
    const clientAddress = () => address;
    const remembered = this.findRemembered(secret);
    if (remembered === undefined && !isWellFormed(secret)) return undefined;
    const knownKey = remembered ?? (await this.findKnown(secret, clientAddress));
    if (knownKey === 'absent') return undefined;
    if (knownKey !== undefined) return this.admits(knownKey, clientAddress) ? knownKey : undefined;
    const { key, refused } = await (this.#searches.get(secret) ?? this.#search(secret, address));
    if (refused !== undefined) this.#onRefused(refused.id, refused.reason, address);
    return key !== undefined && this.admits(key, clientAddress) ? key : undefined;
  }

  /**
   * As `find`, if asked before and no key has changed since; else undefined. Does not check
   * restrictions.
   */
  async findKnown(secret: string, address: () => string): Promise<Key | 'absent' | undefined> {
    await this.#vouching.refresh();
    if (!this.#absent.has(secret)) return this.#remembered.get(secret);
    const refused = this.#absent.get(secret);
    if (refused !== undefined) this.#onRefused(refused.id, refused.reason, address());
    return 'absent';
  }

  /**
   * The key, without storage; undefined sends the caller to `find` or `findKnown`. Does not check
   * restrictions.
   */
  findRemembered(secret: string): Key | undefined {
    return this.#vouching.isCurrent() ? this.#remembered.get(secret) : undefined;
  }

  /** Whether the key has not expired, and the client is in one of its networks. */
  admits({ id, restrictions }: Key, address: () => string): boolean {
    const reason = restrictions && refusalOf(restrictions, this.#nowMs(), address);
    if (reason === undefined) return true;
    this.#onRefused(id, reason, address());
    return false;
  }

  #search(secret: string, address: string): Promise<KeyAnswer> {
    const search = this.#searchStorage(secret, address).finally(() =>
      this.#searches.delete(secret),
    );
    this.#searches.set(secret, search);
    return search;
  }

  async #searchStorage(secret: string, address: string): Promise<KeyAnswer> {
    // Storage is known not to answer: a question would only take longer to fail.
    const { failure } = this.#vouching;
    if (failure !== undefined && !canBeRead(failure)) throw failure;
    const waitMs = this.#guesses.attempt(address);
    if (waitMs === undefined) throw new TooManyGuesses();
    if (waitMs > 0) await sleep(waitMs);
    await this.#vouching.refresh();
    const revision = this.#revision;
    const stored = await this.#store.findByHash(hashSecret(secret));
    const answer = answerOf(stored);
    if (answer.key !== undefined) this.#guesses.succeeded(address);
    // An answer that took its time may be older than a change seen meanwhile.
    if (revision === this.#revision) this.#remember(secret, answer);
    return answer;
  }

  /**
   * Forgets changed keys with the answer that names them, so that others stay known if storage
   * fails right after.
   */
  async #readChanges(): Promise<void> {
    const { revision, changed, isReplaced } = await this.#store.changes(this.#revision);
    if (revision !== this.#revision || isReplaced) this.#forget(changed);
    this.#revision = revision;
    if (isReplaced) this.#onReplaced();
  }

  #forget(changed: readonly string[] | undefined): void {
    this.#absent.clear();
    if (changed === undefined) this.#remembered.clear();
    else {
      const hashes = new Set(changed);
      for (const [secret, { hash }] of this.#remembered)
        if (hashes.has(hash)) this.#remembered.delete(secret);
    }
  }

  #remember(secret: string, { key, refused }: KeyAnswer): void {
    if (this.#remembered.size >= MAX_REMEMBERED) this.#forgetOldest();
    if (this.#absent.size >= MAX_ABSENT) this.#absent.clear();
    if (key === undefined) this.#absent.set(secret, refused);
    else this.#remembered.set(secret, key);
  }

  #forgetOldest(): void {
    for (const secret of this.#remembered.keys()) {
      this.#remembered.delete(secret);
      return;
    }
  }
}

type RefusedKey = { readonly id: string; readonly reason: 'revoked' | 'paused' };
/** The key of a secret, or one that is revoked or paused, or neither. */
type KeyAnswer = { readonly key?: Key; readonly refused?: RefusedKey };

function answerOf(stored: StoredKey | undefined): KeyAnswer {
  if (stored === undefined) return {};
  const { id } = stored;
  if (stored.revokedAt !== undefined) return { refused: { id, reason: 'revoked' } };
  if (stored.pausedAt !== undefined) return { refused: { id, reason: 'paused' } };
  const key = fromStored(stored);
  return key === undefined ? {} : { key };
}

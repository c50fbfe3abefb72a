/**
 * API keys: create, find by secret, revoke. Keys that were found are remembered by their secret, which spares a hash and a query on every
 * request; the memory is dropped whenever storage says that any process has changed a key, and that is asked on every request.
 */
import { randomInt } from 'node:crypto';
import type { MaybePromise, Storage, StoredKey } from '../storage/storage.ts';
import { hashSecret, isWellFormed, makeSecret, maskSecret } from './secret.ts';
import type { Permission, Tier } from './tiers.ts';

/** More than any deployment has in use at once; only a bound, not a tuning. */
const REMEMBERED_KEYS = 10_000;

export type NewKey = { readonly name: string; readonly tier: Tier; readonly permissions: readonly Permission[] };

export class Keys {
  readonly #storage: Storage;
  readonly #remembered = new Map<string, StoredKey>();
  #revision = -1;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** The secret is returned here and never again. */
  async create({ name, tier, permissions }: NewKey, now: Date): Promise<{ key: StoredKey; secret: string }> {
    const secret = makeSecret();
    const key: StoredKey = {
      id: makeId(),
      name,
      hash: hashSecret(secret),
      masked: maskSecret(secret),
      permissions,
      tier,
      createdAt: now,
    };
    await this.#storage.insertKey(key);
    return { key, secret };
  }

  list(): MaybePromise<StoredKey[]> {
    return this.#storage.listKeys();
  }

  revoke(id: string, now: Date, by: string) {
    return this.#storage.revokeKey(id, now, by);
  }

  /** The active key with this secret. */
  find(secret: string): MaybePromise<StoredKey | undefined> {
    if (!isWellFormed(secret)) return undefined;
    const revision = this.#storage.keysRevision();
    return revision instanceof Promise
      ? revision.then((current) => this.#findAt(current, secret))
      : this.#findAt(revision, secret);
  }

  /** The same for a secret that was found before, if storage can vouch for it at once; undefined sends the caller to `find`. */
  findRemembered(secret: string): StoredKey | undefined {
    const key = this.#remembered.get(secret);
    return key !== undefined && this.#storage.keysRevision() === this.#revision ? key : undefined;
  }

  #findAt(revision: number, secret: string): MaybePromise<StoredKey | undefined> {
    if (revision !== this.#revision) {
      this.#remembered.clear();
      this.#revision = revision;
    }
    const known = this.#remembered.get(secret);
    if (known !== undefined) return known;
    const found = this.#storage.findKeyByHash(hashSecret(secret));
    return found instanceof Promise
      ? found.then((key) => this.#remember(revision, secret, key))
      : this.#remember(revision, secret, found);
  }

  #remember(revision: number, secret: string, key: StoredKey | undefined): StoredKey | undefined {
    if (key === undefined || key.revokedAt !== undefined) return undefined;
    // An answer that took its time may be older than a revocation seen meanwhile.
    if (revision === this.#revision) {
      if (this.#remembered.size >= REMEMBERED_KEYS) this.#remembered.clear();
      this.#remembered.set(secret, key);
    }
    return key;
  }
}

const ID_LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';

/** Short enough to type into `whence key revoke`. */
function makeId(): string {
  return Array.from({ length: 10 }, () => ID_LETTERS[randomInt(ID_LETTERS.length)]).join('');
}

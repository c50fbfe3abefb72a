/** Managing API keys: create, list, revoke. */
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KeyStore, RevokeOutcome, StoredKey } from '../storage/key-store.ts';
import { allowanceOf, type Key, type NewKey } from './key.ts';
import { hashSecret, makeSecret, maskSecret } from './secret.ts';
import { REVOCATION_WAIT_MS } from './vouching.ts';

export type CreatedKey = { readonly key: Key; readonly secret: string };

export class Keys {
  readonly #store: KeyStore;

  constructor(store: KeyStore) {
    this.#store = store;
  }

  /** The secret is returned here and never again. `origin`: the account that makes it, and the key it replaces. */
  async create(
    newKey: NewKey,
    now: Date,
    origin: Pick<StoredKey, 'ownerId' | 'predecessorId'> = {},
  ): Promise<CreatedKey> {
    const created = makeKey(newKey, now, origin);
    await this.#store.insert(created.key);
    return created;
  }

  /**
   * The key that a deployment begins with; undefined if it has one. `keep` gets the secret before it is stored, so that
   * it is not lost when the process is killed in between.
   */
  async createFirst(
    newKey: NewKey,
    now: Date,
    keep: (secret: string) => void = () => {},
  ): Promise<CreatedKey | undefined> {
    if ((await this.#store.list()).length > 0) return undefined;
    const created = makeKey(newKey, now);
    keep(created.secret);
    return (await this.#store.insertFirst(created.key)) ? created : undefined;
  }

  /** Whether revoked or not. */
  async findBySecret(secret: string): Promise<StoredKey | undefined> {
    return this.#store.findByHash(hashSecret(secret));
  }

  list(): Promise<StoredKey[]> {
    return this.#store.list();
  }

  /** When this resolves, no process of the deployment accepts the key. */
  async revoke(id: string, now: Date, by: string): Promise<RevokeOutcome> {
    const outcome = await this.#store.revoke(id, now, by);
    // Also for a key that was revoked already: the process that did it may still be waiting.
    if (outcome !== 'unknown') await sleep(REVOCATION_WAIT_MS);
    return outcome;
  }
}

function makeKey(
  { name, tier, permissions }: NewKey,
  now: Date,
  origin: Pick<StoredKey, 'ownerId' | 'predecessorId'> = {},
): CreatedKey {
  const secret = makeSecret();
  const key: Key = {
    id: makeId(),
    name,
    hash: hashSecret(secret),
    masked: maskSecret(secret),
    permissions,
    tier,
    allowance: allowanceOf(tier),
    createdAt: now,
    ...origin,
  };
  return { secret, key };
}

const ID_LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';

/** Short enough to type into `whence key revoke`. */
function makeId(): string {
  return Array.from({ length: 10 }, () => ID_LETTERS[randomInt(ID_LETTERS.length)]).join('');
}

/**
 * Managing API keys: create, rotate, revoke. Every change is in the audit log, whether it came from the dashboard, from
 * the command line or from the start of the server.
 */
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Actor, AuditLog } from '../audit/audit-log.ts';
import type { KeyStore, RevokeOutcome, StoredKey } from '../storage/stores/key-store.ts';
import { allowanceOf, type Key, type NewKey } from './key.ts';
import { hashSecret, makeSecret, maskSecret } from './secret.ts';
import { REVOCATION_WAIT_MS } from './vouching.ts';

export type CreatedKey = { readonly key: Key; readonly secret: string };

export class Keys {
  readonly #store: KeyStore;
  readonly #audit: AuditLog;

  constructor(store: KeyStore, audit: AuditLog) {
    this.#store = store;
    this.#audit = audit;
  }

  /** The secret is returned here and never again. `ownerId` is an account of the dashboard. */
  async create(newKey: NewKey, actor: Actor, now: Date, ownerId?: string): Promise<CreatedKey> {
    const created = makeKey(newKey, now, ownerId === undefined ? {} : { ownerId });
    await this.#store.insert(created.key);
    await this.#recordCreation(created.key, actor, now);
    return created;
  }

  /** The same for an account of the dashboard, unless it has `most` active keys already. */
  async createWithin(
    newKey: NewKey,
    actor: Actor,
    now: Date,
    { ownerId, most }: { ownerId: string; most: number },
  ): Promise<CreatedKey | 'too many'> {
    const created = makeKey(newKey, now, { ownerId });
    if ((await this.#store.insertWithin(created.key, most)) !== 'inserted') return 'too many';
    await this.#recordCreation(created.key, actor, now);
    return created;
  }

  /**
   * The key that a deployment begins with; undefined if it has one. `keep` gets the secret before it is stored, so that
   * it is not lost when the process is killed in between.
   */
  async createFirst(
    newKey: NewKey,
    actor: Actor,
    now: Date,
    keep: (secret: string) => void = () => {},
  ): Promise<CreatedKey | undefined> {
    if (!(await this.#store.isEmpty())) return undefined;
    const created = makeKey(newKey, now);
    keep(created.secret);
    if (!(await this.#store.insertFirst(created.key))) return undefined;
    await this.#recordCreation(created.key, actor, now);
    return created;
  }

  /**
   * Creates a successor with the tier, the permissions and the owner of the key; the key itself stays active. Refused
   * for a revoked key, while another successor is active, and if the owner has `most` active keys already.
   */
  async rotate(
    key: Key,
    name: string,
    actor: Actor,
    now: Date,
    most = Number.POSITIVE_INFINITY,
  ): Promise<CreatedKey | 'revoked' | 'has successor' | 'too many'> {
    if (key.revokedAt !== undefined) return 'revoked';
    const { tier, permissions, ownerId, id: predecessorId } = key;
    const origin = { predecessorId, ...(ownerId === undefined ? {} : { ownerId }) };
    const created = makeKey({ name, tier, permissions }, now, origin);
    const outcome = await this.#store.insertWithin(created.key, most);
    if (outcome !== 'inserted') return outcome;
    await this.#audit.record(actor, 'key.rotated', targetOf(key), now, { successor: created.key.id });
    await this.#recordCreation(created.key, actor, now);
    return created;
  }

  /** Whether revoked or not. */
  async findBySecret(secret: string): Promise<StoredKey | undefined> {
    return this.#store.findByHash(hashSecret(secret));
  }

  findByMasked(masked: string): Promise<StoredKey[]> {
    return this.#store.findByMasked(masked);
  }

  isEmpty(): Promise<boolean> {
    return this.#store.isEmpty();
  }

  list(): Promise<StoredKey[]> {
    return this.#store.list();
  }

  /** When this resolves, no process of the deployment accepts the key. */
  async revoke(id: string, actor: Actor, now: Date): Promise<RevokeOutcome> {
    const key = await this.#store.find(id);
    if (key === undefined) return 'unknown';
    const outcome = await this.#store.revoke(id, now, actor.name);
    if (outcome === 'revoked') await this.#audit.record(actor, 'key.revoked', targetOf(key), now);
    // Also for a key that was revoked already: the process that did it may still be waiting.
    if (outcome !== 'unknown') await sleep(REVOCATION_WAIT_MS);
    return outcome;
  }

  async #recordCreation(key: Key, actor: Actor, now: Date): Promise<void> {
    const { tier, permissions, predecessorId } = key;
    const details = {
      tier,
      permissions: permissions.join(' '),
      ...(predecessorId === undefined ? {} : { predecessor: predecessorId }),
    };
    await this.#audit.record(actor, 'key.created', targetOf(key), now, details);
  }
}

const targetOf = ({ id, name }: StoredKey) => ({ kind: 'key', id, name }) as const;

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

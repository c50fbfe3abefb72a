/** Creates, changes, rotates and revokes API keys. Every change is in the audit log. */
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Actor, AuditLog } from '../audit/audit-log.ts';
import { present } from '../present.ts';
import {
  OutcomeUnknown,
  outcomeUnknown,
  StorageUnavailable,
} from '../storage/storage-unavailable.ts';
import type {
  ChangeOutcome,
  KeyChange,
  KeyLimits,
  KeyStore,
  RevokeOutcome,
  StoredKey,
  TooManyKeys,
} from '../storage/stores/key-store.ts';
import { type Key, limitsOf, type NewKey } from './key.ts';
import { ATTRIBUTES, attributesOf, textOf } from './key-attributes.ts';
import { changedAttributes } from './key-changes.ts';
import { hashSecret, makeSecret } from './secret.ts';
import { maskSecret } from './secret-form.ts';
import { REVOCATION_WAIT_MS } from './vouching.ts';

export type CreatedKey = { readonly key: Key; readonly secret: string };
type MadeKey = CreatedKey & { readonly stored: StoredKey };

type Rotation = {
  readonly name: string;
  /** When the key itself is to be revoked; without it, that is left to a person. */
  readonly revokeAt?: Date;
};

/**
 * A revocation, or another change of a key that is in use, is not given up earlier while storage is
 * locked or unreachable.
 */
const PATIENCE_MS = 30_000;
const RETRY_MS = 100;

/** Storage did not take the change: the key is accepted as before. */
export class KeyUnchanged extends StorageUnavailable {}

/** What a person reads who asked for a change that storage did not confirm. */
type Told = {
  /** Holds if it was refused each time. */
  readonly unchanged?: string;
  /** Not known if an answer was lost; `next` is what to do. */
  readonly claim?: string;
  readonly next?: string;
};

/** In the audit log, for what is carried out at its time. */
const SCHEDULE = 'schedule';
const DUE_AT_ONCE = 100;

export class Keys {
  readonly #store: KeyStore;
  readonly #audit: AuditLog;

  readonly #patienceMs: number;

  constructor(store: KeyStore, audit: AuditLog, patienceMs = PATIENCE_MS) {
    this.#store = store;
    this.#audit = audit;
    this.#patienceMs = patienceMs;
  }

  /** The secret is returned here and never again. `ownerId` is an account of the dashboard. */
  async create(newKey: NewKey, actor: Actor, now: Date, ownerId?: string): Promise<CreatedKey> {
    const created = makeKey(newKey, now, present({ ownerId }));
    await this.#insert(created.stored);
    await this.#recordCreation(created.key, actor, now);
    return created;
  }

  /** The same for an account of the dashboard, unless it has as many keys as it may. */
  async createWithin(
    newKey: NewKey,
    actor: Actor,
    now: Date,
    { ownerId, limits }: { ownerId: string; limits: KeyLimits | undefined },
  ): Promise<CreatedKey | TooManyKeys> {
    const created = makeKey(newKey, now, { ownerId });
    const outcome = await this.#insert(created.stored, limits);
    // It replaces no key.
    if (outcome !== 'inserted' && outcome !== 'has successor') return outcome;
    await this.#recordCreation(created.key, actor, now);
    return created;
  }

  /**
   * The first key of a deployment, if it has none. `keep` gets the secret before it is stored: none
   * is lost.
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
    if (!(await this.#store.insertFirst(created.stored))) return undefined;
    await this.#recordCreation(created.key, actor, now);
    return created;
  }

  /**
   * Creates a successor like the key, without an expiry that has passed; the key stays active.
   * Refused for a revoked key, while another successor is active, and above the owner's `limits`.
   */
  async rotate(
    key: Key,
    { name, revokeAt }: Rotation,
    actor: Actor,
    now: Date,
    limits?: KeyLimits,
  ): Promise<CreatedKey | 'revoked' | 'has successor' | TooManyKeys> {
    if (key.revokedAt !== undefined) return 'revoked';
    const { tier, permissions, ownerId, id: predecessorId } = key;
    const { expiresAt, ...attributes } = attributesOf(key);
    const expiry = expiresAt !== undefined && expiresAt > now ? { expiresAt } : {};
    const newKey = { name, tier, permissions, ...attributes, ...expiry };
    const created = makeKey(newKey, now, { predecessorId, ...present({ ownerId }) });
    const outcome = await this.#insert(created.stored, limits);
    if (outcome !== 'inserted') return outcome;
    await this.#audit.record(actor, 'key.rotated', targetOf(key), now, {
      successor: created.key.id,
    });
    await this.#recordCreation(created.key, actor, now);
    if (revokeAt !== undefined)
      await this.change(
        key.id,
        { scheduledRevocation: { at: revokeAt, by: actor.name } },
        actor,
        now,
      );
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

  /**
   * When this resolves, no process of the deployment accepts the key. Throws `KeyUnchanged` if it
   * could not be revoked.
   */
  async revoke(id: string, actor: Actor, now: Date): Promise<RevokeOutcome> {
    let key: StoredKey | undefined;
    const outcome = await this.#patiently(
      {
        unchanged: `the key ${id} is not revoked and still valid`,
        claim: `the key ${id} is revoked`,
      },
      async () => {
        key = await this.#store.find(id);
        // An attempt whose answer was lost has revoked it.
        if (key?.revokedAt?.getTime() === now.getTime() && key.revokedBy === actor.name)
          return 'revoked';
        return key === undefined ? 'unknown' : this.#store.revoke(id, now, actor.name);
      },
    );
    if (outcome === 'revoked' && key !== undefined) {
      const target = targetOf(key);
      await this.#recorded(`the key ${id} is revoked`, () =>
        this.#audit.record(actor, 'key.revoked', target, now),
      );
    }
    // Also for a key that was revoked already: the process that did it may still be waiting.
    if (outcome !== 'unknown') await sleep(REVOCATION_WAIT_MS);
    return outcome;
  }

  /**
   * Resolves once every process has applied the change. Earlier requests may still be answered as
   * before.
   */
  async change(id: string, change: KeyChange, actor: Actor, now: Date): Promise<ChangeOutcome> {
    // As the first attempt saw it: one whose answer was lost may have changed it.
    let before: StoredKey | undefined;
    const outcome = await this.#patiently(
      { unchanged: `the key ${id} is not changed`, claim: `the key ${id} is changed` },
      () =>
        this.#store.change(id, (key) => {
          before ??= key;
          const { pausedAt, ...rest } = change;
          // A key that is paused again keeps the time since when it is.
          const isAsBefore =
            pausedAt === undefined || (pausedAt === null) === (key.pausedAt === undefined);
          return isAsBefore ? rest : { ...rest, pausedAt };
        }),
    );
    if (outcome === 'unknown' || outcome === 'revoked') return outcome;
    const { after } = outcome;
    before ??= outcome.before;
    const changed = changedAttributes(before, after);
    for (const { action, details } of changed)
      await this.#recorded(`the key ${id} is changed`, () =>
        this.#audit.record(actor, action, targetOf(after), now, details),
      );
    // Also if nothing has changed: the process that did it may still be waiting.
    if (changed.length === 0 || changed.some(({ isEnforced }) => isEnforced))
      await sleep(REVOCATION_WAIT_MS);
    return { before, after };
  }

  /**
   * Records scheduled revocations that are due; one process records each. Returns how many this one
   * has.
   */
  async revokeDue(now: Date): Promise<number> {
    let revoked = 0;
    for (const key of await this.#store.dueForRevocation(now, DUE_AT_ONCE)) {
      const by = key.scheduledRevocation?.by ?? SCHEDULE;
      if ((await this.#store.revoke(key.id, now, `${SCHEDULE}, ${by}`)) !== 'revoked') continue;
      await this.#audit.record({ name: `${SCHEDULE}, ${by}` }, 'key.revoked', targetOf(key), now);
      revoked++;
    }
    return revoked;
  }

  /**
   * A key whose insertion was not confirmed is looked for before it is inserted again: it may be
   * its own successor.
   */
  #insert(key: StoredKey, limits?: KeyLimits): ReturnType<KeyStore['insert']> {
    let isRepeated = false;
    return this.#patiently(
      {
        claim: `the key ${key.id} was created`,
        next: `wh key show ${key.id} tells; if it exists, revoke it, because its secret was not shown, and create another`,
      },
      async () => {
        if (isRepeated && (await this.#store.find(key.id)) !== undefined) return 'inserted';
        isRepeated = true;
        return this.#store.insert(key, limits);
      },
    );
  }

  /** What is done stays done if the audit log does not take its entry. */
  async #recorded(done: string, record: () => Promise<void>): Promise<void> {
    const unchanged = `${done}, but perhaps not in the audit log`;
    await this.#patiently({ unchanged }, record).catch((error) => {
      throw error instanceof KeyUnchanged
        ? new StorageUnavailable(error.message, { cause: error.cause })
        : error;
    });
  }

  /**
   * Repeats the work while storage does not take it, and once if the outcome is unknown; after
   * that, a refusal says nothing: the first attempt may still be waiting.
   */
  async #patiently<T>(told: Told, work: () => Promise<T>): Promise<T> {
    const deadlineMs = performance.now() + this.#patienceMs;
    let unknown: OutcomeUnknown | undefined;
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof StorageUnavailable)) throw error;
        if (error instanceof OutcomeUnknown && told.claim !== undefined) unknown = error;
        if (unknown === undefined && told.unchanged === undefined) throw error;
        if (performance.now() >= deadlineMs) {
          if (unknown !== undefined) throw outcomeUnknown(unknown, told.claim ?? '', told.next);
          throw new KeyUnchanged(`${told.unchanged}: ${error.message}`, { cause: error });
        }
        await sleep(RETRY_MS);
      }
    }
  }

  async #recordCreation(key: Key, actor: Actor, now: Date): Promise<void> {
    const { tier, permissions, predecessorId: predecessor } = key;
    const given = ATTRIBUTES.filter(({ name }) => key[name] !== undefined);
    const details = {
      tier,
      permissions: permissions.join(' '),
      ...Object.fromEntries(given.map((attribute) => [attribute.label, textOf(attribute, key)])),
      ...present({ predecessor }),
    };
    await this.#recorded(`the key ${key.id} was created and its secret is lost`, () =>
      this.#audit.record(actor, 'key.created', targetOf(key), now, details),
    );
  }
}

const targetOf = ({ id, name }: StoredKey) => ({ kind: 'key', id, name }) as const;

function makeKey(
  newKey: NewKey,
  now: Date,
  origin: Pick<StoredKey, 'ownerId' | 'predecessorId'> = {},
): MadeKey {
  const secret = makeSecret();
  const stored = {
    ...newKey,
    id: makeId(),
    hash: hashSecret(secret),
    masked: maskSecret(secret),
    createdAt: now,
    ...origin,
  };
  return { secret, stored, key: { ...stored, ...limitsOf(stored) } };
}

const ID_LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';

/** Short enough to type into `wh key revoke`. */
function makeId(): string {
  return Array.from({ length: 10 }, () => ID_LETTERS[randomInt(ID_LETTERS.length)]).join('');
}

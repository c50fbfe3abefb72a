/** What the rest of the server may ask of storage. An engine answers at once where it can, or with a promise. */
import type { Permission, Tier } from '../keys/tiers.ts';

export type MaybePromise<T> = T | Promise<T>;

export type StoredKey = {
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the secret, in hexadecimal. */
  readonly hash: string;
  /** The secret as it is shown, `whence_ab12…wxyz`. */
  readonly masked: string;
  readonly permissions: readonly Permission[];
  readonly tier: Tier;
  readonly createdAt: Date;
  readonly lastUsedAt?: Date;
  readonly revokedAt?: Date;
  readonly revokedBy?: string;
};

/** Requests of one key on one day to one endpoint with one class of status (2 for 200 to 299, and so on). */
export type UsageRow = {
  readonly keyId: string;
  readonly day: string;
  readonly endpoint: string;
  readonly statusClass: number;
  readonly requests: number;
};

export type Storage = {
  insertKey(key: StoredKey): MaybePromise<void>;
  findKeyByHash(hash: string): MaybePromise<StoredKey | undefined>;
  /** Oldest first. */
  listKeys(): MaybePromise<StoredKey[]>;
  /** Returns only when no process of the deployment can still see the key as active. */
  revokeKey(id: string, at: Date, by: string): MaybePromise<'revoked' | 'already revoked' | 'unknown'>;
  /** Changes whenever a key was created or revoked, by any process. */
  keysRevision(): MaybePromise<number>;
  /** Adds to what is stored, and moves the time of last use of these keys forward. */
  addUsage(rows: readonly UsageRow[], lastUsed: ReadonlyMap<string, Date>): MaybePromise<void>;
  usageOf(keyId: string): MaybePromise<UsageRow[]>;
  /** Throws when storage cannot be reached. */
  check(): MaybePromise<void>;
  close(): MaybePromise<void>;
};

/** Thrown by an engine that cannot do its work just now. */
export class StorageUnavailable extends Error {
  override name = 'StorageUnavailable';
}

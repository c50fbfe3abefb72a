/** What has happened to keys since a process last asked. */

type KeyChanges = {
  /** Differs from an earlier one when a key was created, changed or revoked since, by any process, or the database was replaced. */
  readonly revision: string;
  /** Hashes of the keys that were created, changed or revoked; undefined if they are many, or cannot be told. */
  readonly changed: readonly string[] | undefined;
  /** Not the database of that revision, or an older copy of it: nothing that was known or taken there holds any more. */
  readonly isReplaced: boolean;
};

/** `since` is the revision of an earlier answer; '' for the first one. */
export type ReadKeyChanges = (since: string) => Promise<KeyChanges>;

/** More than this and forgetting all keys costs less. */
export const MAX_CHANGED = 1_000;

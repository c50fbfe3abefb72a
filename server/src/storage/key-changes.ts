// Changes of keys since a process last queried them, and whether the database is the same. Each
// change has a number and a random token, kept for the last 10,000; a database without the change
// known here is another one.

type KeyChanges = {
  /**
   * Differs from an earlier one when a key was created, changed or revoked since, by any process,
   * or the database was replaced.
   */
  readonly revision: string;
  /**
   * Hashes of the keys that were created, changed or revoked; undefined if they are many, or cannot
   * be told.
   */
  readonly changed: readonly string[] | undefined;
  /**
   * Not the database of that revision, or an older copy of it: nothing that was known or taken
   * there holds any more.
   */
  readonly isReplaced: boolean;
};

/** `since` is the revision of an earlier answer; '' for the first one. */
export type ReadKeyChanges = (since: string) => Promise<KeyChanges>;

/** More than this and forgetting all keys costs less. */
export const MAX_CHANGED = 1_000;
/** As the triggers of the database have it. */
const KEPT_TOKENS = 10_000;
/** Higher than any number: no change has it, and none is after it. */
const NONE = Number.MAX_SAFE_INTEGER;

/** An answer of the database. Tokens are empty where there is none. */
export type KeyChangesAnswer = {
  readonly database: string;
  readonly keys: number;
  readonly token: string;
  /** Token of the change with the given number. */
  readonly known_token: string;
  /** Hashes of the keys changed after it, at most one more than MAX_CHANGED. */
  readonly changed: readonly string[] | null;
};

/** The number to ask about. */
export const knownNumber = (since: string) => Number(since.split(' ')[1] ?? NONE);

export function changesSince(since: string, answer: KeyChangesAnswer): KeyChanges {
  const { database, keys, token, known_token, changed } = answer;
  const revision = `${database} ${keys} ${token}`;
  if (since === '') return { revision, changed: undefined, isReplaced: false };
  const [knownDatabase, , knownToken] = since.split(' ');
  const number = knownNumber(since);
  const isSame = known_token === knownToken && keys >= number;
  // A process without requests does not ask for hours.
  const isForgotten = known_token === '' && keys - number > KEPT_TOKENS;
  const isReplaced = database !== knownDatabase || !(isSame || isForgotten);
  const isKnown = isSame && !isReplaced && (changed?.length ?? 0) <= MAX_CHANGED;
  return { revision, changed: isKnown ? (changed ?? []) : undefined, isReplaced };
}

/** The engine is locked, full, damaged or out of reach. The message is for the operator. */
export class StorageUnavailable extends Error {
  override name = 'StorageUnavailable';
}

/**
 * A change was sent and its answer did not come: it may have been made, or may be later. See
 * `outcomeUnknown`.
 */
export class OutcomeUnknown extends StorageUnavailable {}

/** `claim` completes "not known whether"; `next` is what to do. */
export function outcomeUnknown(
  error: OutcomeUnknown,
  claim: string,
  next = 'run it again',
): OutcomeUnknown {
  return new OutcomeUnknown(`not known whether ${claim}: ${error.message}; ${next}`, {
    cause: error,
  });
}

/**
 * For `catch`: says what is not known where the answer to a change was lost. Other errors are
 * thrown as they are.
 */
export function tellUnknown(claim: string, next?: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof OutcomeUnknown && !isTold(error)
      ? outcomeUnknown(error, claim, next)
      : error;
  };
}

const isTold = ({ cause }: OutcomeUnknown) => cause instanceof OutcomeUnknown;

/** As a sentence, whether a caller has said what is not known or not. */
export const unknownText = (error: OutcomeUnknown) =>
  (isTold(error) ? error : outcomeUnknown(error, 'the change was made')).message;

export class NoDatabase extends StorageUnavailable {}

/**
 * The database can be read, but it may be an older copy of another one: what it says of keys does
 * not vouch for them.
 */
export class ReadOnlyStorage extends StorageUnavailable {
  /** A standby lags behind its primary by an unknown time. */
  readonly isStandby: boolean;

  constructor(isStandby: boolean) {
    super(`PostgreSQL is ${isStandby ? 'a standby' : 'read-only'}`);
    this.isStandby = isStandby;
  }
}

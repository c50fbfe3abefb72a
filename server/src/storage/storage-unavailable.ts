/**
 * Thrown when the engine cannot do its work: it is locked, full, damaged or out of reach. The message is for the
 * operator.
 */
export class StorageUnavailable extends Error {
  override name = 'StorageUnavailable';
}

/** There is no database where one must exist. */
export class NoDatabase extends StorageUnavailable {}

/** The database can be read, but it may be an older copy of another one: what it says of keys does not vouch for them. */
export class ReadOnlyStorage extends StorageUnavailable {
  /** A standby lags behind its primary by an unknown time. */
  readonly isStandby: boolean;

  constructor(isStandby: boolean) {
    super(`PostgreSQL is ${isStandby ? 'a standby' : 'read-only'}`);
    this.isStandby = isStandby;
  }
}

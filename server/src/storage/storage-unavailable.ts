/**
 * Thrown when the engine cannot do its work: it is locked, full, damaged or out of reach. The message is for the
 * operator.
 */
export class StorageUnavailable extends Error {
  override name = 'StorageUnavailable';
}

/** There is no database where one must exist. */
export class NoDatabase extends StorageUnavailable {}

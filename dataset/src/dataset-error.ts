/**
 * A dataset, its input or its folder cannot be used: a damaged file, an invalid catalogue, a lock that another process
 * holds. The message is written for the operator.
 */
export class DatasetError extends Error {
  override name = 'DatasetError';
}

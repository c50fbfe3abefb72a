/** A dataset, its input or its folder cannot be used. The message is written for the operator. */
export class DatasetError extends Error {
  override name = 'DatasetError';
}

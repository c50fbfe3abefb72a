/** A compressed stream that cannot be read to its end. The message is a sentence for the person who runs the update. */
export class StreamError extends Error {
  override readonly name = 'StreamError';
}

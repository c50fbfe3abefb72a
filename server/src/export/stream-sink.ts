/** Standard output as the place of an export: waits when the reader is slow, and says when it has gone. */
import { DatasetError } from '@whence/dataset/format';
import type { Output } from '../terminal.ts';
import type { Sink } from './sink.ts';

/** The reader of a pipe has had enough, as `head` does. Nothing to complain about. */
export class ReaderGone extends Error {
  override name = 'ReaderGone';
}

export class StreamSink implements Sink {
  readonly #output: Output;
  #failure: Error | undefined;
  #wake: () => void = () => {};

  constructor(output: Output) {
    this.#output = output;
    // The listeners stay: a pipe may report that it is broken after the last write, and without a listener that ends the process.
    output.on?.('error', (error) => {
      this.#failure = failureOf(error);
      this.#wake();
    });
    output.on?.('drain', () => this.#wake());
  }

  async write(chunk: string): Promise<void> {
    if (this.#failure === undefined && this.#mustWait(chunk))
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    if (this.#failure !== undefined) throw this.#failure;
  }

  #mustWait(chunk: string): boolean {
    try {
      return this.#output.write(chunk) === false && this.#output.on !== undefined;
    } catch (error) {
      // A file behind standard output is written at once, and its errors are thrown.
      this.#failure = failureOf(error as Error);
      return false;
    }
  }
}

function failureOf(error: Error): Error {
  if (['EPIPE', 'ERR_STREAM_DESTROYED'].includes((error as NodeJS.ErrnoException).code ?? ''))
    return new ReaderGone('nobody reads the output any more');
  return new DatasetError(`cannot write to standard output: ${error.message}`);
}

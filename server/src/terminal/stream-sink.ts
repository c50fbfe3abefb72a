/** Standard output as a sink, with backpressure. A closed pipe (EPIPE) is handled in bin.ts, for every command. */
import { DatasetError } from '@whence/dataset/format';
import { refusalText } from './file-errors.ts';
import type { Output } from './output.ts';
import type { Sink } from './sink.ts';

export class StreamSink implements Sink {
  readonly #output: Output;
  #failure: Error | undefined;
  #wake: () => void = () => {};

  constructor(output: Output) {
    this.#output = output;
    output.on?.('error', (error) => {
      this.#failure = writeError(error);
      this.#wake();
    });
    output.on?.('drain', () => this.#wake());
  }

  async write(chunk: string | Uint8Array): Promise<void> {
    if (this.#failure === undefined && this.#mustWait(chunk))
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    if (this.#failure !== undefined) throw this.#failure;
  }

  #mustWait(chunk: string | Uint8Array): boolean {
    try {
      // A stream may keep the bytes after `write` has returned, so it gets a copy.
      const copy = typeof chunk === 'string' ? chunk : Buffer.from(chunk);
      return this.#output.write(copy) === false && this.#output.on !== undefined;
    } catch (error) {
      // When standard output is a file, writes are synchronous and throw.
      this.#failure = writeError(error as Error);
      return false;
    }
  }
}

function writeError(error: Error): Error {
  return new DatasetError(`cannot write to standard output: ${refusalText(error)}`);
}

/** Standard output as a sink: waits when the reader is slow. That the reader has gone is for the program to hear, whatever the command. */
import { DatasetError } from '@whence/dataset/format';
import { refusalText } from '../file-errors.ts';
import type { Output } from '../terminal.ts';
import type { Sink } from './sink.ts';

export class StreamSink implements Sink {
  readonly #output: Output;
  #failure: Error | undefined;
  #wake: () => void = () => {};

  constructor(output: Output) {
    this.#output = output;
    output.on?.('error', (error) => {
      this.#failure = failureOf(error);
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
      // A stream may hold on to bytes after `write` has returned: it gets its own.
      const own = typeof chunk === 'string' ? chunk : Buffer.from(chunk);
      return this.#output.write(own) === false && this.#output.on !== undefined;
    } catch (error) {
      // A file behind standard output is written at once, and its errors are thrown.
      this.#failure = failureOf(error as Error);
      return false;
    }
  }
}

function failureOf(error: Error): Error {
  return new DatasetError(`cannot write to standard output: ${refusalText(error)}`);
}

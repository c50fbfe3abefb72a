/** Standard output as a sink, with backpressure. A closed pipe (EPIPE) is handled in bin.ts, for every command. */
import { DatasetError } from '@whence/dataset/format';
import { refusalText } from './file-errors.ts';
import type { Output } from './output.ts';
import type { Sink } from './sink.ts';

export class StreamSink implements Sink {
  readonly #output: Output;
  #failure: Error | undefined;

  constructor(output: Output) {
    this.#output = output;
    output.on?.('error', (error) => {
      this.#failure ??= writeError(error);
    });
  }

  async write(chunk: string | Uint8Array): Promise<void> {
    if (this.#failure === undefined) await this.#send(chunk);
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Until the stream is done with the chunk, so that it need not be copied. What is no stream gets a copy. */
  #send(chunk: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      const done = (error?: Error | null) => {
        if (error) this.#failure ??= writeError(error);
        resolve();
      };
      try {
        if (this.#output.on !== undefined) this.#output.write(chunk, done);
        else {
          this.#output.write(typeof chunk === 'string' ? chunk : Buffer.from(chunk));
          done();
        }
      } catch (error) {
        // When standard output is a file, writes are synchronous and throw.
        done(error as Error);
      }
    });
  }
}

function writeError(error: Error): Error {
  return new DatasetError(`cannot write to standard output: ${refusalText(error)}`);
}

/**
 * Where a command writes: `Output` is a stream, `Sink` has backpressure. bin.ts handles a closed
 * pipe (EPIPE).
 */
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { DatasetError } from '@whence/dataset/dataset-error';
import { refusalText } from './file-errors.ts';
import { printableText } from './printable.ts';

/** A stream, which has `on`, calls `done` when it no longer needs the bytes. */
export type Output = {
  write(text: string | Uint8Array, done?: (error?: Error | null) => void): unknown;
  on?(event: 'error', listener: (error: Error) => void): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
};

/**
 * Standard streams, and the variables that decide how a command prints. Accessing `process.stdin`
 * opens it.
 */
export type CommandStreams = {
  readonly stdin: () => Readable & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly environment: Readonly<Record<string, string | undefined>>;
};

/** `write` resolves when more may be written; then the caller may reuse the chunk's buffer. */
export type Sink = {
  write(chunk: string | Uint8Array): Promise<void>;
};

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

  /**
   * Resolves when the stream no longer needs the chunk. An output that is not a stream gets a copy.
   */
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

/**
 * For data such as lines of a log: unchanged, except that a terminal gets control characters as
 * visible escapes.
 */
export function dataSink(output: Output): Sink {
  const sink = new StreamSink(output);
  if (output.isTTY !== true) return sink;
  const decoder = new StringDecoder('utf8');
  let held = '';
  return {
    async write(chunk) {
      const text = held + (typeof chunk === 'string' ? chunk : decoder.write(Buffer.from(chunk)));
      // A carriage return is harmless before a line feed, which may be in the next chunk.
      held = text.endsWith('\r') ? '\r' : '';
      await sink.write(printableText(text.slice(0, text.length - held.length)));
    },
  };
}

function writeError(error: Error): Error {
  return new DatasetError(`cannot write to standard output: ${refusalText(error)}`);
}

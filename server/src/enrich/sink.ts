/** Where the enriched lines go: a stream that sets the pace, or a file that has its name only when it is whole. */
import { EventEmitter, once } from 'node:events';
import {
  chmodSync,
  closeSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { type Output, UsageError } from '../terminal.ts';
import type { OutputBuffer } from './output-buffer.ts';

export type Sink = {
  /** Takes all that is in the buffer. */
  write(output: OutputBuffer): Promise<void>;
  finish(): void;
  /** Leaves nothing behind. */
  abandon(): void;
};

export function streamSink(stream: Output): Sink {
  let failure: Error | undefined;
  // Stays for good: a reader may go away after our last write, and that is not worth a stack trace.
  if (stream instanceof EventEmitter)
    stream.on('error', (error: Error) => {
      failure = error;
    });
  return {
    async write(output) {
      if (failure !== undefined) throw failure;
      if (output.length === 0) return;
      if (stream.write(output.take()) === false && stream instanceof EventEmitter) await once(stream, 'drain');
    },
    finish() {},
    abandon() {},
  };
}

export function fileSink(path: string): Sink {
  const target = existingFile(path);
  const place = target?.path ?? path;
  const unfinished = `${place}.${process.pid}.unfinished`;
  const file = openUnfinished(unfinished, path);
  const stopOn = (signal: NodeJS.Signals) => {
    abandon();
    process.kill(process.pid, signal);
  };
  for (const signal of STOPPING_SIGNALS) process.once(signal, stopOn);
  let isOpen = true;
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    for (const signal of STOPPING_SIGNALS) process.removeListener(signal, stopOn);
    closeSync(file);
  };
  const abandon = () => {
    close();
    rmSync(unfinished, { force: true });
  };
  return {
    async write(output) {
      for (let written = 0; written < output.length; )
        written += writeSync(file, output.bytes, written, output.length - written);
      output.length = 0;
    },
    finish() {
      fsyncSync(file);
      close();
      if (target !== undefined) chmodSync(unfinished, target.mode);
      renameSync(unfinished, place);
    },
    abandon,
  };
}

const STOPPING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A link is followed and a mode kept. A device is refused: a rename would put a file in its place. */
function existingFile(path: string): { path: string; mode: number } | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (!stats.isFile()) throw new UsageError(`--output ${path} is not a regular file`);
  return { path: realpathSync(path), mode: stats.mode & 0o7777 };
}

function openUnfinished(unfinished: string, path: string): number {
  try {
    return openSync(unfinished, 'w');
  } catch (error) {
    throw new UsageError(`cannot write ${path}: ${(error as Error).message}`);
  }
}

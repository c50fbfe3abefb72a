// Writes log lines to standard error without waiting for a stalled reader, which would stop
// requests. Lines are queued up to a limit; further ones are dropped and counted.
import { constants, fstatSync, openSync, writeSync } from 'node:fs';

const STDERR = 2;
const MAX_WAITING_BYTES = 1_000_000;
const RETRY_MS = 50;
/** Maximum wait for the reader when the process exits. */
const LAST_FLUSH_MS = 500;

export class LogOutput {
  readonly #fd: number;
  readonly #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #retry: NodeJS.Timeout | undefined;
  #dropped = 0;
  #reported = 0;
  /**
   * Called when lines can be written again, with the number that were dropped since the last call.
   */
  onRecovery: (dropped: number) => void = () => {};

  /** The descriptor must be non-blocking, or a file. */
  constructor(fd: number = nonBlockingStderr()) {
    this.#fd = fd;
  }

  get dropped(): number {
    return this.#dropped;
  }

  write(line: string): void {
    const bytes = Buffer.from(line);
    if (this.#waitingBytes + bytes.length > MAX_WAITING_BYTES) {
      this.#dropped++;
      return;
    }
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#retry === undefined) this.#writeWaiting();
  }

  /** Named as pino expects it: called after a fatal line, and by us when the process ends. */
  flushSync(): void {
    const deadlineMs = performance.now() + LAST_FLUSH_MS;
    const pause = new Int32Array(new SharedArrayBuffer(4));
    while (!this.#tryToWriteAll() && performance.now() < deadlineMs) Atomics.wait(pause, 0, 0, 5);
  }

  #writeWaiting(): void {
    this.#retry = undefined;
    if (!this.#tryToWriteAll()) {
      // The timer does not keep the process alive; on exit, `flushSync` writes what it can.
      this.#retry = setTimeout(() => this.#writeWaiting(), RETRY_MS).unref();
      return;
    }
    const dropped = this.#dropped - this.#reported;
    if (dropped === 0) return;
    this.#reported = this.#dropped;
    this.onRecovery(dropped);
  }

  /** False if the buffer of the reader is full. */
  #tryToWriteAll(): boolean {
    for (let line = this.#waiting[0]; line !== undefined; line = this.#waiting[0]) {
      let written = line.length;
      try {
        // A line per write: up to 4096 bytes (PIPE_BUF) arrive whole, even if several workers share
        // the pipe.
        written = writeSync(this.#fd, line);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return false;
        // The reader is gone, or the disk of a log file is full. The next line may succeed.
        this.#dropped++;
        this.#reported++;
      }
      this.#waitingBytes -= written;
      if (written < line.length) this.#waiting[0] = line.subarray(written);
      else this.#waiting.shift();
    }
    return true;
  }
}

// The mode of standard error is shared with all processes that inherit it, and each Node process
// makes it blocking again, so a pipe or terminal is opened again. A socket (systemd's journal)
// cannot be, but no process of ours inherits it after Node has made it non-blocking.
function nonBlockingStderr(): number {
  if (process.stderr.isTTY !== true && !fstatSync(STDERR).isFIFO()) return STDERR;
  try {
    return openSync('/dev/fd/2', constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    // A pipe of another user, or a system without that folder.
    return STDERR;
  }
}

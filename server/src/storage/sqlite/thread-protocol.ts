/**
 * Messages between the process and a SQLite thread, and the clock that their deadlines refer to.
 */
export type ThreadOptions = {
  readonly path: string;
  readonly isReader: boolean;
  /**
   * Gives way to the other threads where the machine is busy: its statements read millions of rows.
   */
  readonly isBackground?: boolean;
};

export type StatementRequest = {
  readonly id: number;
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** By the clock `monotonicMs`, which all threads share. */
  readonly deadlineMs: number;
};

/** Sent by the thread when it runs. */
export const READY = 'ready';

/** Ends the thread after the statements before it. Its connection is closed when it has exited. */
export const END = 'end';

export type StatementReply = {
  readonly id: number;
  readonly rows: readonly unknown[];
  readonly changes: number;
  /** The code is SQLite's extended result code, or that of the file system. */
  readonly error?: { readonly message: string; readonly code: string | number };
};

/**
 * Error code of a statement that did not run, because the files were replaced. All connections of
 * the process must be closed first.
 */
export const FILE_CHANGED = 'FILE_CHANGED';

/**
 * Milliseconds that never go back and mean the same in every thread; `performance.now()` starts at
 * zero in each.
 */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

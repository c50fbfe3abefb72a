/** Messages between the process and a SQLite thread, and the clock that their deadlines refer to. */
export type ThreadOptions = {
  readonly path: string;
  readonly isReader: boolean;
  /** Gives way to the other threads where the machine is busy: its statements read millions of rows. */
  readonly isBackground?: boolean;
};

export type StatementRequest = {
  readonly id: number;
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** By the clock `monotonicMs`, which all threads share. */
  readonly deadlineMs: number;
};

/** Closes the connection; the next statement opens it again. After the last one the thread ends. */
export type CloseRequest = { readonly id: number; readonly isLast: boolean };

export type StatementReply = {
  readonly id: number;
  readonly rows: readonly unknown[];
  readonly changes: number;
  readonly error?: { readonly message: string; readonly code: string };
};

/** Error code of a statement that did not run, because all connections of this process must be closed first. */
export const FILE_CHANGED = 'FILE_CHANGED';

/** Milliseconds that never go back and mean the same in every thread; `performance.now()` starts at zero in each. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

/** What goes to a SQLite thread and comes back. */
export type ThreadOptions = {
  readonly path: string;
  /** Opens the file read-only. */
  readonly isReader: boolean;
};

export type StatementRequest = {
  readonly id: number;
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** On the clock of `monotonicMs`, which all threads share. */
  readonly deadlineMs: number;
};

/** Closes the connection; the next statement opens it again. After the last one the thread ends. */
export type CloseRequest = { readonly id: number; readonly isLast: boolean };

export type StatementReply = {
  readonly id: number;
  readonly rows: readonly unknown[];
  readonly changes: number;
  /** How often the thread has opened the file. */
  readonly generation: number;
  readonly error?: { readonly message: string; readonly code: string };
};

/** Code of the error of a statement that did not run: the connections of this process have to be closed before. */
export const FILE_CHANGED = 'FILE_CHANGED';

/** How a command ends. */

/** 0: success. 1: failure, or a negative answer such as "not found". */
export type ExitCode = 0 | 1;

/** What failed, on what, and what to do. The program prints the message and exits with 1. */
export class CommandError extends Error {
  override name = 'CommandError';
}

/** Wrong arguments or settings. The program prints the message and exits with 2. */
export class UsageError extends Error {
  override name = 'UsageError';
}

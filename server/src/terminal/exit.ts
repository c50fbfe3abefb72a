/** How a command ends: its exit code, and the errors whose message is printed without a stack trace. */
import { DatasetError } from '@whence/dataset/dataset-error';
import { OutcomeUnknown, StorageUnavailable, unknownText } from '../storage/storage-unavailable.ts';
import { isSystemError, refusalText } from './file-errors.ts';

/** What the help says about them; docs/cli.md has the table. */
export const EXIT_CODES =
  'Exit codes: 0 success, 1 failure or a negative answer, 2 usage error, 3 not known whether a change was made, 4 not enough known for an answer.';

/** 0: success. 1: failure, or a negative answer such as "not found". 4: not enough is known for an answer. */
export type ExitCode = 0 | 1 | 4;

/** What failed, on what, and what to do. The program prints the message and exits with 1. */
export class CommandError extends Error {
  override name = 'CommandError';
}

/** Wrong arguments or settings. The program prints the message and exits with 2. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** A wrong setting. The message names the variable; the help of the command, which has only options, would not help. */
export class SettingError extends UsageError {
  override name = 'SettingError';
}

export type Failure = { readonly message: string; readonly exitCode: 1 | 2 | 3 };

/** Undefined for a bug, which is printed with its stack trace. */
export function failureOf(error: unknown): Failure | undefined {
  if (error instanceof UsageError) return { message: error.message, exitCode: 2 };
  if (error instanceof OutcomeUnknown) return { message: unknownText(error), exitCode: 3 };
  if (error instanceof CommandError || error instanceof DatasetError || error instanceof StorageUnavailable)
    return { message: error.message, exitCode: 1 };
  // The system's own message names the file or the address.
  if (isSystemError(error)) return { message: refusalText(error), exitCode: 1 };
  return undefined;
}

/** The inverse of `failureOf`, for a failure that a worker has reported: it has settings, but no arguments. */
export function errorOf({ message, exitCode }: Failure): Error {
  return exitCode === 2 ? new SettingError(message) : new CommandError(message);
}

/** Errors that a person can do something about, as one sentence and an exit code. Others are bugs, and keep their stack. */
import { DatasetError } from '@whence/dataset/format';
import { StorageUnavailable } from '../storage/storage-unavailable.ts';
import { CommandError, UsageError } from './exit.ts';
import { isSystemError, refusalText } from './file-errors.ts';

export type Failure = { readonly message: string; readonly exitCode: 1 | 2 };

/** Undefined for a bug. */
export function failureOf(error: unknown): Failure | undefined {
  if (error instanceof UsageError) return { message: error.message, exitCode: 2 };
  if (error instanceof CommandError || error instanceof DatasetError || error instanceof StorageUnavailable)
    return { message: error.message, exitCode: 1 };
  // The system's own message names the file or the address.
  if (isSystemError(error)) return { message: refusalText(error), exitCode: 1 };
  return undefined;
}

/** The way back, for a failure that another process has reported. */
export function errorOf({ message, exitCode }: Failure): Error {
  return exitCode === 2 ? new UsageError(message) : new CommandError(message);
}

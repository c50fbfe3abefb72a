/**
 * How a command ends: its exit code, and the errors whose message is printed without a stack trace.
 */
import { DatasetError } from '@whence/dataset/dataset-error';
import { OutcomeUnknown, StorageUnavailable, unknownText } from '../storage/storage-unavailable.ts';
import { isSystemError, refusalText } from './file-errors.ts';

/** The exit codes of all commands: for the help, for docs/cli.md and for the errors below. */
export const EXIT_CODES = {
  0: 'done, or yes',
  1: 'the answer is no',
  2: 'used wrongly, or a file is missing, unreadable or empty',
  3: 'could not be done: network, DNS, storage',
  4: 'not enough is known for an answer',
} as const;

export const exitCodesHelp = (): string =>
  `Exit codes: ${Object.entries(EXIT_CODES)
    .map(([code, meaning]) => `${code} ${meaning}`)
    .join('; ')}.`;

/** What a command returns; 2 is always thrown, as a UsageError. */
export type ExitCode = 0 | 1 | 3 | 4;

/** The exit code of a list: a no counts more than what could not be done or is not known. */
export function worstOf(codes: Iterable<ExitCode>): ExitCode {
  const seen = new Set(codes);
  return ([1, 3, 4] as const).find((code) => seen.has(code)) ?? 0;
}

/** What failed, on what, and what to do. The program prints the message and exits with 3. */
export class CommandError extends Error {
  override name = 'CommandError';
}

/** The answer is no: there is no such key, version or account. Exits with 1. */
export class NegativeAnswer extends Error {
  override name = 'NegativeAnswer';
}

/** Wrong arguments or settings. The program prints the message and exits with 2. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/**
 * A wrong setting. The message names the variable; the help of the command, which has only options,
 * would not help.
 */
export class SettingError extends UsageError {
  override name = 'SettingError';
}

/** A file or standard input that is missing, unreadable, empty or not what the command reads. */
export class InputError extends UsageError {
  override name = 'InputError';
}

export type Failure = { readonly message: string; readonly exitCode: 1 | 2 | 3 };

/** Undefined for a bug, which is printed with its stack trace. */
export function failureOf(error: unknown): Failure | undefined {
  if (error instanceof UsageError) return { message: error.message, exitCode: 2 };
  if (error instanceof NegativeAnswer) return { message: error.message, exitCode: 1 };
  if (error instanceof OutcomeUnknown) return { message: unknownText(error), exitCode: 3 };
  if (
    error instanceof CommandError ||
    error instanceof DatasetError ||
    error instanceof StorageUnavailable
  )
    return { message: error.message, exitCode: 3 };
  // The system's own message names the file or the address.
  if (isSystemError(error)) return { message: refusalText(error), exitCode: 3 };
  return undefined;
}

/**
 * The inverse of `failureOf`, for a failure that a worker has reported: it has settings, but no
 * arguments.
 */
export function errorOf({ message, exitCode }: Failure): Error {
  return exitCode === 2 ? new SettingError(message) : new CommandError(message);
}

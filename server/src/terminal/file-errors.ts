/** File system errors as messages. The caller adds which file it was and what is unaffected. */

const REFUSALS = {
  ENOSPC: 'no space left',
  EDQUOT: 'no space left',
  EFBIG: 'no space left',
  EIO: 'disk I/O error',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'read-only file system',
  ENOENT: 'its directory does not exist',
  ENOTDIR: 'its parent is not a directory',
  EEXIST: 'a file with this name exists',
  ENAMETOOLONG: 'the name is too long',
} as const;

export type Refusal = (typeof REFUSALS)[keyof typeof REFUSALS];

/**
 * Runs `work`. `toError` makes the error to throw for a file system error; others are thrown
 * unchanged.
 */
export function withFileErrors<T>(
  work: () => T,
  toError: (error: Error, refusal: Refusal | undefined) => Error,
): T {
  const rethrow = (error: unknown): never => {
    throw isSystemError(error) ? toError(error, refusalOf(error)) : error;
  };
  try {
    const result = work();
    return result instanceof Promise ? (result.catch(rethrow) as T) : result;
  } catch (error) {
    return rethrow(error);
  }
}

/** The message, followed by the system's own. */
export function refusalText(error: Error): string {
  const refusal = refusalOf(error);
  return refusal === undefined ? error.message : `${refusal} (${error.message})`;
}

function refusalOf(error: Error): Refusal | undefined {
  const { code = '' } = error as NodeJS.ErrnoException;
  return Object.hasOwn(REFUSALS, code) ? REFUSALS[code as keyof typeof REFUSALS] : undefined;
}

export function isSystemError(error: unknown): error is Error {
  return error instanceof Error && 'errno' in error;
}

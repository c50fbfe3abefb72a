/** What a file system refuses, in words. Whose file it is and what has come to no harm, the caller adds. */

const REFUSALS = {
  ENOSPC: 'no space left',
  EDQUOT: 'no space left',
  EFBIG: 'no space left',
  EIO: 'the disk failed',
  EACCES: 'not permitted to write there',
  EPERM: 'not permitted to write there',
  EROFS: 'not permitted to write there',
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'its folder is not a folder',
  EEXIST: 'something else is there',
  ENAMETOOLONG: 'the name is too long',
} as const;

export type Refusal = (typeof REFUSALS)[keyof typeof REFUSALS];

/** Does the work, also one that returns a promise. `inWords` makes the error to throw instead of one of the file system; all others rise as they are. */
export function withFileErrors<T>(work: () => T, inWords: (error: Error, refusal: Refusal | undefined) => Error): T {
  const rethrow = (error: unknown): never => {
    throw isSystemError(error) ? inWords(error, refusalOf(error)) : error;
  };
  try {
    const result = work();
    return result instanceof Promise ? (result.catch(rethrow) as T) : result;
  } catch (error) {
    return rethrow(error);
  }
}

/** With what the system says, for whoever has to look it up. */
export function refusalText(error: Error): string {
  const refusal = refusalOf(error);
  return refusal === undefined ? error.message : `${refusal} (${error.message})`;
}

function refusalOf(error: Error): Refusal | undefined {
  const { code = '' } = error as NodeJS.ErrnoException;
  return Object.hasOwn(REFUSALS, code) ? REFUSALS[code as keyof typeof REFUSALS] : undefined;
}

function isSystemError(error: unknown): error is Error {
  return error instanceof Error && 'errno' in error;
}

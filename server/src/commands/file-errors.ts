/** What a file system refused, in words. Versions already published are untouched by any of these. */
import { DatasetError } from '@whence/dataset/format';

const WRITE_ERRORS: Readonly<Record<string, string>> = {
  ENOSPC: 'no space left for the dataset',
  EDQUOT: 'no space left for the dataset',
  EFBIG: 'no space left for the dataset',
  EACCES: 'the data directory is not writable',
  EPERM: 'the data directory is not writable',
  EROFS: 'the data directory is not writable',
  ENOTDIR: 'the data directory is not a directory',
  EEXIST: 'the data directory is not a directory',
};

export function withFileErrors<T>(dataDir: string, work: () => T): T {
  const inWords = (error: unknown): never => {
    const words = WRITE_ERRORS[(error as NodeJS.ErrnoException).code ?? ''];
    if (words === undefined) throw error;
    throw new DatasetError(`${words}: ${dataDir} (${(error as Error).message}). Published versions are unchanged.`);
  };
  try {
    const result = work();
    return result instanceof Promise ? (result.catch(inWords) as T) : result;
  } catch (error) {
    return inWords(error);
  }
}

/** What the file system refused in the data directory, in words. Versions already published are untouched by any of these. */
import { DatasetError } from '@whence/dataset/format';
import { type Refusal, withFileErrors } from '../file-errors.ts';

const WORDS: Partial<Readonly<Record<Refusal, string>>> = {
  'no space left': 'no space left for the dataset',
  'not permitted to write there': 'the data directory is not writable',
  'its folder is not a folder': 'the data directory is not a directory',
  'something else is there': 'the data directory is not a directory',
};

export function withDataDirErrors<T>(dataDir: string, work: () => T): T {
  return withFileErrors(work, (error, refusal) => {
    const words = refusal === undefined ? undefined : WORDS[refusal];
    if (words === undefined) return error;
    return new DatasetError(`${words}: ${dataDir} (${error.message}). Published versions are unchanged.`);
  });
}

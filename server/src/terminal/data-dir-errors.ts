/** File system errors in the data directory as messages. None of them changes a version that is already published. */
import { CommandError } from './exit.ts';
import { type Refusal, withFileErrors } from './file-errors.ts';

const MESSAGES: Partial<Readonly<Record<Refusal, string>>> = {
  'permission denied': 'the data directory is not writable',
  'read-only file system': 'the data directory is not writable',
  'its parent is not a directory': 'the data directory is not a directory',
  'a file with this name exists': 'the data directory is not a directory',
};

/** What the work writes, and what is said of it when it cannot. */
const PURPOSES = { dataset: ' Published versions are unchanged.', keys: '' } as const;

export function withDataDirErrors<T>(dataDir: string, work: () => T, purpose: keyof typeof PURPOSES = 'dataset'): T {
  return withFileErrors(work, (error, refusal) => {
    if (refusal === undefined) return error;
    const message = refusal === 'no space left' ? `no space left for the ${purpose}` : MESSAGES[refusal];
    if (message === undefined) return error;
    return new CommandError(
      `${message}: ${dataDir} (${error.message}). WHENCE_DATA_DIR says where it is.${PURPOSES[purpose]}`,
    );
  });
}

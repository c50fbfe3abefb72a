/** WHENCE_FEEDS as a file. Apart from the catalogue, so that a server need not load the parsers of all feeds. */
import { fileURLToPath } from 'node:url';
import { UsageError } from '../../terminal/exit.ts';
import { checkSettingFile } from '../setting-file.ts';

export const FEEDS_VARIABLE = 'WHENCE_FEEDS';
export const isHttp = (location: string) => /^https?:/i.test(location);

/** For a command that does not use the catalogue: whether the setting names a file that is there. */
export function checkFeedsFile({ feeds }: { readonly feeds: string | undefined }): void {
  if (feeds !== undefined && !isHttp(feeds)) checkSettingFile(FEEDS_VARIABLE, pathOf(feeds));
}

export function pathOf(location: string): string {
  if (!location.startsWith('file:')) return location;
  try {
    return fileURLToPath(location);
  } catch {
    throw new UsageError(`${FEEDS_VARIABLE} is not a path; a file: URL should look like file:///folder/name`);
  }
}

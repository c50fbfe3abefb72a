/**
 * WHENCE_FEEDS as a file. Separate from the catalogue, so that a server does not load the parsers
 * of all feeds.
 */
import { fileURLToPath } from 'node:url';
import { SettingError } from '../../terminal/exit.ts';
import { checkSettingFile } from '../../terminal/setting-errors.ts';

export const FEEDS_VARIABLE = 'WHENCE_FEEDS';
export const isHttp = (location: string) => /^https?:/i.test(location);

/** For commands that do not use the catalogue: checks that the file exists. */
export function checkFeedsFile({ feeds }: { readonly feeds: string | undefined }): void {
  if (feeds !== undefined && !isHttp(feeds)) checkSettingFile(FEEDS_VARIABLE, pathOf(feeds));
}

export function pathOf(location: string): string {
  if (!location.startsWith('file:')) return location;
  try {
    return fileURLToPath(location);
  } catch {
    throw new SettingError(
      `${FEEDS_VARIABLE} is not a path; a file: URL should look like file:///folder/name`,
    );
  }
}

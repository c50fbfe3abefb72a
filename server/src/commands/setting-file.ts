/** Files that a setting names. One that cannot be read is a wrong setting: exit code 2, with its name and the path. */
import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { UsageError } from '../terminal/exit.ts';

export function readSettingFile(variable: string, path: string): string {
  checkSettingFile(variable, path);
  return readFileSync(path, 'utf8');
}

export function checkSettingFile(variable: string, path: string): void {
  const refuse = (why: string) => new UsageError(`${variable} names ${path}, which ${why}`);
  let isFolder: boolean;
  try {
    accessSync(path, constants.R_OK);
    isFolder = statSync(path).isDirectory();
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw refuse(WORDS[code] ?? `cannot be read: ${message}`);
  }
  if (isFolder) throw refuse('is a folder');
}

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EACCES: 'may not be read',
  EPERM: 'may not be read',
};

/** The operator's overrides, for commands that work without a server. */
import { readFileSync, statSync } from 'node:fs';
import { DatasetError } from '@whence/dataset/dataset-error';
import { dayOfMs } from '@whence/dataset/internal/data-age';
import type { Dataset } from '@whence/dataset/internal/file/read';
import { withOverrides } from '@whence/dataset/internal/overrides/overlaid-dataset';
import { OVERRIDES_LIMITS, type Overrides, parseOverrides } from '@whence/dataset/internal/overrides/overrides';
import { SettingError } from '../terminal/exit.ts';
import { checkSettingFile } from '../terminal/setting-errors.ts';

/** The file is read first: a mistake in a setting is told before anything else. */
export function openWith(file: string, open: () => Dataset): Dataset {
  const overrides = readOverrides(file);
  return withOverrides(open(), overrides);
}

export function readOverrides(file: string): Overrides {
  checkSettingFile('WHENCE_OVERRIDES', file);
  const { size, mtimeMs } = statSync(file);
  const { maxBytes } = OVERRIDES_LIMITS;
  if (size > maxBytes)
    throw new SettingError(`WHENCE_OVERRIDES names ${file}, which is larger than ${maxBytes / 1e6} MB`);
  try {
    return parseOverrides(readFileSync(file, 'utf8'), dayOfMs(mtimeMs));
  } catch (error) {
    throw new DatasetError(`${file}: ${(error as Error).message}`);
  }
}

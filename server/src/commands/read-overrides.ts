/** The operator's overrides, for commands that work without a server. */

import { readFileSync, statSync } from 'node:fs';
import type { Dataset } from '@whence/dataset/dataset';
import { withOverrides } from '@whence/dataset/overlaid-dataset';
import { OVERRIDES_LIMITS, type Overrides, parseOverrides } from '@whence/dataset/overrides';
import { dayOfMs } from '../day.ts';
import { SettingError } from '../terminal/exit.ts';
import { checkSettingFile } from '../terminal/setting-errors.ts';

/** The file is read first: a mistake in a setting is told before anything else. */
export function openWith(file: string, open: () => Dataset): Dataset {
  const overrides = readOverrides(file);
  return withOverrides(open(), overrides);
}

function readOverrides(file: string): Overrides {
  checkSettingFile('WHENCE_OVERRIDES', file);
  const { size, mtimeMs } = statSync(file);
  const { maxBytes } = OVERRIDES_LIMITS;
  if (size > maxBytes)
    throw new SettingError(
      `WHENCE_OVERRIDES names ${file}, which is larger than ${maxBytes / 1e6} MB`,
    );
  try {
    return parseOverrides(readFileSync(file, 'utf8'), dayOfMs(mtimeMs));
  } catch (error) {
    throw new SettingError(`${file}: ${(error as Error).message}`);
  }
}

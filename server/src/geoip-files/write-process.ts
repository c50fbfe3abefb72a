/**
 * A process that writes the files of the current version and ends. Its arguments are the data
 * directory, what to write (`lists`, `databases` or both), the rules file and the overrides, each
 * empty if there is none.
 */
import { dayOfMs } from '../day.ts';
import { writeGeoipFiles } from './write-geoip-files.ts';
import { writeLists } from './write-lists.ts';

const [, , dataDir = '', wanted = '', rules = '', overrides = ''] = process.argv;
const day = dayOfMs(Date.now());
try {
  // They take less time.
  if (wanted.includes('lists'))
    await writeLists(dataDir, day, {
      rules: rules || undefined,
      overrides: overrides || undefined,
    });
  if (wanted.includes('databases')) await writeGeoipFiles(dataDir, day);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}

/** A process that writes the databases of the current version and ends. Its argument is the data directory. */
import { dayOfMs } from '@whence/dataset/internal/data-age';
import { writeGeoipFiles } from './write-geoip-files.ts';

const [, , dataDir = ''] = process.argv;
try {
  const written = await writeGeoipFiles(dataDir, dayOfMs(Date.now()));
  process.stdout.write(written === undefined ? '' : String(written.version));
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}

// Reads every table in dataset/data, as a part of npm run check, after the compiler: a wrong row is
// reported once, with file and line, and not by every test that needs the table. Fails too if a
// bundled list expires soon: a release would call known addresses unknown within weeks.

import { bundledLists } from '../dataset/dist/compile/embedded.js';
import { lastDay } from '../dataset/dist/data-age.js';
import { CsvTable } from '../dataset/dist/data-files/csv-table.js';
import * as files from '../dataset/dist/data-files/data-files.js';
import { DatasetError } from '../dataset/dist/dataset-error.js';
import { DAY_MS, dayOfMs } from '../dataset/dist/day.js';

/** How long a release should know what its lists say, at least. */
const RELEASE_DAYS = 90;

for (const table of Object.values(files)) {
  if (!(table instanceof CsvTable)) continue;
  try {
    table.rows;
  } catch (error) {
    if (!(error instanceof DatasetError)) throw error;
    for (const problem of error.message.split('\n'))
      process.stderr.write(`dataset/data/${problem}\n`);
    process.exitCode = 1;
  }
}

const soon = dayOfMs(Date.now() + RELEASE_DAYS * DAY_MS);
for (const list of bundledLists()) {
  const { id, as_of, max_age_days } = list;
  const problem =
    max_age_days <= RELEASE_DAYS
      ? `may not be bundled: it counts for ${max_age_days} days only`
      : lastDay(list) < soon && `of ${as_of} expires on ${lastDay(list)}: update its rows`;
  if (!problem) continue;
  process.stderr.write(`the bundled list ${id} ${problem}\n`);
  process.exitCode = 1;
}

// Reads every table in dataset/data, as a part of npm run build: a wrong row is reported once, with file and line, and not
// by every test that needs the table.

import { CsvTable } from '../dataset/dist/data-files/csv-table.js';
import * as files from '../dataset/dist/data-files/data-files.js';
import { DatasetError } from '../dataset/dist/dataset-error.js';

for (const table of Object.values(files)) {
  if (!(table instanceof CsvTable)) continue;
  try {
    table.rows;
  } catch (error) {
    if (!(error instanceof DatasetError)) throw error;
    for (const problem of error.message.split('\n')) process.stderr.write(`dataset/data/${problem}\n`);
    process.exitCode = 1;
  }
}

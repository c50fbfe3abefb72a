/** The cost of opening a published file: size, time to load and verify, memory after lookups. */
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatCount, print } from '@whence/testing/console-report';
import { median } from '@whence/testing/statistics';
import { runScript } from '../fresh-process.ts';
import { limitRow, type Row } from '../report.ts';
import type { Mix } from './announced-addresses.ts';
import type { LoadMeasure } from './measured-load.ts';

const LOOKUPS_BEFORE_MEMORY = 100_000;
const GOALS = { fileMegabytes: 25, loadMs: 100, residentMegabytes: 120 };

/** Each load runs in a fresh process. The mixes must have at least 100,000 texts in total. */
export function measureLoads(
  folder: string,
  path: string,
  mixes: readonly Mix[],
  loads: number,
): Row[] {
  print(`loading the dataset in ${loads} fresh processes`);
  const textFile = join(folder, 'addresses.txt');
  const textsPerMix = Math.ceil(LOOKUPS_BEFORE_MEMORY / mixes.length);
  writeFileSync(textFile, mixes.flatMap(({ texts }) => texts.slice(0, textsPerMix)).join('\n'));
  const measures = Array.from({ length: loads }, () => measureLoad(path, textFile));
  const resident = median(measures.map(({ residentBytes }) => residentBytes)) / 1e6;
  return [
    limitRow('file', statSync(path).size / 1e6, GOALS.fileMegabytes, 'MB'),
    limitRow('load and verify', median(measures.map(({ loadMs }) => loadMs)), GOALS.loadMs, 'ms'),
    limitRow(
      `memory after ${formatCount(LOOKUPS_BEFORE_MEMORY)} answers`,
      resident,
      GOALS.residentMegabytes,
      'MB',
    ),
  ];
}

/**
 * `openDataset`, which verifies the file, then the memory after looking up every line of
 * `textFile`.
 */
function measureLoad(datasetFile: string, textFile: string): LoadMeasure {
  // Our script prints a LoadMeasure.
  return runScript(import.meta.resolve('./measured-load.js'), [
    datasetFile,
    textFile,
  ]) as LoadMeasure;
}

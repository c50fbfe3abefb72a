/** What a published file costs whoever opens it: its size, the time to load and verify it, the memory after answering. */
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatCount } from 'whence/dist/terminal.js';
import { median } from './contest.ts';
import { measureLoad } from './fresh-process.ts';
import { limitRow, type Row, say } from './report.ts';
import type { Mix } from './routed-addresses.ts';

const LOOKUPS_BEFORE_MEMORY = 100_000;
const GOALS = { fileMegabytes: 25, loadMs: 100, residentMegabytes: 120 };

/** Each load is a process of its own. The mixes must have 100,000 texts between them. */
export function measureLoads(folder: string, path: string, mixes: readonly Mix[], loads: number): Row[] {
  say(`loading it in ${loads} fresh processes`);
  const textFile = join(folder, 'addresses.txt');
  const each = Math.ceil(LOOKUPS_BEFORE_MEMORY / mixes.length);
  writeFileSync(textFile, mixes.flatMap(({ texts }) => texts.slice(0, each)).join('\n'));
  const measures = Array.from({ length: loads }, () => measureLoad(path, textFile));
  const resident = median(measures.map(({ residentBytes }) => residentBytes)) / 1e6;
  return [
    limitRow('file', statSync(path).size / 1e6, GOALS.fileMegabytes, 'MB'),
    limitRow('load and verify', median(measures.map(({ loadMs }) => loadMs)), GOALS.loadMs, 'ms'),
    limitRow(`memory after ${formatCount(LOOKUPS_BEFORE_MEMORY)} answers`, resident, GOALS.residentMegabytes, 'MB'),
  ];
}

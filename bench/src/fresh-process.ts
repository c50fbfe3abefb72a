/** What can be measured only in a process that has done nothing before: a build, a load, the memory after it. */
import { execFileSync } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import type { LoadMeasure } from './measured-load.ts';

export type BuildMeasure = { readonly seconds: number; readonly peakBytes: number };

/** `whence dataset build` into an empty data directory, from the start of the process to its end. */
export function measureBuild(dataDir: string): BuildMeasure {
  const started = performance.now();
  const { peakKilobytes } = run('./measured-build.js', dataDir) as { peakKilobytes: number };
  return { seconds: (performance.now() - started) / 1000, peakBytes: peakKilobytes * 1024 };
}

/** `openDataset`, which verifies the whole file, and the memory after looking up every line of `textFile`. */
export function measureLoad(datasetFile: string, textFile: string): LoadMeasure {
  return run('./measured-load.js', datasetFile, textFile) as LoadMeasure;
}

/** The scripts are ours and print one line of JSON, hence the casts above. */
function run(script: string, ...args: string[]): unknown {
  const path = fileURLToPath(import.meta.resolve(script));
  return JSON.parse(
    execFileSync(process.execPath, [path, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }),
  );
}

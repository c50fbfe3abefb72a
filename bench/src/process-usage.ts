/**
 * Preloaded (`node --import`) into a process that is measured: writes its resource usage to file
 * descriptor 3 when it exits. The process itself is unchanged. With SAMPLE_EVERY_LINES it also
 * collects garbage (`--expose-gc`) and reads the memory after each SAMPLE_EVERY_LINES lines on
 * standard output.
 */
import { writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

export type ProcessUsage = {
  readonly wallSeconds: number;
  /** Processor time of all threads: on a busy machine the time from start to exit is longer. */
  readonly cpuSeconds: number;
  readonly peakKilobytes: number;
  readonly residentBytes: readonly number[];
};

const USAGE = 3;

// Threads of the process inherit the preload.
if (isMainThread) {
  const residentBytes = sampleMemory(Number(process.env['SAMPLE_EVERY_LINES'] ?? 0));
  process.on('exit', () => {
    const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
    const usage: ProcessUsage = {
      wallSeconds: performance.now() / 1000,
      cpuSeconds: (userCPUTime + systemCPUTime) / 1e6,
      peakKilobytes: maxRSS,
      residentBytes,
    };
    writeSync(USAGE, JSON.stringify(usage));
  });
}

function sampleMemory(everyLines: number): readonly number[] {
  const residentBytes: number[] = [];
  if (everyLines === 0) return residentBytes;
  const write = process.stdout.write.bind(process.stdout);
  let lines = 0;
  // `wh email --json` writes a line at a time. The overloads of `write` differ only in what we pass
  // on.
  process.stdout.write = ((...args: Parameters<typeof write>) => {
    if (++lines % everyLines === 0) {
      globalThis.gc?.();
      residentBytes.push(process.memoryUsage.rss());
    }
    return write(...args);
  }) as typeof process.stdout.write;
  return residentBytes;
}

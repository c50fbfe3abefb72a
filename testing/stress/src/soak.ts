/**
 * `npm run soak [-- options]`: ten minutes of mixed traffic on all cores but one while everything
 * happens that happens in a year: datasets are swapped, workers are killed, DNS zones are hostile,
 * clients do not read, the database is locked. Checks what the documentation promises, and exits
 * with 1 if a promise is broken. With `--replicas`, two replicas on one PostgreSQL and what happens
 * to that.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatCount, loadAverage, print } from '@whence/testing/console-report';
import { PinnedProcesses } from '@whence/testing/pinned-processes';
import {
  MAX_SEED,
  newSeed,
  readOptions,
  runScript,
  untilInterrupted,
  wholeNumber,
} from '@whence/testing/script';
import { seededWords } from '@whence/testing/seeded-random';
import { percentile } from '@whence/testing/statistics';
import { exitCodeOf, formatPromises } from './promise-table.ts';
import { soakReplicas } from './replicas/soak-replicas.ts';
import { checkPromises, countSlowLookups, groupFaults } from './soak/promises.ts';
import { runSoak, type SoakRun } from './soak/run.ts';
import { prepareSoak } from './soak/setup.ts';
import { FULL_RUN, makeTimeLine, type TimelineEvent } from './soak/time-line.ts';

const PER_SECOND = 1_000;
const MAX_PER_SECOND = 20_000;
/** One per core, less one for the load; at least two, because they are killed. */
const WORKERS = Math.max(2, availableParallelism() - 1);
const MAX_MINUTES = 240;
const SHOWN_LOG_CHARACTERS = 600;

async function soak(args: readonly string[]): Promise<void> {
  const options = readOptions(args, ['minutes', 'seed', 'per-second']);
  const minutes = wholeNumber('minutes', options.minutes, FULL_RUN.minutes, 1, MAX_MINUTES);
  const perSecond = wholeNumber('per-second', options['per-second'], PER_SECOND, 1, MAX_PER_SECOND);
  const seed = wholeNumber('seed', options.seed, newSeed(), 0, MAX_SEED);
  if (process.platform !== 'linux')
    throw new Error('needs Linux: memory and file descriptors are read from /proc');
  const folder = mkdtempSync(join(tmpdir(), 'whence-soak-'));
  const processes = new PinnedProcesses();
  const stopping = new AbortController();
  let running: Promise<unknown> | undefined;
  try {
    print(
      `seed ${seed}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${loadAverage()} at the start`,
    );
    const soaking = soakIn(
      processes,
      join(folder, 'data'),
      { minutes, seed, perSecond },
      stopping.signal,
    );
    running = soaking.catch(() => {});
    const { run, timeLine } = await Promise.race([soaking, untilInterrupted()]);
    const rows = checkPromises(run.record);
    print(
      `${loadAverage()} at the end\n\n${formatNotes(run)}${countSlowLookups(run.record, timeLine)}\n\n${formatPromises(rows)}`,
    );
    process.exitCode = exitCodeOf(rows);
  } finally {
    stopping.abort();
    await processes.close();
    await running;
    rmSync(folder, { recursive: true, force: true });
  }
}

async function soakIn(
  processes: PinnedProcesses,
  dataDir: string,
  { minutes, seed, perSecond }: { minutes: number; seed: number; perSecond: number },
  signal: AbortSignal,
): Promise<{ run: SoakRun; timeLine: TimelineEvent[] }> {
  print('building the dataset, creating keys');
  const random = seededWords(seed);
  const setup = await prepareSoak(processes, dataDir, minutes, random);
  const timeLine = makeTimeLine(minutes, random);
  const kinds = [...new Set(timeLine.map(({ kind }) => kind))];
  const events = kinds
    .map((kind) => `${timeLine.filter((event) => event.kind === kind).length} × ${kind}`)
    .join(', ');
  print(
    `${minutes} min, ${formatCount(perSecond)} requests per second, ${WORKERS} workers; ${events}`,
  );
  const run = await runSoak(
    processes,
    setup,
    { minutes, seed, perSecond, workers: WORKERS, timeLine },
    signal,
  );
  return { run, timeLine };
}

/**
 * What stands behind the table: answers by kind, all groups of faults, the log, and the state of
 * this machine.
 */
function formatNotes({ record: { load: totals, lock }, metrics, server }: SoakRun): string {
  const answers = Object.entries(totals.answers).sort(([a], [b]) => (a < b ? -1 : 1));
  const lines = [
    `requests ${formatCount(totals.sent)}, not sent in time ${formatCount(totals.skipped)}; delay of the generator itself ` +
      `${percentile(totals.ownDelaysMs, 99).toFixed(1)} ms at the 99th percentile, ` +
      `${percentile(totals.ownDelaysMs, 100).toFixed(0)} ms at most`,
    `answers: ${answers.map(([name, count]) => `${name} × ${formatCount(count)}`).join(', ')}`,
    `without the usual answer: ${groupFaults(totals.faults).slice(0, 30).join('\n  ') || 'none'}`,
    `lock of ${((lock.toMs - lock.fromMs) / 1000).toFixed(1)} s; event loop of the server at most ` +
      `${metrics.worstLagMs.toFixed(0)} ms late, slowest scrape ${metrics.slowestScrapeMs.toFixed(0)} ms; stalls by route: ${metrics.stalls.join(', ') || 'none'}`,
    `errors in the log: ${[...server.errorCounts].map(([message, count]) => `${message} × ${count}`).join(', ') || 'none'}`,
    ...server.firstErrors.map((line) => `  ${line.slice(0, SHOWN_LOG_CHARACTERS)}`),
  ];
  return `${lines.join('\n')}\n`;
}

const args = process.argv.slice(2);
await runScript(() =>
  args.includes('--replicas')
    ? soakReplicas(args.filter((arg) => arg !== '--replicas'))
    : soak(args),
);

/** Latency of lookups at a constant rate while something else happens, in turn with nothing. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { formatCount, print } from '@whence/testing/console-report';
import { ANY_CORE, type PinnedProcesses } from '@whence/testing/pinned-processes';
import { median, percentile } from '@whence/testing/statistics';
import { limitRow, type Row } from '../report.ts';
import type { SteadyResult } from './steady-client.ts';

export type Phase = {
  readonly p50: number;
  readonly p99: number;
  readonly slowest: number;
  readonly answers: number;
};

/** Requests were not answered in time. */
export class MachineTooBusy extends Error {
  override name = 'MachineTooBusy';
}

export type SteadyTarget = {
  readonly url: string;
  readonly key: string;
  /** Addresses, one per line. */
  readonly addressFile: string;
  readonly perSecond: number;
  readonly folder: string;
};

/** The client sends requests until `work` is done. */
export async function measurePhase(
  processes: PinnedProcesses,
  { url, key, addressFile, perSecond, folder }: SteadyTarget,
  name: string,
  work: () => Promise<unknown>,
): Promise<Phase> {
  const script = fileURLToPath(import.meta.resolve('./steady-client.js'));
  const resultFile = join(folder, 'latencies');
  rmSync(resultFile, { force: true });
  const client = await processes.start(ANY_CORE, [
    script,
    url,
    key,
    addressFile,
    String(perSecond),
    resultFile,
  ]);
  await work();
  await client.stop();
  if (!existsSync(resultFile)) throw new Error(`the client of ${url} exited early`);
  // Our script writes a SteadyResult.
  const { latenciesMs, ownDelaysMs, seconds, failures, unanswered } = JSON.parse(
    readFileSync(resultFile, 'utf8'),
  ) as SteadyResult;
  if (failures.length > 0)
    throw new Error(`${failures.length} requests failed, the first with: ${failures[0]}`);
  if (unanswered > 0)
    throw new MachineTooBusy(`${unanswered} of ${perSecond} requests per second had no answer`);
  const [p50 = 0, p99 = 0, slowest = 0] = [50, 99, 100].map((percent) =>
    percentile(latenciesMs, percent),
  );
  const rate = formatCount(Math.round(latenciesMs.length / seconds));
  print(
    `  ${name}, ${seconds.toFixed(0)} s, ${rate} answers per second: 50th percentile ${p50.toFixed(2)} ms, ` +
      `99th ${p99.toFixed(2)} ms, slowest ${slowest.toFixed(1)} ms; ` +
      `delay of the client itself ${percentile(ownDelaysMs, 99).toFixed(2)} ms at the 99th`,
  );
  return { p50, p99, slowest, answers: latenciesMs.length };
}

/**
 * Rows that compare busy phases with the quiet phases before each. `goal` limits the ratio of the
 * 99th percentiles.
 */
export function phaseRows(
  quiet: readonly Phase[],
  busy: readonly Phase[],
  withWhat: string,
  goal: number,
): Row[] {
  const compared = (name: string, pick: (phase: Phase) => number) => {
    const row = limitRow(
      `${name}, with ${withWhat} / without`,
      median(busy.map(pick)),
      undefined,
      'ms',
    );
    const ratio = median(busy.map((phase, round) => pick(phase) / pick(quiet[round] as Phase)));
    return {
      row: {
        ...row,
        peer: `${median(quiet.map(pick)).toFixed(2)} ms`,
        ratio: `${ratio.toFixed(2)} ×`,
      },
      ratio,
    };
  };
  const p99 = compared('99th percentile', (phase) => phase.p99);
  return [
    compared('50th percentile', (phase) => phase.p50).row,
    { ...p99.row, goal: `< ${goal} ×`, isReached: p99.ratio < goal },
    compared('slowest', (phase) => phase.slowest).row,
  ];
}

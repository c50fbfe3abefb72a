/**
 * Servers under the same load. They take turns within a round, so that other load on the machine
 * affects all of them alike. Turns are short because the speed of a virtual machine can change by a
 * third within seconds: servers are compared within a round, and the result is the median of the
 * rounds.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { print } from '@whence/testing/console-report';
import { cpuSeconds, type PinnedProcesses } from '@whence/testing/pinned-processes';
import { median } from '@whence/testing/statistics';
import type { Server } from '@whence/testing/whence-program';
import { formatRate, type Row, ratioRow } from '../report.ts';
import { type Load, runWrk } from './wrk.ts';

export type LoadCandidate = {
  readonly name: string;
  readonly server: Server;
  readonly load: Load;
  /** How long to wait after a turn, so that remaining work does not affect the next server. */
  readonly settleMs?: number;
};

/**
 * `busy` is the share of its core that the server used. Well below 1 it was waiting, for wrk or for
 * the disk.
 */
type Turn = { readonly perSecond: number; readonly cpuMicroseconds: number; readonly busy: number };
/** Medians, and rates and costs of all rounds. */
export type LoadResult = Turn & {
  readonly rates: readonly number[];
  readonly costs: readonly number[];
};

type Lengths = {
  readonly rounds: number;
  readonly turnSeconds: number;
  readonly warmUpSeconds: number;
};
const LENGTHS: Lengths = { rounds: 9, turnSeconds: 2, warmUpSeconds: 3 };

/** Results in the order of the candidates. */
export async function measureInterleaved(
  processes: PinnedProcesses,
  candidates: readonly LoadCandidate[],
  { rounds, turnSeconds, warmUpSeconds } = LENGTHS,
): Promise<LoadResult[]> {
  for (const candidate of candidates) await takeTurn(processes, candidate, warmUpSeconds, 0);
  const turns = candidates.map((): Turn[] => []);
  for (let round = 1; round <= rounds; round++) {
    // Rotate the order, so that each candidate is first equally often.
    for (let i = 0; i < candidates.length; i++) {
      const index = (i + round) % candidates.length;
      turns[index]?.push(
        await takeTurn(processes, candidates[index] as LoadCandidate, turnSeconds, round),
      );
    }
  }
  return turns.map(summarise);
}

/**
 * Lookups per second of processor time: the rate on one core, whatever else runs on the machine.
 * `weight` is the number of lookups per request.
 */
export function compareCosts(
  measure: string,
  ours: LoadResult,
  peer: LoadResult,
  goal?: number,
  weight = 1,
): Row {
  const ratio = median(ours.costs.map((cost, round) => (peer.costs[round] ?? Number.NaN) / cost));
  return ratioRow(measure, perCpuSecond(ours) * weight, perCpuSecond(peer) * weight, goal, ratio);
}

export function perCpuSecond({ cpuMicroseconds }: LoadResult): number {
  return 1e6 / cpuMicroseconds;
}

/** `weight` is the number of lookups per request. */
export function printResults(
  candidates: readonly LoadCandidate[],
  results: readonly LoadResult[],
  weight = 1,
): void {
  results.forEach((result, i) => {
    print(`  ${candidates[i]?.name}: ${describeResult(result, weight)}`);
  });
}

function describeResult(
  { perSecond, rates, cpuMicroseconds, costs, busy }: LoadResult,
  weight: number,
): string {
  const range = `${formatRate(Math.min(...rates) * weight)} to ${formatRate(Math.max(...rates) * weight)}`;
  const digits = cpuMicroseconds < 100 ? 1 : 0;
  const costRange = `${Math.min(...costs).toFixed(digits)} to ${Math.max(...costs).toFixed(digits)}`;
  const cost = `${cpuMicroseconds.toFixed(digits)} µs of CPU time per request (${costRange})`;
  return `${formatRate(perSecond * weight)} (${range}), ${cost}, core ${(busy * 100).toFixed(0)}% busy`;
}

async function takeTurn(
  processes: PinnedProcesses,
  { server, load, settleMs = 0 }: LoadCandidate,
  seconds: number,
  seed: number,
): Promise<Turn> {
  const before = cpuSeconds(server.pid);
  const { requests, perSecond } = await runWrk(processes, server.url, load, seconds, seed);
  const used = cpuSeconds(server.pid) - before;
  await sleep(settleMs);
  return {
    perSecond,
    cpuMicroseconds: (used * 1e6) / requests,
    busy: (used * perSecond) / requests,
  };
}

function summarise(turns: readonly Turn[]): LoadResult {
  const rates = turns.map(({ perSecond }) => perSecond);
  const costs = turns.map(({ cpuMicroseconds }) => cpuMicroseconds);
  return {
    perSecond: median(rates),
    rates,
    cpuMicroseconds: median(costs),
    costs,
    busy: median(turns.map(({ busy }) => busy)),
  };
}

/**
 * Servers under the same load in turns, so that whatever else the machine does falls on all of them alike. The turns are short because a
 * virtual machine gets faster and slower by a third within seconds: two servers are compared within a round, and what counts
 * is the median of the rounds.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../contest.ts';
import { formatRate, type Row, ratioRow } from '../report.ts';
import { cpuSeconds, type PinnedProcesses } from './pinned-processes.ts';
import type { Server } from './whence-server.ts';
import { type Load, runWrk } from './wrk.ts';

export type LoadContestant = {
  readonly name: string;
  readonly server: Server;
  readonly load: Load;
  /** How long to wait after its turn until it has no work left over, which the next would feel. */
  readonly settleMs?: number;
};

/** `busy` is the share of its core that the server used. Well under 1 means that it waited, for wrk or for the disk. */
type Turn = { readonly perSecond: number; readonly cpuMicroseconds: number; readonly busy: number };
/** Medians, and the rates of all rounds. */
export type LoadResult = Turn & { readonly rates: readonly number[] };

const ROUNDS = 9;
const TURN_SECONDS = 2;
const WARM_UP_SECONDS = 3;

/** Results in the order of the contestants. */
export async function runLoadContest(
  processes: PinnedProcesses,
  contestants: readonly LoadContestant[],
): Promise<LoadResult[]> {
  for (const contestant of contestants) await takeTurn(processes, contestant, WARM_UP_SECONDS, 0);
  const turns = contestants.map((): Turn[] => []);
  for (let round = 1; round <= ROUNDS; round++) {
    // Another one begins each time, so that nobody goes first more often.
    for (let i = 0; i < contestants.length; i++) {
      const place = (i + round) % contestants.length;
      turns[place]?.push(await takeTurn(processes, contestants[place] as LoadContestant, TURN_SECONDS, round));
    }
  }
  return turns.map(summarise);
}

/** `weight` is how many lookups a request is. */
export function compareResults(
  measure: string,
  ours: LoadResult | undefined,
  peer: LoadResult | undefined,
  goal: number,
  weight = 1,
): Row {
  if (ours === undefined || peer === undefined) throw new Error(`${measure}: somebody did not take part`);
  const ratio = median(ours.rates.map((rate, round) => rate / (peer.rates[round] ?? Number.NaN)));
  return ratioRow(measure, ours.perSecond * weight, peer.perSecond * weight, goal, ratio);
}

export function describeResult({ perSecond, rates, cpuMicroseconds, busy }: LoadResult, weight = 1): string {
  const range = `${formatRate(Math.min(...rates) * weight)} to ${formatRate(Math.max(...rates) * weight)}`;
  const cost = `${cpuMicroseconds.toFixed(cpuMicroseconds < 100 ? 1 : 0)} µs of processor a request`;
  return `${formatRate(perSecond * weight)} (${range}), ${cost}, core ${(busy * 100).toFixed(0)} % busy`;
}

async function takeTurn(
  processes: PinnedProcesses,
  { server, load, settleMs = 0 }: LoadContestant,
  seconds: number,
  seed: number,
): Promise<Turn> {
  const before = cpuSeconds(server.pid);
  const { requests, perSecond } = await runWrk(processes, server.url, load, seconds, seed);
  const used = cpuSeconds(server.pid) - before;
  await sleep(settleMs);
  return { perSecond, cpuMicroseconds: (used * 1e6) / requests, busy: (used * perSecond) / requests };
}

function summarise(turns: readonly Turn[]): LoadResult {
  const rates = turns.map(({ perSecond }) => perSecond);
  return {
    perSecond: median(rates),
    rates,
    cpuMicroseconds: median(turns.map(({ cpuMicroseconds }) => cpuMicroseconds)),
    busy: median(turns.map(({ busy }) => busy)),
  };
}

/**
 * What callers feel of an update: a server on live data under a steady load, by turns left alone and with the update beside it that its own scheduler
 * would start. No process is bound to a core: that the system shares them out, with the update behind all others, is what is measured.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { formatCount } from 'whence/dist/terminal.js';
import { median, percentile } from '../contest.ts';
import { ANY_CORE, type PinnedProcesses } from '../http/pinned-processes.ts';
import { createKey, type Server, startWhence, updateInBackground } from '../http/whence-server.ts';
import { limitRow, type Row, say } from '../report.ts';
import type { SteadyResult } from './steady-client.ts';

export type LiveFolder = {
  readonly folder: string;
  readonly dataDir: string;
  /** What an update needs to know: data directory and catalogue. */
  readonly settings: NodeJS.ProcessEnv;
  /** A feed of one address that is written anew before each update. */
  readonly changingFeed: string;
};

const ROUNDS = 2;
const PHASE_MS = 20_000;
const WARM_UP_MS = 5_000;
const REQUESTS_PER_SECOND = 2_000;
/** The server looks for a new version twice a second. */
const SWITCH_MS = 10_000;
const GOAL = 2;

type Phase = { readonly p50: number; readonly p99: number; readonly slowest: number };

export async function measureUnderLoad(
  processes: PinnedProcesses,
  live: LiveFolder,
  addresses: readonly string[],
): Promise<Row[]> {
  const key = await createKey(processes, live.dataDir, 'enterprise');
  const server = await startWhence(processes, live.dataDir, ANY_CORE);
  const addressFile = join(live.folder, 'load-addresses');
  writeFileSync(addressFile, addresses.join('\n'));
  const underLoad = (name: string, work: () => Promise<unknown>) =>
    measurePhase(processes, [server.url, key, addressFile], join(live.folder, 'latencies'), name, work);

  say(`GET /v1/ip/{ip}, ${formatCount(REQUESTS_PER_SECOND)} a second, with and without an update`);
  await underLoad('warm-up', () => sleep(WARM_UP_MS));
  const quiet: Phase[] = [];
  const busy: Phase[] = [];
  const updateSeconds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    quiet.push(await underLoad('without', () => sleep(PHASE_MS)));
    busy.push(
      await underLoad('with', async () => {
        const started = performance.now();
        // To its end, so that the server's change to the new version is in it; and again if that was quick.
        while (performance.now() - started < PHASE_MS)
          updateSeconds.push(await updateOnce(processes, live, server, addresses[updateSeconds.length] ?? ''));
      }),
    );
  }
  await server.stop();
  const compared = (name: string, pick: (phase: Phase) => number) => {
    const row = limitRow(`${name}, with an update / without`, median(busy.map(pick)), undefined, 'ms');
    const ratio = median(busy.map((phase, round) => pick(phase) / pick(quiet[round] as Phase)));
    return { row: { ...row, peer: `${median(quiet.map(pick)).toFixed(2)} ms`, ratio: `${ratio.toFixed(2)} ×` }, ratio };
  };
  const p99 = compared('99th percentile', (phase) => phase.p99);
  return [
    compared('50th percentile', (phase) => phase.p50).row,
    { ...p99.row, goal: `< ${GOAL} ×`, isReached: p99.ratio < GOAL },
    compared('slowest', (phase) => phase.slowest).row,
    limitRow('update under load, whole process', median(updateSeconds), undefined, 's'),
  ];
}

/** The client asks for as long as the work takes. */
async function measurePhase(
  processes: PinnedProcesses,
  target: readonly string[],
  resultFile: string,
  name: string,
  work: () => Promise<unknown>,
): Promise<Phase> {
  const script = fileURLToPath(import.meta.resolve('./steady-client.js'));
  rmSync(resultFile, { force: true });
  const client = await processes.start(ANY_CORE, [script, ...target, String(REQUESTS_PER_SECOND), resultFile]);
  await work();
  await client.stop();
  if (!existsSync(resultFile)) throw new Error(`the client that asks ${target[0]} ended before it was told to`);
  // The script is ours and writes one line of JSON.
  const { latenciesMs, ownDelaysMs, seconds, failures } = JSON.parse(readFileSync(resultFile, 'utf8')) as SteadyResult;
  if (failures.length > 0) throw new Error(`${failures.length} requests failed, the first with: ${failures[0]}`);
  const [p50 = 0, p99 = 0, slowest = 0] = [50, 99, 100].map((percent) => percentile(latenciesMs, percent));
  const rate = formatCount(Math.round(latenciesMs.length / seconds));
  say(
    `  ${name}, ${seconds.toFixed(0)} s, ${rate} answers a second: 50th percentile ${p50.toFixed(2)} ms, ` +
      `99th ${p99.toFixed(2)} ms, slowest ${slowest.toFixed(1)} ms; ` +
      `the client itself late by ${percentile(ownDelaysMs, 99).toFixed(2)} ms at the 99th`,
  );
  return { p50, p99, slowest };
}

/** Returns its seconds, when the server answers from the version that it made. */
async function updateOnce(
  processes: PinnedProcesses,
  { dataDir, settings, changingFeed }: LiveFolder,
  server: Server,
  changedAddress: string,
): Promise<number> {
  // Without the copies of the last update all of the work is done: copying, unpacking, reading.
  rmSync(join(dataDir, 'feeds'), { recursive: true, force: true });
  writeFileSync(changingFeed, `${changedAddress}\n`);
  const started = performance.now();
  const output = await updateInBackground(processes, settings);
  const seconds = (performance.now() - started) / 1000;
  const { version, is_new } = JSON.parse(output) as { version: number; is_new: boolean };
  if (!is_new) throw new Error(`the update made no new version, because ${changedAddress} was flagged before`);
  await untilServed(server, version);
  return seconds;
}

async function untilServed({ url }: Server, version: number): Promise<void> {
  const deadline = performance.now() + SWITCH_MS;
  for (;;) {
    const { data } = (await (await fetch(`${url}/readyz`)).json()) as { data: { dataset_version: number } };
    if (data.dataset_version === version) return;
    if (performance.now() > deadline) throw new Error(`the server does not answer from version ${version}`);
    await sleep(100);
  }
}

/**
 * Latency during an update: a server with live data under constant load, in turn without and with the update command of
 * its own scheduler. No process is pinned to a core: scheduling the low-priority update is part of what is measured.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { formatCount, print } from '@whence/testing/console-report';
import { ANY_CORE, BACKGROUND, type PinnedProcesses } from '@whence/testing/pinned-processes';
import { median, percentile } from '@whence/testing/statistics';
import { createKey, type Server, startWhence, WHENCE } from '@whence/testing/whence-program';
import { limitRow, type Row } from '../report.ts';
import type { SteadyResult } from './steady-client.ts';

export type LiveFolder = {
  readonly folder: string;
  readonly dataDir: string;
  /** Environment of the update: data directory and catalogue. */
  readonly settings: NodeJS.ProcessEnv;
  /** A feed of one address, rewritten before each update. */
  readonly changingFeed: string;
};

const ROUNDS = 2;
const UPDATE_TIMEOUT_MS = 300_000;
const PHASE_MS = 20_000;
const WARM_UP_MS = 5_000;
const REQUESTS_PER_SECOND = 2_000;
/** The server checks for a new version twice a second. */
const SWITCH_TIMEOUT_MS = 10_000;
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

  print(`GET /v1/ip/{ip}, ${formatCount(REQUESTS_PER_SECOND)} per second, with and without an update`);
  await underLoad('warm-up', () => sleep(WARM_UP_MS));
  const quiet: Phase[] = [];
  const busy: Phase[] = [];
  const updateSeconds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    quiet.push(await underLoad('without', () => sleep(PHASE_MS)));
    busy.push(
      await underLoad('with', async () => {
        const started = performance.now();
        // Whole updates, so that the switch to the new version is included; repeated if they are short.
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

/** The client sends requests until `work` is done. */
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
  if (!existsSync(resultFile)) throw new Error(`the client of ${target[0]} exited early`);
  // Our script writes a SteadyResult.
  const { latenciesMs, ownDelaysMs, seconds, failures } = JSON.parse(readFileSync(resultFile, 'utf8')) as SteadyResult;
  if (failures.length > 0) throw new Error(`${failures.length} requests failed, the first with: ${failures[0]}`);
  const [p50 = 0, p99 = 0, slowest = 0] = [50, 99, 100].map((percent) => percentile(latenciesMs, percent));
  const rate = formatCount(Math.round(latenciesMs.length / seconds));
  print(
    `  ${name}, ${seconds.toFixed(0)} s, ${rate} answers per second: 50th percentile ${p50.toFixed(2)} ms, ` +
      `99th ${p99.toFixed(2)} ms, slowest ${slowest.toFixed(1)} ms; ` +
      `delay of the client itself ${percentile(ownDelaysMs, 99).toFixed(2)} ms at the 99th`,
  );
  return { p50, p99, slowest };
}

/** Returns the seconds of the update, after the server has switched to its version. */
async function updateOnce(
  processes: PinnedProcesses,
  { dataDir, settings, changingFeed }: LiveFolder,
  server: Server,
  changedAddress: string,
): Promise<number> {
  // Remove the cached feeds, so that the update copies, decompresses and parses all of them.
  rmSync(join(dataDir, 'feeds'), { recursive: true, force: true });
  writeFileSync(changingFeed, `${changedAddress}\n`);
  const started = performance.now();
  const output = await updateInBackground(processes, settings);
  const seconds = (performance.now() - started) / 1000;
  const { version, is_new } = JSON.parse(output) as { version: number; is_new: boolean };
  if (!is_new) throw new Error(`the update made no new version: ${changedAddress} was already flagged`);
  await untilServed(server, version);
  return seconds;
}

async function untilServed({ url }: Server, version: number): Promise<void> {
  const deadline = performance.now() + SWITCH_TIMEOUT_MS;
  for (;;) {
    const { data } = (await (await fetch(`${url}/readyz`)).json()) as { data: { dataset_version: number } };
    if (data.dataset_version === version) return;
    if (performance.now() > deadline)
      throw new Error(`the server did not switch to version ${version} within ${SWITCH_TIMEOUT_MS} ms`);
    await sleep(100);
  }
}

/**
 * As the server's scheduler runs it: single-threaded, at the lowest priority and, where Linux allows it, only while a
 * core is idle. Returns the output of `--json`.
 */
function updateInBackground(processes: PinnedProcesses, settings: NodeJS.ProcessEnv): Promise<string> {
  const update = ['--single-threaded', WHENCE, 'dataset', 'update', '--json'];
  const canIdle = spawnSync('chrt', ['-i', '0', 'true'], { stdio: 'ignore' }).status === 0;
  return canIdle
    ? processes.run(BACKGROUND, 'chrt', ['-i', '0', process.execPath, ...update], UPDATE_TIMEOUT_MS, settings)
    : processes.run(BACKGROUND, process.execPath, update, UPDATE_TIMEOUT_MS, settings);
}

/**
 * Latency during an update: a server with live data under constant load, in turn without and with
 * the update command of its own scheduler. No process is pinned to a core: scheduling the
 * low-priority update is part of what is measured.
 */
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatCount, print } from '@whence/testing/console-report';
import { ANY_CORE, BACKGROUND, type PinnedProcesses } from '@whence/testing/pinned-processes';
import { median } from '@whence/testing/statistics';
import { createKey, type Server, startWhence, WHENCE } from '@whence/testing/whence-program';
import { limitRow, type Row } from '../report.ts';
import { measurePhase, type Phase, phaseRows } from '../steady-load/measured-phases.ts';

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

export async function measureUnderLoad(
  processes: PinnedProcesses,
  live: LiveFolder,
  addresses: readonly string[],
): Promise<Row[]> {
  const key = await createKey(processes, live.dataDir, 'enterprise');
  const server = await startWhence(processes, live.dataDir, ANY_CORE);
  const addressFile = join(live.folder, 'load-addresses');
  writeFileSync(addressFile, addresses.join('\n'));
  const target = {
    url: server.url,
    key,
    addressFile,
    perSecond: REQUESTS_PER_SECOND,
    folder: live.folder,
  };
  const underLoad = (name: string, work: () => Promise<unknown>) =>
    measurePhase(processes, target, name, work);

  print(
    `GET /v1/ip/{ip}, ${formatCount(REQUESTS_PER_SECOND)} per second, with and without an update`,
  );
  await underLoad('warm-up', () => sleep(WARM_UP_MS));
  const quiet: Phase[] = [];
  const busy: Phase[] = [];
  const updateSeconds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    quiet.push(await underLoad('without', () => sleep(PHASE_MS)));
    busy.push(
      await underLoad('with', async () => {
        const started = performance.now();
        // Whole updates, so that the switch to the new version is included; repeated if they are
        // short.
        while (performance.now() - started < PHASE_MS)
          updateSeconds.push(
            await updateOnce(processes, live, server, addresses[updateSeconds.length] ?? ''),
          );
      }),
    );
  }
  await server.stop();
  return [
    ...phaseRows(quiet, busy, 'an update', GOAL),
    limitRow('update under load, whole process', median(updateSeconds), undefined, 's'),
  ];
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
  if (!is_new)
    throw new Error(`the update made no new version: ${changedAddress} was already flagged`);
  await untilServed(server, version);
  return seconds;
}

async function untilServed({ url }: Server, version: number): Promise<void> {
  const deadline = performance.now() + SWITCH_TIMEOUT_MS;
  for (;;) {
    const { data } = (await (await fetch(`${url}/readyz`)).json()) as {
      data: { dataset_version: number };
    };
    if (data.dataset_version === version) return;
    if (performance.now() > deadline)
      throw new Error(
        `the server did not switch to version ${version} within ${SWITCH_TIMEOUT_MS} ms`,
      );
    await sleep(100);
  }
}

/**
 * As the server's scheduler runs it: single-threaded, at the lowest priority and, where Linux
 * allows it, only while a core is idle. Returns the output of `--json`.
 */
function updateInBackground(
  processes: PinnedProcesses,
  settings: NodeJS.ProcessEnv,
): Promise<string> {
  const update = ['--single-threaded', WHENCE, 'dataset', 'update', '--json'];
  const canIdle = spawnSync('chrt', ['-i', '0', 'true'], { stdio: 'ignore' }).status === 0;
  return canIdle
    ? processes.run(
        BACKGROUND,
        'chrt',
        ['-i', '0', process.execPath, ...update],
        UPDATE_TIMEOUT_MS,
        settings,
      )
    : processes.run(BACKGROUND, process.execPath, update, UPDATE_TIMEOUT_MS, settings);
}

/**
 * `wh dataset update` with real feed files: its cost, its result, and the latency of a server while
 * it runs. The files are not in the repository; without them nothing is measured.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openDataset } from '@whence/dataset/dataset';
import type { Refusal } from '@whence/dataset/record';
import { readManifest, versionPath } from '@whence/dataset/versions';
import { loadAverage, print, printable } from '@whence/testing/console-report';
import { fixtureFeeds, NO_FIXTURES } from '@whence/testing/fixtures';
import { PinnedProcesses } from '@whence/testing/pinned-processes';
import { untilInterrupted } from '@whence/testing/script';
import { seededWords } from '@whence/testing/seeded-random';
import { makeMixes } from './engine/announced-addresses.ts';
import { measureLoads } from './engine/load-cost.ts';
import { measureCommand } from './fresh-process.ts';
import { formatRows, limitRow, type Row } from './report.ts';
import { formatFlagShares } from './update/flag-shares.ts';
import { measureFullUpdate } from './update/full-update.ts';
import { type LiveFolder, measureUnderLoad } from './update/update-under-load.ts';

const SEED = 20260617;
const TEXTS = 100_000;
const LOADS = 11;
const GOALS = { seconds: 60, peakMegabytes: 1500 };

export async function update(args: readonly string[] = []): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'whence-bench-'));
  const processes = new PinnedProcesses();
  try {
    print(
      `seed ${SEED}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${loadAverage()} at the start`,
    );
    if (args.includes('--full')) {
      const rows = await Promise.race([measureFullUpdate(folder, SEED), untilInterrupted()]);
      print(`${loadAverage()} at the end\n\n${formatRows(rows)}`);
      return;
    }
    const live = prepareFolder(folder);
    if (live === undefined) {
      print(`nothing to measure: ${NO_FIXTURES}; set WHENCE_FIXTURES to the folder of feed files`);
      return;
    }
    const rows = await Promise.race([measureAll(processes, live), untilInterrupted()]);
    print(`${loadAverage()} at the end\n\n${formatRows(rows)}`);
  } finally {
    await processes.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function prepareFolder(folder: string): LiveFolder | undefined {
  const feeds = fixtureFeeds();
  if (feeds === undefined) return undefined;
  const dataDir = join(folder, 'data');
  const changingFeed = join(folder, 'changing.txt');
  // A documentation address is never announced, so the first version does not depend on it.
  writeFileSync(changingFeed, '192.0.2.1\n');
  const catalogue = join(folder, 'feeds.json');
  // Rewritten before each update under load, so that there is a new version to publish.
  const changing = {
    id: 'changing',
    url: pathToFileURL(changingFeed).href,
    format: 'ip-lines',
    drives: ['is_vpn'],
  };
  writeFileSync(catalogue, JSON.stringify([...feeds, changing]));
  return {
    folder,
    dataDir,
    changingFeed,
    settings: { WHENCE_DATA_DIR: dataDir, WHENCE_FEEDS: catalogue },
  };
}

async function measureAll(processes: PinnedProcesses, live: LiveFolder): Promise<Row[]> {
  print('updating into an empty folder');
  // First, while this process is small: on Linux the peak memory of a child starts at the memory of
  // its parent.
  const { wallSeconds, peakKilobytes, stdout } = measureCommand(
    ['dataset', 'update', '--json'],
    live.settings,
  );
  // A refused feed would make the update faster and the file smaller.
  const { refused } = JSON.parse(stdout) as { refused: Refusal[] };
  for (const { id, reason } of refused) print(`  refused: ${printable(`${id}, ${reason}`)}`);
  const entry = readManifest(live.dataDir)?.versions[0];
  if (entry === undefined) throw new Error(`no dataset was published in ${live.dataDir}`);
  const path = versionPath(live.dataDir, entry);
  const dataset = openDataset(path);
  const mixes = makeMixes(dataset, seededWords(SEED), TEXTS);
  print(`\n${formatFlagShares(dataset, mixes)}`);
  return [
    limitRow('update, whole process', wallSeconds, GOALS.seconds, 's'),
    limitRow('update, peak memory', (peakKilobytes * 1024) / 1e6, GOALS.peakMegabytes, 'MB'),
    {
      measure: 'update, feeds refused',
      ours: String(refused.length),
      goal: '≤ 0',
      isReached: refused.length === 0,
    },
    ...measureLoads(live.folder, path, mixes, LOADS),
    ...(await measureUnderLoad(processes, live, mixes[0]?.texts ?? [])),
  ];
}

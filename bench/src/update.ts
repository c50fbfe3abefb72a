/**
 * `whence dataset update` with real feed files: what it costs, what comes out, and what the callers of a server feel while it runs beside it. The files lie beside
 * the repository and not in it; without them there is nothing to measure.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readManifest, versionPath } from '@whence/dataset/publish';
import { openDataset } from '@whence/dataset/read';
import type { Refusal } from '@whence/dataset/record';
import { fixtureFeeds } from '@whence/dataset/test/fixture-catalogue';
import { NO_FIXTURES } from '@whence/dataset/test/fixtures';
import { measureCommand } from './fresh-process.ts';
import { PinnedProcesses } from './http/pinned-processes.ts';
import { untilInterrupted } from './interruption.ts';
import { measureLoads } from './load-rows.ts';
import { seededRandom } from './random.ts';
import { formatRows, limitRow, load, type Row, say } from './report.ts';
import { makeMixes } from './routed-addresses.ts';
import { formatFlagShares } from './update/flag-shares.ts';
import { type LiveFolder, measureUnderLoad } from './update/update-under-load.ts';

const SEED = 20260617;
const TEXTS = 100_000;
const LOADS = 11;
const GOALS = { seconds: 60, peakMegabytes: 1500 };

export async function update(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'whence-bench-'));
  const processes = new PinnedProcesses();
  try {
    say(`seed ${SEED}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${load()} at the start`);
    const live = prepareFolder(folder);
    if (live === undefined) {
      say(`nothing is measured: ${NO_FIXTURES}, and WHENCE_FIXTURES names no other`);
      return;
    }
    const rows = await Promise.race([measureAll(processes, live), untilInterrupted()]);
    say(`${load()} at the end\n\n${formatRows(rows)}`);
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
  // Nobody announces a documentation address, so the first version does not depend on it.
  writeFileSync(changingFeed, '192.0.2.1\n');
  const catalogue = join(folder, 'feeds.json');
  // Written anew before an update under load, so that there is something to publish.
  const changing = { id: 'changing', url: pathToFileURL(changingFeed).href, format: 'ip-lines', drives: ['is_vpn'] };
  writeFileSync(catalogue, JSON.stringify([...feeds, changing]));
  return { folder, dataDir, changingFeed, settings: { WHENCE_DATA_DIR: dataDir, WHENCE_FEEDS: catalogue } };
}

async function measureAll(processes: PinnedProcesses, live: LiveFolder): Promise<Row[]> {
  say('updating into an empty folder');
  // First, while this process is small: Linux starts the peak memory of a child at what its parent holds when it forks.
  const { seconds, peakBytes, output } = measureCommand(['dataset', 'update', '--json'], live.settings);
  // A feed that is refused makes the update faster and the file smaller.
  const { refused } = JSON.parse(output) as { refused: Refusal[] };
  for (const { id, reason } of refused) say(`  refused: ${id}, ${reason}`);
  const entry = readManifest(live.dataDir)?.versions[0];
  if (entry === undefined) throw new Error(`no dataset was published in ${live.dataDir}`);
  const path = versionPath(live.dataDir, entry);
  const dataset = openDataset(path);
  const mixes = makeMixes(dataset, seededRandom(SEED), TEXTS);
  say(`\n${formatFlagShares(dataset, mixes)}`);
  return [
    limitRow('update, whole process', seconds, GOALS.seconds, 's'),
    limitRow('update, peak memory', peakBytes / 1e6, GOALS.peakMegabytes, 'MB'),
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

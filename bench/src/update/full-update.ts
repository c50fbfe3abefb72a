/**
 * `npm run bench -- update --full`: an update from feeds of the size that a full catalogue has on
 * the internet.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseAddress } from '@whence/dataset/address';
import { openDataset } from '@whence/dataset/dataset';
import type { Refusal } from '@whence/dataset/record';
import { openCurrent, readManifest, versionPath } from '@whence/dataset/versions';
import { formatCount, print, printable } from '@whence/testing/console-report';
import { seededWords } from '@whence/testing/seeded-random';
import { makeMixes } from '../engine/announced-addresses.ts';
import { measureLoads } from '../engine/load-cost.ts';
import { measureCommand } from '../fresh-process.ts';
import { formatRate, limitRow, type Row } from '../report.ts';
import { writeFullFeeds } from './full-feeds.ts';

const TEXTS = 100_000;
const LOADS = 5;
const LOOKUP_ROUNDS = 20;
const GOALS = { seconds: 120, peakMegabytes: 2500, fileMegabytes: 40 };

export async function measureFullUpdate(folder: string, seed: number): Promise<Row[]> {
  const seedDir = join(folder, 'embedded');
  print('building the embedded default, from whose announced space the feeds are made');
  measureCommand(['dataset', 'build', '--json'], { WHENCE_DATA_DIR: seedDir });
  const embedded = openCurrent(seedDir);
  if (embedded === undefined) throw new Error(`no dataset was published in ${seedDir}`);
  print('writing feeds');
  const feedFolder = join(folder, 'feeds');
  mkdirSync(feedFolder);
  const feeds = await writeFullFeeds(embedded, feedFolder, seededWords(seed));
  const catalogue = join(folder, 'feeds.json');
  writeFileSync(catalogue, JSON.stringify(feeds));
  print('updating into an empty folder');
  const dataDir = join(folder, 'data');
  const settings = { WHENCE_DATA_DIR: dataDir, WHENCE_FEEDS: catalogue };
  const { wallSeconds, cpuSeconds, peakKilobytes, stdout } = measureCommand(
    ['dataset', 'update', '--json'],
    settings,
  );
  const { refused } = JSON.parse(stdout) as { refused: Refusal[] };
  for (const { id, reason } of refused) print(`  refused: ${printable(`${id}, ${reason}`)}`);
  const entry = readManifest(dataDir)?.versions[0];
  if (entry === undefined) throw new Error(`no dataset was published in ${dataDir}`);
  const path = versionPath(dataDir, entry);
  const dataset = openDataset(path);
  const { ipv4_intervals, ipv6_intervals, ipv4_prefixes, ipv6_prefixes, records } =
    dataset.meta.counts;
  print(
    `  ${formatCount(ipv4_prefixes + ipv6_prefixes)} prefixes, ${formatCount(ipv4_intervals + ipv6_intervals)} runs, ` +
      `${formatCount(records)} records`,
  );
  const mixes = makeMixes(dataset, seededWords(seed), TEXTS);
  const [, ...loads] = measureLoads(folder, path, mixes, LOADS);
  return [
    limitRow('full update, whole process', wallSeconds, GOALS.seconds, 's'),
    limitRow('full update, processor time', cpuSeconds, undefined, 's'),
    limitRow('full update, peak memory', (peakKilobytes * 1024) / 1e6, GOALS.peakMegabytes, 'MB'),
    limitRow('full update, file', entry.bytes / 1e6, GOALS.fileMegabytes, 'MB'),
    {
      measure: 'full update, feeds refused',
      ours: String(refused.length),
      goal: '≤ 0',
      isReached: refused.length === 0,
    },
    ...mixes.map(({ name, texts }) => lookupRow(dataset, name, texts)),
    ...loads,
  ];
}

/** Address text to JSON text. */
function lookupRow(
  dataset: ReturnType<typeof openDataset>,
  name: string,
  texts: readonly string[],
): Row {
  let length = 0;
  const started = performance.now();
  for (let round = 0; round < LOOKUP_ROUNDS; round++) {
    for (const text of texts) {
      const address = parseAddress(text);
      if (address !== undefined) length += dataset.json(address, dataset.find(address)).length;
    }
  }
  const rate = (LOOKUP_ROUNDS * texts.length) / ((performance.now() - started) / 1000);
  if (length === 0) throw new Error('nothing was answered');
  return { measure: `answers as JSON, ${name}`, ours: formatRate(rate) };
}

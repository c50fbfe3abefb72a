/**
 * The engine without a server around it: how fast a text becomes a record and a finished answer, next to two npm packages that
 * look addresses up, and what the dataset costs to build, to keep and to load.
 *
 * Both packages run with DB-IP's country table alone, and npm maxmind also with all that we know. A lookup of ours ends with the number
 * of a record where theirs ends with an object; the JSON rows compare whole answers.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { readManifest, versionPath } from '@whence/dataset/publish';
import { type Dataset, openDataset } from '@whence/dataset/read';
import { formatCount } from 'whence/dist/terminal.js';
import { type Contestant, measureRates, median, warmUp } from './contest.ts';
import { measureCommand } from './fresh-process.ts';
import { type IpLocationApi, ipLocationApiCountry, ipLocationApiLookup, openIpLocationApi } from './ip-location-api.ts';
import { measureLoads } from './load-rows.ts';
import {
  checkOurContent,
  type MaxmindVariant,
  maxmindCountry,
  maxmindJson,
  maxmindJsonBytes,
  maxmindLookup,
  openMaxmind,
  openOurContent,
} from './maxmind.ts';
import { seededRandom } from './random.ts';
import { formatRate, formatRows, limitRow, load, type Row, ratioRow, say } from './report.ts';
import { type Mix, makeMixes } from './routed-addresses.ts';
import { whenceCountry, whenceJson, whenceJsonBytes, whenceLookup } from './whence.ts';

const SEED = 20260617;
const TEXTS = 200_000;
const ROUNDS = 11;
const BUILDS = 3;
const LOADS = 7;
const SAMPLE = 1_000;

const GOALS = {
  lookup: { 4: 12, 6: 8 },
  ipLocationApi: { 4: 3, 6: undefined },
  json: { 4: 4, 6: undefined },
  buildSeconds: 15,
  buildMegabytes: 1000,
} as const;

export async function engine(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'whence-bench-'));
  try {
    say(`seed ${SEED}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${load()} at the start`);
    // First, while this process is small: Linux starts the peak memory of a child at what its parent holds when it forks.
    const { dataDir, path, rows: buildRows } = measureBuilds(folder);
    const ourMmdb = join(folder, 'whence.mmdb');
    say('exporting it as MMDB');
    measureCommand(['dataset', 'export', '--format', 'mmdb', '--output', ourMmdb], { WHENCE_DATA_DIR: dataDir });
    const dataset = openDataset(path);
    const mixes = makeMixes(dataset, seededRandom(SEED), TEXTS);
    const speedRows = await compareSpeed(folder, dataset, ourMmdb, mixes);
    const rows = [...speedRows, ...measureLoads(folder, path, mixes, LOADS), ...buildRows];
    say(`${load()} at the end\n\n${formatRows(rows)}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function measureBuilds(folder: string): { dataDir: string; path: string; rows: Row[] } {
  say(`building the dataset, ${BUILDS} times`);
  const dataDirs = Array.from({ length: BUILDS }, (_, i) => join(folder, `build-${i}`));
  const builds = dataDirs.map((dataDir) => measureCommand(['dataset', 'build'], { WHENCE_DATA_DIR: dataDir }));
  const dataDir = dataDirs[0] ?? '';
  const entry = readManifest(dataDir)?.versions[0];
  if (entry === undefined) throw new Error(`no dataset was published in ${dataDir}`);
  return {
    dataDir,
    path: versionPath(dataDir, entry),
    rows: [
      limitRow('build, whole process', median(builds.map(({ seconds }) => seconds)), GOALS.buildSeconds, 's'),
      limitRow('build, peak memory', megabytes(median(builds.map((b) => b.peakBytes))), GOALS.buildMegabytes, 'MB'),
    ],
  };
}

async function compareSpeed(folder: string, dataset: Dataset, ourMmdb: string, mixes: readonly Mix[]): Promise<Row[]> {
  say('compiling the tables of ip-location-api');
  const ipLocationApi = await openIpLocationApi(join(folder, 'ip-location-api'));
  const countryOnly = await openMaxmind();
  printAgreement(dataset, countryOnly[0], ipLocationApi, mixes);

  say(`${ROUNDS} rounds over ${formatCount(TEXTS)} texts per mix; medians`);
  const tasks = [
    { task: '', ours: whenceLookup(dataset), theirs: maxmindLookup, goals: GOALS.lookup },
    { task: ', JSON', ours: whenceJson(dataset), theirs: maxmindJson, goals: GOALS.json },
    { task: ', JSON bytes', ours: whenceJsonBytes(dataset), theirs: maxmindJsonBytes, goals: GOALS.json },
  ] as const;
  const maxmindContests = (peer: string, variants: readonly MaxmindVariant[]) =>
    tasks.map(({ theirs, ...rest }): Contest => ({ ...rest, peer, peers: variants.map(theirs) }));
  const countryRows = compare(
    [
      ...maxmindContests('maxmind, country only', countryOnly),
      {
        task: '',
        ours: tasks[0].ours,
        peer: 'ip-location-api',
        peers: [ipLocationApiLookup(ipLocationApi)],
        goals: GOALS.ipLocationApi,
      },
    ],
    mixes,
  );
  // Last: the reader's code, once it has seen records of ours, could be slower for the others.
  const ourContent = await openOurContent(ourMmdb);
  for (const { texts } of mixes) checkOurContent(ourContent, dataset, texts.slice(0, SAMPLE));
  const contentRows = compare(maxmindContests('maxmind, our content', [ourContent]), mixes);
  // Rows of the same task and mix side by side.
  return countryRows.flatMap((row, i) => [row, ...contentRows.slice(i, i + 1)]);
}

/** One task with one kind of peer: the fastest of its variants counts. */
type Contest = {
  readonly task: string;
  readonly ours: Contestant;
  readonly peer: string;
  readonly peers: readonly Contestant[];
  readonly goals: Readonly<Record<4 | 6, number | undefined>>;
};

function compare(contests: readonly Contest[], mixes: readonly Mix[]): Row[] {
  for (const { texts } of mixes) for (const { ours, peers } of contests) warmUp([ours, ...peers], texts);
  return contests.flatMap(({ task, ours, peer, peers, goals }) =>
    mixes.map(({ name, version, texts }) => {
      const [ourRate = 0, ...rates] = measure(`${name}${task}`, [ours, ...peers], texts);
      return ratioRow(`${name}${task} / ${peer}`, ourRate, Math.max(...rates), goals[version]);
    }),
  );
}

function measure(title: string, contestants: readonly Contestant[], texts: readonly string[]): number[] {
  const rates = measureRates(contestants, texts, ROUNDS);
  say(`  ${title}: ${contestants.map(({ name }, i) => `${name} ${formatRate(rates[i] ?? 0)}`).join(', ')}`);
  return rates;
}

/** A fast wrong answer is worth nothing; and the peers must have been given the same table. */
function printAgreement(
  dataset: Dataset,
  maxmind: MaxmindVariant,
  ipLocationApi: IpLocationApi,
  mixes: readonly Mix[],
): void {
  for (const { name, texts } of mixes) {
    const sample = texts.slice(0, SAMPLE);
    const share = (country: (text: string) => string | undefined) => {
      const same = sample.filter((text) => country(text) === maxmindCountry(maxmind, text)).length;
      return `${((100 * same) / sample.length).toFixed(1)} %`;
    };
    const ours = share((text) => whenceCountry(dataset, text));
    const theirs = share((text) => ipLocationApiCountry(ipLocationApi, text));
    say(`  ${name}: same country as maxmind in ${SAMPLE} samples: whence ${ours}, ip-location-api ${theirs}`);
  }
}

const megabytes = (bytes: number) => bytes / 1e6;

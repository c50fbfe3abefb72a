/**
 * The engine without a server: speed of a lookup and of a complete answer compared with two npm
 * packages, and the cost of building and loading the dataset.
 *
 * Both packages run with DB-IP's country table, and npm maxmind also with our content. Our lookup
 * returns a record number, theirs an object; the JSON rows compare complete answers.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Dataset, openDataset } from '@whence/dataset/dataset';
import { readManifest, versionPath } from '@whence/dataset/versions';
import { formatCount, loadAverage, print } from '@whence/testing/console-report';
import { seededWords } from '@whence/testing/seeded-random';
import { median } from '@whence/testing/statistics';
import { type Mix, makeMixes } from './engine/announced-addresses.ts';
import { type Candidate, measureRates, warmUp } from './engine/interleaved-rates.ts';
import {
  type IpLocationApi,
  ipLocationApiCountry,
  ipLocationApiLookup,
  openIpLocationApi,
} from './engine/ip-location-api.ts';
import { measureLoads } from './engine/load-cost.ts';
import {
  checkOurContent,
  type MaxmindVariant,
  maxmindCountry,
  maxmindJson,
  maxmindJsonBytes,
  maxmindLookup,
  openMaxmind,
  openOurContent,
} from './engine/maxmind.ts';
import { measureSearches } from './engine/search-cost.ts';
import { whenceCountry, whenceJson, whenceJsonBytes, whenceLookup } from './engine/whence.ts';
import { measureCommand } from './fresh-process.ts';
import { formatRate, formatRows, limitRow, type Row, ratioRow } from './report.ts';

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
    print(
      `seed ${SEED}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${loadAverage()} at the start`,
    );
    // First, while this process is small: on Linux the peak memory of a child starts at the memory
    // of its parent.
    const { dataDir, path, rows: buildRows } = measureBuilds(folder);
    const ourMmdb = join(folder, 'whence.mmdb');
    print('exporting it as MMDB');
    measureCommand(['dataset', 'export', '--format', 'mmdb', '--output', ourMmdb], {
      WHENCE_DATA_DIR: dataDir,
    });
    const dataset = openDataset(path);
    const mixes = makeMixes(dataset, seededWords(SEED), TEXTS);
    const speedRows = await compareSpeed(folder, dataset, ourMmdb, mixes);
    const searchRows = measureSearches(dataset, seededWords(SEED));
    const rows = [
      ...speedRows,
      ...searchRows,
      ...measureLoads(folder, path, mixes, LOADS),
      ...buildRows,
    ];
    print(`${loadAverage()} at the end\n\n${formatRows(rows)}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function measureBuilds(folder: string): { dataDir: string; path: string; rows: Row[] } {
  print(`building the dataset, ${BUILDS} times`);
  const dataDirs = Array.from({ length: BUILDS }, (_, i) => join(folder, `build-${i}`));
  const builds = dataDirs.map((dataDir) =>
    measureCommand(['dataset', 'build'], { WHENCE_DATA_DIR: dataDir }),
  );
  const dataDir = dataDirs[0] ?? '';
  const entry = readManifest(dataDir)?.versions[0];
  if (entry === undefined) throw new Error(`no dataset was published in ${dataDir}`);
  return {
    dataDir,
    path: versionPath(dataDir, entry),
    rows: [
      limitRow(
        'build, whole process',
        median(builds.map(({ wallSeconds }) => wallSeconds)),
        GOALS.buildSeconds,
        's',
      ),
      limitRow(
        'build, peak memory',
        megabytes(median(builds.map((build) => build.peakKilobytes * 1024))),
        GOALS.buildMegabytes,
        'MB',
      ),
    ],
  };
}

async function compareSpeed(
  folder: string,
  dataset: Dataset,
  ourMmdb: string,
  mixes: readonly Mix[],
): Promise<Row[]> {
  print('compiling the tables of ip-location-api');
  const ipLocationApi = await openIpLocationApi(join(folder, 'ip-location-api'));
  const countryOnly = await openMaxmind();
  printAgreement(dataset, countryOnly[0], ipLocationApi, mixes);

  print(`${ROUNDS} rounds over ${formatCount(TEXTS)} texts per mix; medians`);
  const tasks = [
    { task: '', ours: whenceLookup(dataset), theirs: maxmindLookup, goals: GOALS.lookup },
    { task: ', JSON', ours: whenceJson(dataset), theirs: maxmindJson, goals: GOALS.json },
    {
      task: ', JSON bytes',
      ours: whenceJsonBytes(dataset),
      theirs: maxmindJsonBytes,
      goals: GOALS.json,
    },
  ] as const;
  const maxmindComparisons = (peer: string, variants: readonly MaxmindVariant[]) =>
    tasks.map(
      ({ theirs, ...rest }): Comparison => ({ ...rest, peer, peers: variants.map(theirs) }),
    );
  const countryRows = compare(
    [
      ...maxmindComparisons('maxmind, country only', countryOnly),
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
  // Last: after reading our records, the optimised code of the reader could be slower for the
  // country table.
  const ourContent = await openOurContent(ourMmdb);
  for (const { texts } of mixes) checkOurContent(ourContent, dataset, texts.slice(0, SAMPLE));
  const contentRows = compare(maxmindComparisons('maxmind, our content', [ourContent]), mixes);
  // Rows of the same task and mix next to each other.
  return countryRows.flatMap((row, i) => [row, ...contentRows.slice(i, i + 1)]);
}

/** One task with one peer; the fastest variant of the peer is used. */
type Comparison = {
  readonly task: string;
  readonly ours: Candidate;
  readonly peer: string;
  readonly peers: readonly Candidate[];
  readonly goals: Readonly<Record<4 | 6, number | undefined>>;
};

function compare(comparisons: readonly Comparison[], mixes: readonly Mix[]): Row[] {
  for (const { texts } of mixes)
    for (const { ours, peers } of comparisons) warmUp([ours, ...peers], texts);
  return comparisons.flatMap(({ task, ours, peer, peers, goals }) =>
    mixes.map(({ name, version, texts }) => {
      const [ourRate = 0, ...rates] = measure(`${name}${task}`, [ours, ...peers], texts);
      return ratioRow(`${name}${task} / ${peer}`, ourRate, Math.max(...rates), goals[version]);
    }),
  );
}

function measure(
  title: string,
  candidates: readonly Candidate[],
  texts: readonly string[],
): number[] {
  const rates = measureRates(candidates, texts, ROUNDS);
  print(
    `  ${title}: ${candidates.map(({ name }, i) => `${name} ${formatRate(rates[i] ?? 0)}`).join(', ')}`,
  );
  return rates;
}

/**
 * Prints how often all sides return the same country: low agreement would mean wrong answers or
 * different tables.
 */
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
      return `${((100 * same) / sample.length).toFixed(1)}%`;
    };
    const ours = share((text) => whenceCountry(dataset, text));
    const theirs = share((text) => ipLocationApiCountry(ipLocationApi, text));
    print(
      `  ${name}: same country as maxmind in ${SAMPLE} samples: whence ${ours}, ip-location-api ${theirs}`,
    );
  }
}

const megabytes = (bytes: number) => bytes / 1e6;

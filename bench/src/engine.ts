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
  lookup: { 4: { maxmind: 12, ipLocationApi: 3 }, 6: { maxmind: 8, ipLocationApi: undefined } },
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
  const ourContent = await openOurContent(ourMmdb);
  for (const { texts } of mixes) checkOurContent(ourContent, dataset, texts.slice(0, SAMPLE));
  printAgreement(dataset, countryOnly[0], ipLocationApi, mixes);

  const maxmind = [ourContent, ...countryOnly];
  const lookups = [whenceLookup(dataset), ...maxmind.map(maxmindLookup), ipLocationApiLookup(ipLocationApi)];
  const jsons = [whenceJson(dataset), ...maxmind.map(maxmindJson)];
  const bytes = [whenceJsonBytes(dataset), ...maxmind.map(maxmindJsonBytes)];
  say(`${ROUNDS} rounds over ${formatCount(TEXTS)} texts per mix; medians`);
  for (const { texts } of mixes) warmUp([...lookups, ...jsons, ...bytes], texts);

  const lookupRows = mixes.flatMap(({ name, version, texts }) => {
    const rates = measure(`${name}, text to record`, lookups, texts);
    const goals = GOALS.lookup[version];
    const apiRow = ratioRow(`${name} / ip-location-api`, rates[0] ?? 0, rates.at(-1) ?? 0, goals.ipLocationApi);
    return [...maxmindRows(name, rates.slice(0, -1), goals.maxmind), apiRow];
  });
  const jsonRows = (kind: string, contestants: readonly Contestant[]) =>
    mixes.flatMap(({ name, version, texts }) =>
      maxmindRows(`${name}, ${kind}`, measure(`${name}, text to ${kind}`, contestants, texts), GOALS.json[version]),
    );
  return [...lookupRows, ...jsonRows('JSON', jsons), ...jsonRows('JSON bytes', bytes)];
}

/** Rates in the order of the contestants: ours, npm maxmind with our content, its variants with the country table. */
function maxmindRows(name: string, rates: readonly number[], goal: number | undefined): Row[] {
  const [ours = 0, sameContent = 0, ...countryOnly] = rates;
  return [
    ratioRow(`${name} / maxmind, country only`, ours, Math.max(...countryOnly), goal),
    ratioRow(`${name} / maxmind, our content`, ours, sameContent, goal),
  ];
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

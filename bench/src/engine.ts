/**
 * The engine without a server around it: how fast a text becomes a record and a finished answer, next to two npm packages that
 * look addresses up, and what the dataset costs to build, to keep and to load.
 *
 * The peers hold DB-IP's country table alone. Ours knows network, prefix, country, role and threat of the same addresses, and
 * answers a lookup with the number of a record where they answer with an object; the JSON rows compare whole answers.
 */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { readManifest, versionPath } from '@whence/dataset/publish';
import { type Dataset, openDataset } from '@whence/dataset/read';
import { formatCount } from 'whence/dist/terminal.js';
import { type Contestant, measureRates, median, warmUp } from './contest.ts';
import { measureBuild, measureLoad } from './fresh-process.ts';
import { type IpLocationApi, ipLocationApiCountry, ipLocationApiLookup, openIpLocationApi } from './ip-location-api.ts';
import { type MaxmindVariant, maxmindCountry, maxmindJson, maxmindLookup, openMaxmind } from './maxmind.ts';
import { seededRandom } from './random.ts';
import { formatRate, formatRows, limitRow, load, type Row, ratioRow, say } from './report.ts';
import { type Mix, makeMixes } from './routed-addresses.ts';
import { whenceCountry, whenceJson, whenceLookup } from './whence.ts';

const SEED = 20260617;
const TEXTS = 200_000;
const ROUNDS = 11;
const BUILDS = 3;
const LOADS = 7;
const LOOKUPS_BEFORE_MEMORY = 100_000;
const SAMPLE = 1_000;

const GOALS = {
  lookup: { 4: { maxmind: 12, ipLocationApi: 3 }, 6: { maxmind: 8, ipLocationApi: undefined } },
  json: { 4: 4, 6: undefined },
  fileMegabytes: 25,
  loadMs: 100,
  residentMegabytes: 120,
  buildSeconds: 15,
  buildMegabytes: 1000,
} as const;

export async function engine(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'whence-bench-'));
  try {
    say(`seed ${SEED}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${load()} at the start`);
    // First, while this process is small: Linux starts the peak memory of a child at what its parent holds when it forks.
    const { path, rows: buildRows } = measureBuilds(folder);
    const dataset = openDataset(path);
    const mixes = makeMixes(dataset, seededRandom(SEED), TEXTS);
    const rows = [...(await compareSpeed(folder, dataset, mixes)), ...measureLoads(folder, path, mixes), ...buildRows];
    say(`${load()} at the end\n\n${formatRows(rows)}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function measureBuilds(folder: string): { path: string; rows: Row[] } {
  say(`building the dataset, ${BUILDS} times`);
  const dataDirs = Array.from({ length: BUILDS }, (_, i) => join(folder, `build-${i}`));
  const builds = dataDirs.map(measureBuild);
  const dataDir = dataDirs[0] ?? '';
  const entry = readManifest(dataDir)?.versions[0];
  if (entry === undefined) throw new Error(`no dataset was published in ${dataDir}`);
  return {
    path: versionPath(dataDir, entry),
    rows: [
      limitRow('build, whole process', median(builds.map(({ seconds }) => seconds)), GOALS.buildSeconds, 's'),
      limitRow('build, peak memory', megabytes(median(builds.map((b) => b.peakBytes))), GOALS.buildMegabytes, 'MB'),
    ],
  };
}

function measureLoads(folder: string, path: string, mixes: readonly Mix[]): Row[] {
  say(`loading it in ${LOADS} fresh processes`);
  const textFile = join(folder, 'addresses.txt');
  const each = LOOKUPS_BEFORE_MEMORY / mixes.length;
  writeFileSync(textFile, mixes.flatMap(({ texts }) => texts.slice(0, Math.ceil(each))).join('\n'));
  const loads = Array.from({ length: LOADS }, () => measureLoad(path, textFile));
  const resident = megabytes(median(loads.map(({ residentBytes }) => residentBytes)));
  return [
    limitRow('file', megabytes(statSync(path).size), GOALS.fileMegabytes, 'MB'),
    limitRow('load and verify', median(loads.map(({ loadMs }) => loadMs)), GOALS.loadMs, 'ms'),
    limitRow(`memory after ${formatCount(LOOKUPS_BEFORE_MEMORY)} answers`, resident, GOALS.residentMegabytes, 'MB'),
  ];
}

async function compareSpeed(folder: string, dataset: Dataset, mixes: readonly Mix[]): Promise<Row[]> {
  say('compiling the tables of ip-location-api');
  const ipLocationApi = await openIpLocationApi(join(folder, 'ip-location-api'));
  const maxmind = await openMaxmind();
  printAgreement(dataset, maxmind[0], ipLocationApi, mixes);

  const lookups = [whenceLookup(dataset), ipLocationApiLookup(ipLocationApi), ...maxmind.map(maxmindLookup)];
  const jsons = [whenceJson(dataset), ...maxmind.map(maxmindJson)];
  say(`${ROUNDS} rounds over ${formatCount(TEXTS)} texts per mix; medians`);
  for (const { texts } of mixes) warmUp([...lookups, ...jsons], texts);

  const rows = mixes.flatMap(({ name, version, texts }) => {
    const [ours = 0, theirs = 0, ...variants] = measure(`${name}, text to record`, lookups, texts);
    const goals = GOALS.lookup[version];
    return [
      ratioRow(`${name} / maxmind`, ours, Math.max(...variants), goals.maxmind),
      ratioRow(`${name} / ip-location-api`, ours, theirs, goals.ipLocationApi),
    ];
  });
  const jsonRows = mixes.map(({ name, version, texts }) => {
    const [ours = 0, ...variants] = measure(`${name}, text to JSON`, jsons, texts);
    return ratioRow(`${name}, JSON / maxmind`, ours, Math.max(...variants), GOALS.json[version]);
  });
  return [...rows, ...jsonRows];
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

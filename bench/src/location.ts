/**
 * Locations at the size of DB-IP City Lite: a generated file of four million rows and 180,000 places is parsed, compiled
 * and looked up. The generated rows have random borders and places, so no two neighbours are joined, which makes the file
 * larger than a real one of as many rows. All results are processor time: other load changes it less than the clock.
 */
import { createHash } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Address, formatAddress, ipv4, ipv6 } from '@whence/dataset/address';
import { FORMATS } from '@whence/dataset/internal/feeds/formats';
import { fileContent } from '@whence/dataset/internal/io/content';
import { compileSupplement } from '@whence/dataset/internal/supplement/compile-supplement';
import { readSupplement, Supplement } from '@whence/dataset/internal/supplement/supplement';
import { formatCount, loadAverage, print } from '@whence/testing/console-report';
import { seededRandom } from '@whence/testing/seeded-random';
import { median } from '@whence/testing/statistics';
import { formatRows, limitRow, type Row } from './report.ts';

const SEED = 20261101;
const ROWS = { 4: 2_400_000, 6: 1_600_000 } as const;
const PLACES = 180_000;
const LOOKUPS = 200_000;
const ROUNDS = 7;
const GOALS = { megabytes: 150, nanoseconds: 1_500 };

const COUNTRY = 'DE';

type Random = () => number;

export async function location(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'whence-bench-'));
  try {
    print(
      `seed ${SEED}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${loadAverage()} at the start`,
    );
    const csv = join(folder, 'dbip-city-lite.csv');
    const generating = seconds(() => writeRows(csv, seededRandom(SEED)));
    print(
      `${formatCount(ROWS[4] + ROWS[6])} rows, ${Math.round(statSync(csv).size / 1e6)} MB of CSV, generated in ${generating.toFixed(0)} s`,
    );
    const { bytes, rows } = build(csv);
    const path = join(folder, 'location.supplement');
    writeFileSync(path, bytes);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const opens = Array.from({ length: ROUNDS }, () => seconds(() => readSupplement(path, sha256)));
    const supplement = new Supplement(readSupplement(path, sha256));
    rows.push(limitRow('open and check', median(opens) * 1000, undefined, 'ms'));
    for (const version of [4, 6] as const) rows.push(...lookUp(supplement, version, seededRandom(SEED + version)));
    print(`${loadAverage()} at the end\n\n${formatRows(rows)}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function build(csv: string): { bytes: Buffer; rows: Row[] } {
  const format = FORMATS['dbip-city-csv'];
  if (format === undefined) throw new Error('there is no format dbip-city-csv');
  let parsed: ReturnType<typeof format.parse> | undefined;
  const parsing = seconds(() => {
    parsed = format.parse(fileContent(csv));
  });
  if (parsed === undefined) throw new Error('nothing was parsed');
  const source = { id: 'dbip-city-lite', as_of: '2026-11-01', licence: '', credit: '', records: parsed.records };
  const feed = {
    ...{ id: source.id, url: '', format: 'dbip-city-csv', licence: '', credit: '', drives: ['location'] as const },
    ...{ refresh_hours: 24, mode: 'on' as const, min_records: 0, max_records: 0 },
  };
  const ingested = [{ feed, source, parsed }];
  let bytes: Buffer | undefined;
  const compiling = seconds(() => {
    bytes = compileSupplement(ingested, { contentPath: () => undefined }, { find: () => 0, asnNumber: () => 0 });
  });
  if (bytes === undefined) throw new Error('nothing was compiled');
  return {
    bytes,
    rows: [
      limitRow('parse the feed', parsing, undefined, 's'),
      limitRow('compile', compiling, undefined, 's'),
      limitRow('peak memory of this process', process.resourceUsage().maxRSS / 1000, undefined, 'MB'),
      limitRow('file, and memory in each process', bytes.length / 1e6, GOALS.megabytes, 'MB'),
    ],
  };
}

/**
 * Uniformly over the rows, which is worse than traffic: no two lookups share a cache line. The first round is counted
 * separately, because it decodes the places.
 */
function lookUp(supplement: Supplement, version: 4 | 6, random: Random): Row[] {
  const addresses = Array.from({ length: LOOKUPS }, () => randomAddress(version, random));
  const results: readonly [what: string, of: (address: Address) => unknown][] = [
    ['number of the place', (address) => supplement.placeOf(address) || undefined],
    ['location', (address) => supplement.location(supplement.placeOf(address), COUNTRY)],
    ['location as JSON', (address) => supplement.locationJson(supplement.placeOf(address), COUNTRY)],
  ];
  return results.flatMap(([what, of]) => {
    const round = () => {
      let found = 0;
      for (const address of addresses) if (of(address) !== undefined) found++;
      if (found !== LOOKUPS) throw new Error(`${formatCount(LOOKUPS - found)} addresses were not found`);
    };
    const perLookup = (cpuSeconds: number) => (cpuSeconds / LOOKUPS) * 1e9;
    const first = perLookup(seconds(round));
    const later = perLookup(median(Array.from({ length: ROUNDS }, () => seconds(round))));
    return [
      limitRow(`IPv${version} address to ${what}, first time`, first, undefined, 'ns'),
      limitRow(`IPv${version} address to ${what}`, later, GOALS.nanoseconds, 'ns'),
    ];
  });
}

const randomAddress = (version: 4 | 6, random: Random): Address =>
  version === 4
    ? ipv4(Math.floor(random() * 2 ** 32))
    : ipv6((word(random) & 0x000fffff) | 0x2a000000, word(random), word(random), word(random));

const word = (random: Random) => Math.floor(random() * 2 ** 32) | 0;

function writeRows(path: string, random: Random): void {
  const places = Array.from({ length: PLACES }, (_, i) => {
    const coordinates = `${(random() * 180 - 90).toFixed(4)},${(random() * 360 - 180).toFixed(4)}`;
    return `EU,${COUNTRY},Region of ${i % 3_000},"City ${i} on the river",${coordinates}`;
  });
  const file = openSync(path, 'w');
  let chunk = '';
  const add = (start: Address, end: Address) => {
    chunk += `${formatAddress(start)},${formatAddress(end)},${places[Math.floor(random() * PLACES)]}\n`;
    if (chunk.length < 1 << 20) return;
    writeSync(file, chunk);
    chunk = '';
  };
  for (const [start, end] of ranges(ROWS[4], 2 ** 32, random)) add(ipv4(start), ipv4(end));
  // Borders at multiples of /48 in 2a00::/12, where most of the announced space of one registry is.
  for (const [start, end] of ranges(ROWS[6], 2 ** 36, random))
    add(ipv6(high(start), low(start), 0, 0), ipv6(high(end), low(end) | 0xffff, -1, -1));
  writeSync(file, chunk);
  closeSync(file);
}

const high = (number: number) => 0x2a000000 + Math.floor(number / 2 ** 16);
const low = (number: number) => (number % 2 ** 16) * 2 ** 16;

/** Numbers from 0 to `limit`, in `count` ranges of random sizes without gaps. */
function* ranges(count: number, limit: number, random: Random): Generator<[start: number, end: number]> {
  let start = 0;
  for (let left = count; left > 0; left--) {
    const mean = (limit - start) / left;
    const end = left === 1 ? limit - 1 : start + Math.floor(random() * (2 * mean - 2));
    yield [start, end];
    start = end + 1;
  }
}

/** Processor time, of all threads. */
function seconds(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

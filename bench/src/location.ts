/**
 * A location database of the size of DB-IP City Lite: 12.6 million networks, 180,000 places, 116
 * MB. The file is generated; its search tree is complete, so that every address has a location. All
 * results are processor time: other load changes it less than the clock.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Address, ipv4, ipv6 } from '@whence/dataset/address';
import {
  type LocationDatabase,
  openLocationFile,
  openLocationInThread,
} from '@whence/dataset/location';
import { encode, type MmdbValue, pointerTo } from '@whence/dataset/test/sample-mmdb';
import { formatCount, loadAverage, print } from '@whence/testing/console-report';
import { seededRandom } from '@whence/testing/seeded-random';
import { median } from '@whence/testing/statistics';
import { formatRows, limitRow, type Row } from './report.ts';

const SEED = 20261101;
/** Networks of IPv4 are /23, those of IPv6 /34 in 2a00::/12. */
const DEPTHS = { 4: 23, 6: 22 } as const;
const PLACES = 180_000;
const LOOKUPS = 100_000;
const ROUNDS = 7;
const COUNTRY = 'DE';

type Random = () => number;

export async function location(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'whence-bench-'));
  try {
    print(
      `seed ${SEED}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${loadAverage()} at the start`,
    );
    const path = join(folder, 'cities.mmdb');
    writeFileSync(path, generate(seededRandom(SEED)));
    const checking = await seconds(() => openLocationInThread(path));
    const opening = await seconds(() => openLocationFile(path));
    const database = await openLocationInThread(path);
    const rows = [
      limitRow('file, and memory in each process', database.bytes / 1e6, undefined, 'MB'),
      limitRow('read and check all records, in a thread', checking, undefined, 's'),
      limitRow('read and check a sample, in commands', opening, undefined, 's'),
    ];
    for (const version of [4, 6] as const)
      rows.push(lookUp(database, version, seededRandom(SEED + version)));
    print(`${loadAverage()} at the end\n\n${formatRows(rows)}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Uniformly over the networks, which is worse than traffic: no two lookups share a cache line. */
function lookUp(database: LocationDatabase, version: 4 | 6, random: Random): Row {
  const addresses = Array.from({ length: LOOKUPS }, () => randomAddress(version, random));
  const round = () => {
    const before = process.cpuUsage();
    let found = 0;
    for (const address of addresses) if (database.find(address, COUNTRY) !== undefined) found++;
    if (found !== LOOKUPS)
      throw new Error(`${formatCount(LOOKUPS - found)} addresses were not found`);
    return cpuSeconds(before);
  };
  const perLookup = (median(Array.from({ length: ROUNDS }, round)) / LOOKUPS) * 1e9;
  return limitRow(`IPv${version} address to location`, perLookup, undefined, 'ns');
}

const randomAddress = (version: 4 | 6, random: Random): Address =>
  version === 4
    ? ipv4(Math.floor(random() * 2 ** 32))
    : ipv6((word(random) & 0x000fffff) | 0x2a000000, word(random), word(random), word(random));

const word = (random: Random) => Math.floor(random() * 2 ** 32) | 0;

/** A chain of nodes to ::/96 and one to 2a00::/12, with a complete tree under each. */
function generate(random: Random): Buffer {
  const { data, offsets } = places(random);
  const sizes = { 4: 2 ** DEPTHS[4] - 1, 6: 2 ** DEPTHS[6] - 1 };
  const ipv6Chain = '001010100000';
  const first = { 4: 96 + ipv6Chain.length - 1, 6: 0 };
  first[6] = first[4] + sizes[4];
  const nodes = first[6] + sizes[6];
  const tree = Buffer.alloc(nodes * 8);
  const set = (node: number, side: number, value: number) =>
    tree.writeUInt32BE(value, node * 8 + side * 4);
  const randomPlace = () => nodes + 16 + (offsets[Math.floor(random() * PLACES)] as number);
  for (let node = 0; node < first[4]; node++) {
    set(node, 0, nodes);
    set(node, 1, nodes);
  }
  for (let depth = 0; depth < 96; depth++) set(depth, 0, depth === 95 ? first[4] : depth + 1);
  // The first two bits of 2a00::/12 are those of ::/96.
  let node = 2;
  let next = 96;
  for (let depth = 2; depth < ipv6Chain.length; depth++) {
    const isLast = depth === ipv6Chain.length - 1;
    set(node, Number(ipv6Chain[depth]), isLast ? first[6] : next);
    node = next++;
  }
  for (const version of [4, 6] as const)
    for (let i = 0; i < sizes[version]; i++)
      for (const side of [0, 1]) {
        const child = 2 * i + 1 + side;
        set(
          first[version] + i,
          side,
          child < sizes[version] ? first[version] + child : randomPlace(),
        );
      }
  return Buffer.concat([
    tree,
    Buffer.alloc(16),
    data,
    Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1'),
    encode({
      binary_format_major_version: 2,
      binary_format_minor_version: 0,
      build_epoch: BigInt(Date.parse('2026-11-01') / 1000),
      database_type: 'DBIP-City-Lite',
      ip_version: 6,
      node_count: nodes,
      record_size: 32,
    }),
  ]);
}

/** Names of members are stored once, as in databases of vendors. */
function places(random: Random): { data: Buffer; offsets: number[] } {
  const parts: Buffer[] = [];
  const offsets: number[] = [];
  let length = 0;
  const add = (bytes: Buffer) => {
    parts.push(bytes);
    length += bytes.length;
    return length - bytes.length;
  };
  const names = new Map<string, Buffer>();
  for (const name of NAMES) names.set(name, pointerTo(add(encode(name))));
  const map = (...members: [name: string, value: MmdbValue][]): Buffer =>
    Buffer.concat([
      Buffer.from([(7 << 5) | members.length]),
      ...members.flatMap(([name, value]) => [names.get(name) ?? encode(name), encode(value)]),
    ]);
  const country = pointerTo(
    add(map(['iso_code', COUNTRY], ['names', map(['en', 'Germany'])], ['geoname_id', 2921044])),
  );
  for (let i = 0; i < PLACES; i++)
    offsets.push(
      add(
        map(
          ['city', map(['names', map(['en', `City ${i} on the river`])])],
          ['country', country],
          ['location', map(['latitude', random() * 180 - 90], ['longitude', random() * 360 - 180])],
          ['subdivisions', [map(['names', map(['en', `Region of ${i % 3_000}`])])]],
        ),
      ),
    );
  return { data: Buffer.concat(parts), offsets };
}

const NAMES = [
  'city',
  'country',
  'location',
  'subdivisions',
  'names',
  'en',
  'latitude',
  'longitude',
  'iso_code',
  'geoname_id',
];

/** Processor time, of all threads. */
async function seconds(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  return cpuSeconds(before);
}

function cpuSeconds(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

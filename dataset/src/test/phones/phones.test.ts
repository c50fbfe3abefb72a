/** Blocks of phones by reverse names, against a resolver that also fails, lies and is slow. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { seededRandom } from '@whence/testing/seeded-random';
import {
  type ScriptedDnsOptions,
  startScriptedDnsServer,
} from '@whence/testing/servers/scripted-dns-server';
import type { ZoneEntry, ZoneRecords } from '@whence/testing/servers/zone-literal';
import { formatAddress } from '../../address.ts';
import { fromBigInt, parsePrefix } from '../../prefix.ts';
import { sampleDataset } from '../sample-dataset.ts';
import { lineOf } from './phone-names.ts';
import { candidateBlocks, reverseLookup, rowsOf } from './phones.ts';
import { findPhones } from './sample-names.ts';

const DAY = '2026-11-19';

for (const [name, line] of [
  ['mob-5-90-0-1.net.vodafone.it', 'phone'],
  ['public-gprs12345.centertel.pl', 'phone'],
  ['KD126166128001.ppp-bb.panda-world.ne.jp', 'phone'],
  ['cst-prg-88-61.cust.vodafone.cz', 'phone'],
  ['cst2-173-16.cust.vodafone.cz', 'unknown'],
  ['net-5-88-0-1.cust.vodafonedsl.it', 'fixed'],
  ['mobile-1.adsl.example.net', 'fixed'],
  // The operator, not the line.
  ['1-2-3-4.t-mobile.example', 'unknown'],
  ['automobile-club.example.net', 'unknown'],
  ['mobile', 'unknown'],
  ['mobile,"\n.example.net', 'unknown'],
] as const)
  test(`phone names: ${JSON.stringify(name)} is ${line}`, () => assert.equal(lineOf(name), line));

type Zone = { readonly records: ZoneRecords; readonly options?: ScriptedDnsOptions };

/** An entry for each address of the prefix. */
function named(prefix: string, nameOf: (dashed: string) => string): ZoneRecords {
  const range = parsePrefix(prefix);
  assert.ok(range);
  const records: Record<string, ZoneEntry> = {};
  for (let address = range.start; address <= range.end; address++) {
    const bytes = formatAddress(fromBigInt(address, 4)).split('.');
    records[`${bytes.toReversed().join('.')}.in-addr.arpa`] = { PTR: [nameOf(bytes.join('-'))] };
  }
  return records;
}

const phone = (dashed: string) => `mob-${dashed}.net.example`;
const dsl = (dashed: string) => `${dashed}.dsl.net.example`;
const unnamed = (dashed: string) => `${dashed}.net.example`;
const every = (entry: ZoneEntry): ZoneRecords => ({ '*.0.9.in-addr.arpa': entry });

async function sampled({ records, options = {} }: Zone, prefix: string, maxQueries: number) {
  const dns = await startScriptedDnsServer(records, options);
  try {
    const dataset = sampleDataset({ routes: [[prefix, 64_500, 'Example']] });
    return await findPhones(candidateBlocks(dataset), {
      lookUp: reverseLookup([dns.address], { timeout: 300, tries: 1 }),
      maxQueries,
      random: seededRandom(1),
      concurrency: 2,
    });
  } finally {
    await dns.close();
  }
}

type Case = {
  readonly behaviour: string;
  readonly zone: Zone;
  readonly prefix?: string;
  readonly maxQueries?: number;
  readonly found: readonly string[];
  readonly counts: Readonly<Record<'queries' | 'unreachable' | 'left', number>>;
};
const SAMPLED = { queries: 32, unreachable: 0, left: 0 };
const UNREACHABLE = { queries: 4, unreachable: 1, left: 0 };

const CASES: readonly Case[] = [
  {
    behaviour: 'names of phones are a row',
    zone: { records: named('9.0.0.0/23', phone) },
    found: ['9.0.0.0/23'],
    counts: SAMPLED,
  },
  {
    behaviour: 'slow answers count',
    zone: { records: named('9.0.0.0/23', phone), options: { delayMs: 20 } },
    found: ['9.0.0.0/23'],
    counts: SAMPLED,
  },
  {
    behaviour: 'names that say nothing of the line are no row',
    zone: { records: named('9.0.0.0/23', unnamed) },
    found: [],
    counts: SAMPLED,
  },
  {
    behaviour: 'addresses without a name are no row',
    zone: { records: {} },
    found: [],
    counts: SAMPLED,
  },
  {
    behaviour: 'one name for all addresses is no row',
    zone: { records: every({ PTR: ['mobile.net.example'] }) },
    found: [],
    counts: SAMPLED,
  },
  {
    behaviour: 'a block is left after four times SERVFAIL',
    zone: { records: every({ fail: 'SERVFAIL' }) },
    found: [],
    counts: UNREACHABLE,
  },
  {
    behaviour: 'a block is left after four queries without an answer',
    zone: { records: every({ fail: 'timeout' }) },
    found: [],
    counts: UNREACHABLE,
  },
  {
    behaviour: 'of a block with homes, the half without them is a row',
    zone: { records: { ...named('9.0.0.0/20', phone), ...named('9.0.16.0/20', dsl) } },
    prefix: '9.0.0.0/19',
    found: ['9.0.0.0/20'],
    counts: { ...SAMPLED, queries: 96 },
  },
  {
    behaviour: 'a small block with homes is no row',
    zone: { records: { ...named('9.0.0.0/21', phone), ...named('9.0.8.0/21', dsl) } },
    prefix: '9.0.0.0/20',
    found: [],
    counts: SAMPLED,
  },
  {
    behaviour: 'blocks for which no queries are left are counted',
    zone: { records: named('9.0.0.0/20', phone) },
    prefix: '9.0.0.0-9.0.11.255',
    maxQueries: 40,
    found: ['9.0.0.0/21'],
    counts: { ...SAMPLED, left: 1 },
  },
];

for (const { behaviour, zone, prefix = '9.0.0.0/23', maxQueries = 500, found, counts } of CASES)
  test(`phones: ${behaviour}`, async () => {
    const { phoneBlocks, ...counted } = await sampled(zone, prefix, maxQueries);
    const rows = rowsOf(phoneBlocks, () => 'Example', DAY);
    assert.deepEqual([rows.map((row) => row.split(',')[0]), counted], [found, counts]);
  });

test('phones: without a resolver, sampling ends after twenty blocks', async () => {
  const blocks = Array.from({ length: 100 }, (_, i) => ({
    asn: 64_500,
    base: BigInt(i) * 65_536n,
    length: 16,
  }));
  const { unreachable, left } = await findPhones(blocks, {
    lookUp: async () => ({ kind: 'failed' }),
    maxQueries: 10_000,
    random: seededRandom(1),
    concurrency: 1,
  });
  assert.deepEqual([unreachable, left], [20, 80]);
});

test('phones: neighbours are one row, with the share, an example and the operator', () => {
  const block = { asn: 64_500, length: 16, phones: 31, named: 32, example: 'mob-1.net.example' };
  const bases = [0x09_00_00_00n, 0x09_01_00_00n, 0x09_03_00_00n];
  const found = bases.map((base) => ({ ...block, base }));
  const source = (phones: number, names: number) =>
    `reverse names of phones at ${phones} of ${names} sampled addresses with a name (mob-1.net.example)`;
  assert.deepEqual(
    rowsOf(found, () => 'Example, Inc.', DAY),
    [
      `9.0.0.0/15,mobile,"Example, Inc.",${DAY},${source(62, 64)}`,
      `9.3.0.0/16,mobile,"Example, Inc.",${DAY},${source(31, 32)}`,
    ],
  );
});

test('phones: networks of which a row says that they are hosting, or phones, are not sampled', () => {
  const dataset = sampleDataset({
    routes: [
      // Hetzner, T-Mobile US, Deutsche Telekom, and Arelion, a carrier.
      ['9.0.0.0/24', 24_940, 'Hosting'],
      ['9.0.1.0/24', 21_928, 'Phones'],
      ['9.0.2.0/24', 3_320, 'Homes'],
      ['9.0.3.0/24', 1_299, 'Carrier'],
    ],
  });
  assert.deepEqual(
    candidateBlocks(dataset).map(({ asn }) => asn),
    [1_299, 3_320],
  );
});

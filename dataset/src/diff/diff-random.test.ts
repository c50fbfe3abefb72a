/**
 * The comparison checked against a slow and obvious one: random datasets over 256 units of addresses, each of which is
 * looked up in both versions.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { seededRandom } from '@whence/testing/seeded-random';
import { parseAddress } from '../address.ts';
import type { Dataset } from '../file/read.ts';
import { fromBigInt, parsePrefix, toBigInt } from '../prefix.ts';
import { FLAGS, type IpRecord } from '../record.ts';
import { randomValues, UNITS, UNIVERSES } from '../test/random-prefixes.ts';
import { type Sample, sampleDataset } from '../test/sample-dataset.ts';
import { type DatasetDiff, diffDatasets } from './diff.ts';

const ALL = 1_000;
const FEW = 2;

type Version = 4 | 6;
type Network = { start: bigint; end: bigint; size: number };
type Entry = { network?: string; prefix?: string; addresses?: number; slash48s?: number };
type List = { count: number; addresses?: number; slash48s?: number; largest: Entry[] };
type Expectation = [what: string, want: Network[], pick: (diff: DatasetDiff) => { ipv4: List; ipv6: List }];
type Change = (a: IpRecord | undefined, b: IpRecord | undefined) => string | undefined;

for (const seed of [1, 2, 3, 4, 5]) {
  test(`diff: random datasets, compared with a slow implementation, seed ${seed}`, () => {
    const random = seededRandom(seed);
    const before = sampleDataset(randomSample(random), 1);
    const after = sampleDataset(randomSample(random), 2);
    const [whole, cut] = [diffDatasets(before, after, ALL), diffDatasets(before, after, FEW)];
    for (const version of [4, 6] as const) {
      const family = version === 4 ? 'ipv4' : 'ipv6';
      for (const [what, want, pick] of expectations(before, after, version)) {
        const [all, few] = [pick(whole)[family], pick(cut)[family]];
        const total = want.reduce((sum, { size }) => sum + size, 0);
        for (const list of [all, few]) assert.deepEqual([list.count, sizeIn(list)], [want.length, total], what);
        assert.deepEqual(all.largest.map(networkOf), want, what);
        assert.deepEqual(few.largest.map(networkOf), want.slice(0, FEW), what);
      }
      const amount = (networks: Network[]) => [networks.length, networks.reduce((sum, { size }) => sum + size, 0)];
      const { gained, lost } = whole.addresses;
      const came = slowNetworks(before, after, version, (a, b) => (a === undefined && b ? 'x' : undefined));
      const went = slowNetworks(before, after, version, (a, b) => (b === undefined && a ? 'x' : undefined));
      assert.deepEqual([gained[family].count, sizeIn(gained[family])], amount(came));
      assert.deepEqual([lost[family].count, sizeIn(lost[family])], amount(went));
      for (const { from, to, [family]: move } of [...whole.levels, ...whole.countries.moves]) {
        const moved = slowNetworks(before, after, version, (a, b) =>
          [a?.threat.level, a?.country].includes(from) && [b?.threat.level, b?.country].includes(to) ? 'x' : undefined,
        );
        assert.deepEqual([move.count, sizeIn(move)], amount(moved), `${from} to ${to}`);
      }
    }
  });
}

function expectations(before: Dataset, after: Dataset, version: Version): Expectation[] {
  const slow = (change: Change) => slowNetworks(before, after, version, change);
  const prefixes = slowPrefixes(before, after, version);
  return [
    ['gained', prefixes((a, b) => a === undefined && b !== undefined), (diff) => diff.prefixes.gained],
    ['lost', prefixes((a, b) => a !== undefined && b === undefined), (diff) => diff.prefixes.lost],
    ['origins', prefixes((a, b) => a !== undefined && b !== undefined && a !== b), (diff) => diff.origins],
    ['countries', slow((a, b) => a && b && differs(a.country, b.country)), (diff) => diff.countries],
    [
      'ai_company',
      slow((a, b) => differs(a?.detection.ai_company, b?.detection.ai_company)),
      (diff) => diff.ai_company,
    ],
    [
      'cloud_provider',
      slow((a, b) => differs(a?.detection.cloud_provider, b?.detection.cloud_provider)),
      (diff) => diff.cloud_provider,
    ],
    ...FLAGS.flatMap((flag): Expectation[] => [
      [
        `${flag} gained`,
        slow((a, b) => (b?.detection[flag] && !a?.detection[flag] ? `${b.asn}` : undefined)),
        (diff) => diff.flags[flag].gained,
      ],
      [
        `${flag} lost`,
        slow((a, b) => (a?.detection[flag] && !b?.detection[flag] ? `${a.asn}` : undefined)),
        (diff) => diff.flags[flag].lost,
      ],
    ]),
  ];
}

const differs = (a = '', b = '') => (a === b ? undefined : `${a} ${b}`);
const sizeIn = ({ addresses, slash48s }: Pick<List, 'addresses' | 'slash48s'>) => addresses ?? slash48s ?? -1;

/** Compares unit by unit; adjacent units with the same change are one network. */
function slowNetworks(before: Dataset, after: Dataset, version: Version, change: Change): Network[] {
  const { base, unit } = UNIVERSES[version];
  const found: (Network & { key: string })[] = [];
  for (let i = 0; i < UNITS; i++) {
    const start = base + BigInt(i) * unit;
    const key = change(recordAt(before, start, version), recordAt(after, start, version));
    const latest = found.at(-1);
    if (key === undefined) continue;
    if (latest?.key === key && latest.end === start - 1n) latest.end = start + unit - 1n;
    else found.push({ start, end: start + unit - 1n, size: 0, key });
  }
  return largestFirst(found.map(({ start, end }) => sized(start, end, version)));
}

/** The origin of each prefix: the network that answers with it, or the lowest AS number of a covered prefix. */
function slowPrefixes(before: Dataset, after: Dataset, version: Version) {
  const [a, b] = [originsOf(before, version), originsOf(after, version)];
  return (isChange: (a: number | undefined, b: number | undefined) => boolean): Network[] =>
    largestFirst(
      [...new Set([...a.keys(), ...b.keys()])]
        .filter((prefix) => isChange(a.get(prefix), b.get(prefix)))
        .map((prefix) => networkOf({ prefix }))
        .map(({ start, end }) => sized(start, end, version)),
    );
}

function originsOf(dataset: Dataset, version: Version): Map<string, number> {
  const { base, unit } = UNIVERSES[version];
  const origins = new Map<string, number>();
  for (let i = 0; i < UNITS; i++) {
    const record = recordAt(dataset, base + BigInt(i) * unit, version);
    if (record !== undefined) origins.set(record.prefix, record.asn);
  }
  const visible = new Set(origins.keys());
  for (let row = 0; row < dataset.networks.count; row++) {
    const { asn } = dataset.networks.at(row);
    for (const prefix of dataset.prefixesOf(asn)[version === 4 ? 'ipv4' : 'ipv6']) {
      if (!visible.has(prefix)) origins.set(prefix, Math.min(asn, origins.get(prefix) ?? asn));
    }
  }
  return origins;
}

function recordAt(dataset: Dataset, at: bigint, version: Version): IpRecord | undefined {
  const address = fromBigInt(at, version);
  const match = dataset.find(address);
  return match === 0 ? undefined : dataset.record(address, match);
}

function sized(start: bigint, end: bigint, version: Version): Network {
  const blocks = new Set<bigint>();
  const { unit } = UNIVERSES[version];
  for (let at = start; at <= end; at += unit) blocks.add(version === 4 ? at : at >> 80n);
  return { start, end, size: blocks.size };
}

function largestFirst(networks: Network[]): Network[] {
  return networks.sort((a, b) => b.size - a.size || Number(a.start - b.start) || Number(b.end - a.end));
}

function networkOf(entry: Entry): Network {
  const [first = '', last] = (entry.network ?? entry.prefix ?? '').split('-');
  const prefix = parsePrefix(first);
  const end = last === undefined ? undefined : parseAddress(last);
  assert.ok(prefix !== undefined && (last === undefined || end !== undefined), `${first} is a network`);
  return { start: prefix.start, end: end === undefined ? prefix.end : toBigInt(end), size: sizeIn(entry) };
}

const NETWORKS = [
  [64500, 'Nord'],
  [16509, 'Amazon.com, Inc.'],
  [15169, 'Google LLC'],
  [22394, 'Verizon Business'],
] as const;

function randomSample(random: () => number): Sample {
  const { pick, prefix } = randomValues(random);
  const rows = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);
  return {
    routes: rows(24, () => [prefix(), ...pick(NETWORKS)] as const),
    countries: rows(16, () => [prefix(), pick(['DE', 'FR', 'US'])] as const),
    crawlers: rows(6, () => [prefix(), pick(['OpenAI', 'Mistral'])] as const),
    tor: rows(6, () => [prefix(), 'Relay Friends'] as const),
  };
}

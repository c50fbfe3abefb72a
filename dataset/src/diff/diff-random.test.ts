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
import { byFlag, type IpRecord } from '../record.ts';
import { randomValues, UNITS, UNIVERSES } from '../test/random-prefixes.ts';
import { type Sample, sampleDataset } from '../test/sample-dataset.ts';
import { CHANGE_KINDS, diffDatasets } from './diff.ts';

const ALL = 1_000;
const FEW = 2;

type Version = 4 | 6;
type Network = { start: bigint; end: bigint; size: number };
type Change = (a: IpRecord | undefined, b: IpRecord | undefined) => [kind: string, key: string] | undefined;

/** The value of each attribute in a record; `''` without one. */
const VALUES: Readonly<Record<string, (record: IpRecord) => string>> = {
  asn: ({ asn }) => `AS${asn}`,
  country: ({ country }) => country,
  threat_level: ({ threat }) => threat.level,
  ai_company: ({ detection }) => detection.ai_company ?? '',
  cloud_provider: ({ detection }) => detection.cloud_provider ?? '',
  ...byFlag(
    (flag) =>
      ({ detection }: IpRecord) =>
        detection[flag] ? 'true' : '',
  ),
};
const WHERE_BOTH_ANSWER = ['country', 'threat_level'];

for (const seed of [1, 2, 3, 4, 5]) {
  test(`diff: random datasets, compared with a slow implementation, seed ${seed}`, () => {
    const random = seededRandom(seed);
    const before = sampleDataset(randomSample(random), 1);
    const after = sampleDataset(randomSample(random), 2);
    const [whole, cut] = [diffDatasets(before, after, ALL), diffDatasets(before, after, FEW)];
    for (const version of [4, 6] as const)
      for (const [attribute, read] of Object.entries(VALUES))
        for (const kind of CHANGE_KINDS) {
          const change: Change = (a, b) => {
            if (WHERE_BOTH_ANSWER.includes(attribute) && (a === undefined || b === undefined)) return undefined;
            const [from, to] = [a === undefined ? '' : read(a), b === undefined ? '' : read(b)];
            if (from === to) return undefined;
            return [from === '' ? 'gained' : to === '' ? 'lost' : 'changed', `${from} ${to} ${(b ?? a)?.asn}`];
          };
          const want = slowNetworks(before, after, version, kind, change);
          const [all, few] = [whole, cut].map(({ changes }) =>
            changes.find((row) => row.attribute === attribute && row.change === kind && row.family === `ipv${version}`),
          );
          const total = want.reduce((sum, { size }) => sum + size, 0);
          for (const row of [all, few])
            assert.deepEqual([row?.count ?? 0, row?.size ?? 0], [want.length, total], `${attribute} ${kind}`);
          assert.deepEqual((all?.largest ?? []).map(networkOf), want, attribute);
          assert.deepEqual((few?.largest ?? []).map(networkOf), want.slice(0, FEW), attribute);
        }
  });
}

/** Compares unit by unit; adjacent units with the same change are one network. */
function slowNetworks(before: Dataset, after: Dataset, version: Version, kind: string, change: Change): Network[] {
  const { base, unit } = UNIVERSES[version];
  const found: (Network & { key: string })[] = [];
  for (let i = 0; i < UNITS; i++) {
    const start = base + BigInt(i) * unit;
    const [own, key] = change(recordAt(before, start, version), recordAt(after, start, version)) ?? [];
    if (own !== kind || key === undefined) continue;
    const latest = found.at(-1);
    if (latest?.key === key && latest.end === start - 1n) latest.end = start + unit - 1n;
    else found.push({ start, end: start + unit - 1n, size: 0, key });
  }
  return largestFirst(found.map(({ start, end }) => sized(start, end, version)));
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

function networkOf({ network, size }: { network: string; size: number }): Network {
  const [first = '', last] = network.split('-');
  const prefix = parsePrefix(first);
  const end = last === undefined ? undefined : parseAddress(last);
  assert.ok(prefix !== undefined && (last === undefined || end !== undefined), `${first} is a network`);
  return { start: prefix.start, end: end === undefined ? prefix.end : toBigInt(end), size };
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

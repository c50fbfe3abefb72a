import assert from 'node:assert/strict';
import test from 'node:test';
import { formatAddress } from '@whence/dataset/address';
import type { Dataset } from '@whence/dataset/dataset';
import { fromBigInt } from '@whence/dataset/prefix';
import { FLAGS } from '@whence/dataset/record';
import { sampleDataset } from '@whence/dataset/test/sample-dataset';
import { seededRandom } from '@whence/testing/seeded-random';
import { describePrefix, type PrefixContent, type PrefixRequest } from './prefix-content.ts';
import { requirePrefix } from './prefix-contents.ts';
import { WalkScratch, walkAtOnce } from './prefix-walk.ts';

const SEED = 26_008;
const random = seededRandom(SEED);
const below = (limit: number) => Math.floor(random() * limit);

/**
 * Nested and adjacent prefixes of all lengths in a corner of the address space, so that random
 * prefixes hit them.
 */
function randomRoutes(): [string, number, string][] {
  const texts = Array.from({ length: 400 }, (_, i) => {
    const asn = 64_496 + below(12);
    const name = `Network ${asn}`;
    if (i % 2 === 0)
      return [`9.${below(4)}.${below(256)}.${below(256)}/${9 + below(16)}`, asn, name] as const;
    const groups = ['2a00', below(3), below(3), below(3), below(3) === 0 ? '8000' : 0, 0, 0, 0];
    return [`${groups.join(':')}/${13 + below(84)}`, asn, name] as const;
  });
  return texts.map(([text, asn, name]) => [normal(text), asn, name]);
}

function normal(text: string): string {
  const { range, length } = requirePrefix(text);
  return `${formatAddress(fromBigInt(range.start, range.version))}/${length}`;
}

const dataset = sampleDataset({
  routes: [...new Map(randomRoutes().map((route) => [route[0], route])).values()],
  countries: [
    ['9.0.0.0/10', 'DE'],
    ['9.2.0.0/15', 'US'],
    ['2a00::/16', 'FR'],
  ],
  tor: [
    ['9.1.1.1/32', 'One'],
    ['9.1.1.2/31', 'Two'],
  ],
  anonymous: [['9.2.0.0/24', 'vpn', 'Example VPN']],
});
const scratch = new WalkScratch(dataset);
const walk = async (request: PrefixRequest) =>
  walkAtOnce(describePrefix(dataset, request, scratch));

/** The same from all runs of the dataset, in bigints. */
function slowly(from: Dataset, { range, length }: PrefixRequest): PrefixContent {
  const { version, start, end } = range;
  const size = end - start + 1n;
  const found = [...from.runs(version)]
    .filter((run) => run.start <= end && run.end >= start)
    .map((run) => {
      const first = run.start < start ? start : run.start;
      const last = run.end > end ? end : run.end;
      return {
        first,
        last,
        size: last - first + 1n,
        record: from.record(fromBigInt(first, version), run.match),
      };
    });
  const announced = found.reduce((sum, part) => sum + part.size, 0n);
  const share = (part: bigint, whole: bigint) =>
    whole === 0n ? 0 : Number((Number(part) / Number(whole)).toPrecision(6));
  const sums = (keysOf: (record: (typeof found)[number]['record']) => readonly string[]) => {
    const map = new Map<string, bigint>();
    for (const part of found)
      for (const key of keysOf(part.record)) map.set(key, (map.get(key) ?? 0n) + part.size);
    return [...map].map(([key, part]) => [key, share(part, announced)] as const);
  };
  const flagsOf = ({ detection }: (typeof found)[number]['record']) =>
    FLAGS.filter((flag) => detection[flag]);
  return {
    prefix: `${formatAddress(fromBigInt(start, version))}/${length}`,
    announced_share: share(announced, size),
    parts: found
      .sort((a, b) => {
        if (a.size === b.size) return a.first > b.first ? 1 : -1;
        return a.size < b.size ? 1 : -1;
      })
      .slice(0, 256)
      .map(({ first, last, size: part, record }) => ({
        first: formatAddress(fromBigInt(first, version)),
        last: formatAddress(fromBigInt(last, version)),
        prefix: record.prefix,
        asn: record.asn,
        asn_name: record.asn_name,
        country: record.country,
        connection_type: record.connection_type,
        flags: flagsOf(record),
        share: share(part, announced),
      })),
    networks: sums(({ asn, asn_name }) => [`${asn} ${asn_name}`]).map(([key, part]) => {
      const [asn = '', ...name] = key.split(' ');
      return { asn: Number(asn), asn_name: name.join(' '), share: part };
    }),
    types: sums(({ connection_type }) => [connection_type]).map(([key, part]) => ({
      connection_type: key as PrefixContent['types'][number]['connection_type'],
      share: part,
    })),
    countries: sums(({ country }) => [country]).map(([country, part]) => ({
      country,
      share: part,
    })),
    flags: sums(flagsOf).map(([flag, part]) => ({
      flag: flag as (typeof FLAGS)[number],
      share: part,
    })),
  };
}

/** The order of equal shares is not compared. */
function comparable(content: PrefixContent): object {
  const sorted = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).sort();
  const { networks, types, countries, flags, ...rest } = content;
  return {
    ...rest,
    networks: sorted(networks),
    types: sorted(types),
    countries: sorted(countries),
    flags: sorted(flags),
  };
}

const PREFIXES = [
  '0.0.0.0/0',
  '128.0.0.0/1',
  '9.0.0.0/8',
  '9.1.1.1/32',
  '9.1.1.0/30',
  '255.255.255.255/32',
  '10.0.0.0/8',
  '::/0',
  '8000::/1',
  '2000::/3',
  '4000::/3',
  '2a00::/12',
  '2a00:0:1::/48',
  'ffff::/16',
  '2a00::/128',
  ...Array.from({ length: 60 }, () => `9.${below(4)}.${below(256)}.${below(256)}/${6 + below(27)}`),
  ...Array.from(
    { length: 60 },
    () => `2a00:${below(3)}:${below(3)}:${below(3)}:8000::/${8 + below(121)}`,
  ),
];

test(`prefix content: of any prefix it is what all runs say (seed ${SEED})`, async () => {
  for (const text of PREFIXES) {
    const request = requirePrefix(text);
    assert.deepEqual(comparable(await walk(request)), comparable(slowly(dataset, request)), text);
  }
});

test('prefix content: the largest come first', async () => {
  const { parts, networks, countries } = await walk(requirePrefix('9.0.0.0/8'));
  for (const rows of [parts, networks, countries]) {
    const shares = rows.map(({ share }) => share);
    assert.deepEqual(
      shares,
      [...shares].sort((a, b) => b - a),
    );
  }
});

test('prefix content: at most 256 parts are listed, and shares count all', async () => {
  const routes = Array.from({ length: 700 }, (_, i): [string, number, string] => [
    `9.${i >> 8}.${i & 255}.0/${i % 7 === 0 ? 25 : 24}`,
    64_496 + (i % 2),
    'Example',
  ]);
  const many = sampleDataset({ routes });
  const request = requirePrefix('9.0.0.0/8');
  const content = walkAtOnce(describePrefix(many, request, new WalkScratch(many)));
  assert.equal(content.parts.length, 256);
  assert.ok(content.parts.every(({ prefix }) => prefix.endsWith('/24')));
  assert.deepEqual(comparable(content), comparable(slowly(many, request)));
});

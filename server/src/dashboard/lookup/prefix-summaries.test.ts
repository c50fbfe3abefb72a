import assert from 'node:assert/strict';
import test from 'node:test';
import { parsePrefix } from '@whence/dataset/prefix';
import { type Sample, sampleDataset } from '@whence/dataset/test/sample-dataset';
import { WalkScratch, walkAtOnce } from '../../lookup/prefix-walk.ts';
import { summarizePrefix } from './prefix-summaries.ts';

async function summary(sample: Sample, prefix: string) {
  const range = parsePrefix(prefix);
  assert.ok(range);
  const dataset = sampleDataset(sample);
  const length = Number(prefix.split('/')[1]);
  return walkAtOnce(summarizePrefix(dataset, { range, length }, new WalkScratch(dataset)));
}

test('prefix summary: above 256 parts the sums still cover all of it', async () => {
  const tor = Array.from({ length: 1_000 }, (_, i): [string, string] => [
    `8.${i % 128}.${Math.floor(i / 128)}.7/32`,
    'Exit',
  ]);
  const { parts, part_count, size, announced, networks, flags, threat_levels } = await summary(
    { routes: [['8.0.0.0/9', 64500, 'Example']], tor },
    '8.0.0.0/8',
  );
  assert.equal(parts.length, 256);
  assert.ok(part_count > 2_000, String(part_count));
  assert.deepEqual([size, announced, networks[0]?.addresses], [2 ** 24, 2 ** 23, 2 ** 23]);
  assert.equal(flags.find(({ value }) => value === 'is_tor_exit')?.addresses, 1_000);
  assert.equal(
    threat_levels.reduce((sum, { addresses }) => sum + addresses, 0),
    announced,
  );
});

test('prefix summary: parts name the scanner', async () => {
  const { parts } = await summary(
    {
      routes: [['8.8.0.0/16', 64500, 'Example']],
      named: [['8.8.8.0/24', 'scanner', 'Example Scans']],
    },
    '8.8.8.0/23',
  );
  assert.deepEqual(
    parts.map(({ first, scanner }) => [first, scanner]),
    [
      ['8.8.8.0', 'Example Scans'],
      ['8.8.9.0', undefined],
    ],
  );
});

for (const [behaviour, prefix, want] of [
  ['IPv4 is counted in addresses', '8.8.8.0/24', ['addresses', 256, 256]],
  ['IPv6 is counted in /64s', '2001:4860::/48', ['slash64s', 65_536, 65_536]],
  ['a /64 is one', '2001:4860::/64', ['slash64s', 1, 1]],
  ['less than a /64 is counted in addresses', '2001:4860::/120', ['addresses', 256, 256]],
] as const) {
  test(`prefix summary: ${behaviour}`, async () => {
    const routes = [
      ['8.8.0.0/16', 64500, 'Example'],
      ['2001:4860::/32', 64500, 'Example'],
    ] as const;
    const { unit, size, announced, networks } = await summary({ routes }, prefix);
    assert.deepEqual([unit, size, announced], want);
    assert.equal(networks[0]?.addresses, announced);
  });
}

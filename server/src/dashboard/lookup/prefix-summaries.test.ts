import assert from 'node:assert/strict';
import test from 'node:test';
import { type Sample, sampleDataset } from '@whence/dataset/internal/test/sample-dataset';
import { parsePrefix } from '@whence/dataset/prefix';
import { WalkScratch } from '../../lookup/prefix-walk.ts';
import { summarizePrefix } from './prefix-summaries.ts';

async function summary(sample: Sample, prefix: string) {
  const range = parsePrefix(prefix);
  assert.ok(range);
  const dataset = sampleDataset(sample);
  const length = Number(prefix.split('/')[1]);
  return summarizePrefix(dataset, { range, length }, new WalkScratch(dataset), () => undefined);
}

test('prefix summary: above 256 parts the map and the sums still cover all of it', async () => {
  const tor = Array.from({ length: 1_000 }, (_, i): [string, string] => [
    `8.${i % 128}.${Math.floor(i / 128)}.7/32`,
    'Exit',
  ]);
  const { parts, part_count, size, announced, cells, networks, flags, threat_levels } = await summary(
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
  assert.equal(cells.length, 256);
  const drawn = cells.reduce((sum, cell) => sum + cell.announced, 0) / cells.length;
  assert.equal(drawn, announced / size, 'the map shows the share that the sentence states');
  assert.deepEqual([cells[0]?.announced, cells[127]?.announced, cells[128]?.announced], [1, 1, 0]);
});

for (const [behaviour, prefix, want] of [
  ['half of a cell', '8.8.0.0/15', [0.5, 128]],
  ['all of an IPv6 prefix', '2001:4860::/33', [1, 256]],
  ['a prefix of four addresses has four cells', '8.8.8.0/30', [1, 4]],
  ['a single address', '8.8.8.8/32', [1, 1]],
  ['nothing', '9.0.0.0/16', [0, 0]],
] as const) {
  test(`prefix summary: the map of ${behaviour}`, async () => {
    const routes = [
      ['8.8.0.0/16', 64500, 'Example'],
      ['2001:4860::/32', 64500, 'Example'],
    ] as const;
    const { cells } = await summary({ routes }, prefix);
    const drawn = cells.reduce((sum, { announced }) => sum + announced, 0) / cells.length;
    assert.deepEqual([drawn, cells.filter(({ level }) => level !== undefined).length], want);
  });
}

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

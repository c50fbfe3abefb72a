import assert from 'node:assert/strict';
import test from 'node:test';
import { parsePrefix } from '@whence/dataset/prefix';
import { type Sample, sampleDataset } from '@whence/dataset/sample-dataset';
import { summarizePrefix } from './prefix-summary.ts';

async function summary(sample: Sample, prefix: string) {
  const range = parsePrefix(prefix);
  assert.ok(range);
  return summarizePrefix(sampleDataset(sample), range, () => undefined);
}

test('prefix: above 256 parts the map and the sums still cover all of it', async () => {
  const tor = Array.from({ length: 1_000 }, (_, i): [string, string] => [
    `8.${i % 128}.${Math.floor(i / 128)}.7/32`,
    'Exit',
  ]);
  const { parts, part_count, size, counted, announced, cells, networks } = await summary(
    { routes: [['8.0.0.0/9', 64500, 'Example']], tor },
    '8.0.0.0/8',
  );
  assert.equal(parts.length, 256);
  assert.ok(part_count > 1_000, String(part_count));
  assert.deepEqual([size, counted, announced, networks[0]?.addresses], [2 ** 24, 2 ** 24, 2 ** 23, 2 ** 23]);
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
  test(`prefix map: ${behaviour}`, async () => {
    const routes = [
      ['8.8.0.0/16', 64500, 'Example'],
      ['2001:4860::/32', 64500, 'Example'],
    ] as const;
    const { cells } = await summary({ routes }, prefix);
    const drawn = cells.reduce((sum, { announced }) => sum + announced, 0) / cells.length;
    assert.deepEqual([drawn, cells.filter(({ level }) => level !== undefined).length], want);
  });
}

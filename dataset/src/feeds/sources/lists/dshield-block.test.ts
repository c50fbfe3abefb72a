import assert from 'node:assert/strict';
import test from 'node:test';
import { bytesContent } from '../../../io/content.ts';
import { parseDshieldBlock } from './line-lists.ts';

test('dshield-block: ranges; header and comments are ignored, other lines count as skipped', () => {
  const { ranges, records, skipped } = parseDshieldBlock(
    bytesContent(
      '# primary URL\nStart\tEnd\tNetmask\tAttacks\n192.0.2.0\t192.0.2.255\t24\t1234\tEXAMPLE\tZZ\t\nno address\n',
    ),
  );
  assert.deepEqual(
    [records, skipped, ranges[4].starts, ranges[4].ends],
    [1, 1, [0xc0000200n], [0xc00002ffn]],
  );
});

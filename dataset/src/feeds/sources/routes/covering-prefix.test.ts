import assert from 'node:assert/strict';
import test from 'node:test';
import { formatPrefix, fromBigInt, prefixesOfRange } from '../../../prefix.ts';
import { ranges } from '../../../test/sample-dataset.ts';
import { withCoveringPrefixes } from './covering-prefix.ts';

function covered(rows: readonly (readonly [range: string, asn: number])[]): string[] {
  const { starts, ends, values } = withCoveringPrefixes(ranges(rows)[6], 6);
  return [...starts.keys()]
    .flatMap((row) =>
      [...prefixesOfRange(starts[row] as bigint, ends[row] as bigint, 128)].map(
        ([base, length]) => `${formatPrefix(fromBigInt(base, 6), length)} ${values[row]}`,
      ),
    )
    .sort();
}

const range = (first: string, last: string) => `${first}::-${last}:ffff:ffff:ffff:ffff:ffff:ffff`;
const hole = (prefix: string) => `${prefix}-${prefix.replace('::', '')}:ffff:ffff:ffff:ffff:ffff`;

for (const [behaviour, rows, want] of [
  ['a range that is a prefix', [['2001:db8::/32', 1]], ['2001:db8::/32 1']],
  [
    'the rest of a prefix around a part of another network',
    [
      ['2001:db8::-2001:db8:4:ffff:ffff:ffff:ffff:ffff', 1],
      [hole('2001:db8:5::'), 2],
      ['2001:db8:6::-2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', 1],
    ],
    ['2001:db8::/32 1', '2001:db8:5::/48 2'],
  ],
  [
    'a gap means that the prefix around it is not announced',
    [
      ['2001:db8::-2001:db8:4:ffff:ffff:ffff:ffff:ffff', 1],
      ['2001:db8:6::-2001:db8:7:ffff:ffff:ffff:ffff:ffff', 1],
    ],
    ['2001:db8::/46 1', '2001:db8:4::/48 1', '2001:db8:6::/47 1'],
  ],
  [
    'neighbours of another network do not belong to it',
    [
      ['2001:db8::-2001:db8:2:ffff:ffff:ffff:ffff:ffff', 1],
      ['2001:db8:3::-2001:db8:7:ffff:ffff:ffff:ffff:ffff', 2],
    ],
    ['2001:db8::/45 2', '2001:db8::/47 1', '2001:db8:2::/48 1'],
  ],
  [
    'a row keeps its network inside a narrower prefix of another one',
    [
      ['2001:db8::-2001:db8:b:ffff:ffff:ffff:ffff:ffff', 1],
      ['2001:db8:c::-2001:db8:e:ffff:ffff:ffff:ffff:ffff', 2],
      ['2001:db8:f::-2001:db8:1f:ffff:ffff:ffff:ffff:ffff', 1],
    ],
    ['2001:db8::/43 1', '2001:db8:c::/47 2', '2001:db8:e::/48 2'],
  ],
  [
    'a part of a wide prefix inside a narrower prefix of another network',
    [
      ['2001:db8::-2001:db8:b:ffff:ffff:ffff:ffff:ffff', 1],
      [hole('2001:db8:c::'), 1],
      ['2001:db8:d::-2001:db8:f:ffff:ffff:ffff:ffff:ffff', 2],
    ],
    ['2001:db8::/44 1', '2001:db8:c::/46 2', '2001:db8:c::/48 1'],
  ],
  [
    'joined /32s that begin on no boundary',
    [[range('2a01:4f9', '2a01:4fa'), 1]],
    ['2a01:4f9::/32 1', '2a01:4fa::/32 1'],
  ],
] as const)
  test(`covering prefix: ${behaviour}`, () => assert.deepEqual(covered(rows), [...want].sort()));

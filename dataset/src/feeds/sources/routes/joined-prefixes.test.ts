import assert from 'node:assert/strict';
import test from 'node:test';
import { formatPrefix, fromBigInt, prefixesOfRange } from '../../../prefix.ts';
import { ranges } from '../../../test/sample-dataset.ts';
import { withoutJoinedPrefixes } from './covering-prefix.ts';

for (const [behaviour, range, want] of [
  ['a /31 is two /32s', '2001:db8::/31', ['2001:db8::/32', '2001:db9::/32']],
  ['a /47 is two /48s', '2001:db8:2::/47', ['2001:db8:2::/48', '2001:db8:3::/48']],
  ['a /29 is announced as such', '2001:db8::/29', ['2001:db8::/29']],
  ['a /48 is announced as such', '2001:db8:2::/48', ['2001:db8:2::/48']],
  [
    'a range of several prefixes stays one row',
    '2001:db8::-2001:dba:ffff:ffff:ffff:ffff:ffff:ffff',
    ['2001:db8::/31', '2001:dba::/32'],
  ],
] as const)
  test(`joined prefixes: ${behaviour}`, () => {
    const { starts, ends, values } = withoutJoinedPrefixes(ranges([[range, 64496]])[6]);
    const prefixes = values.flatMap((_, row) =>
      [...prefixesOfRange(starts[row] as bigint, ends[row] as bigint, 128)].map(([base, length]) =>
        formatPrefix(fromBigInt(base, 6), length),
      ),
    );
    assert.deepEqual(prefixes, want);
  });

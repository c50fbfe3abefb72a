import assert from 'node:assert/strict';
import test from 'node:test';
import { fixture, NO_FIXTURES } from '@whence/testing/fixtures';
import { bytesContent, fileContent } from '../../../io/content.ts';
import { labelsOf, listed } from '../../../test/listed.ts';
import { parseIpCount } from './line-lists.ts';

test('ip-count: the count is the label, the date is in the header', () => {
  const read = parseIpCount(
    bytesContent(
      '# Last update: Sat, 22 Aug 2026 03:00:29 +0200\n#\n192.0.2.1\t10\n192.0.2.2\t1\n192.0.2.3 1\n',
    ),
  );
  assert.deepEqual(listed(read), ['192.0.2.1/32 10', '192.0.2.2/32 1', '192.0.2.3/32 1']);
  assert.deepEqual(read.labels, ['10', '1']);
  assert.deepEqual([read.skipped, read.asOf], [0, '2026-08-22']);
});

test('ip-count: without a count the label is empty; an invalid count or a third column counts as skipped', () => {
  const read = parseIpCount(
    bytesContent('192.0.2.1\n192.0.2.2\tmany\n192.0.2.3\t1\tx\nexample.com\t3\n192.0.2.4\t-1\n'),
  );
  assert.deepEqual(listed(read), ['192.0.2.1/32']);
  assert.equal(read.skipped, 4);
});

const ipsum = fixture('threat/ipsum.half-a.txt');
test('ip-count: ipsum', { skip: ipsum === undefined && NO_FIXTURES }, () => {
  const read = parseIpCount(fileContent(ipsum as string));
  assert.deepEqual([read.records, read.skipped, read.asOf], [60120, 0, '2026-08-22']);
  assert.deepEqual(labelsOf(read, '77.90.185.20'), ['10']);
  assert.ok(read.labels.every((label) => /^([1-9]|10)$/.test(label)));
});

import assert from 'node:assert/strict';
import test from 'node:test';
import { fixture, NO_FIXTURES } from '@whence/testing/fixtures';
import { bytesContent, fileContent } from '../../../io/content.ts';
import { labelsOf, listed } from '../../../test/listed.ts';
import { parseNdjsonDrop } from './line-lists.ts';

const METADATA = '{"type":"metadata","timestamp":1744682874,"size":1,"records":2}\n';

test('ndjson-drop: the listing is the label, the last line has the date', () => {
  const read = parseNdjsonDrop(
    bytesContent(
      `{"cidr":"192.0.2.0/24","sblid":"SBL1","rir":"arin"}\n\n{"cidr":"2001:db8::/32"}\n{"cidr":5}\n{"cidr":\n[]\n${METADATA}`,
    ),
  );
  assert.deepEqual(listed(read), ['192.0.2.0/24 SBL1', '2001:db8::/32']);
  assert.deepEqual([read.skipped, read.asOf], [3, '2025-04-15']);
});

test('ndjson-drop: metadata without a time does not count as skipped', () => {
  const read = parseNdjsonDrop(
    bytesContent('{"cidr":"192.0.2.0/24","sblid":"SBL1"}\n{"type":"metadata"}'),
  );
  assert.deepEqual([read.records, read.skipped, read.asOf], [1, 0, undefined]);
});

const drop = fixture('threat/spamhaus-drop_v4.2025-04-15.json');
test('ndjson-drop: Spamhaus DROP', { skip: drop === undefined && NO_FIXTURES }, () => {
  const read = parseNdjsonDrop(fileContent(drop as string));
  assert.deepEqual([read.records, read.skipped, read.asOf], [1406, 0, '2025-04-15']);
  assert.deepEqual(labelsOf(read, '1.10.16.1'), ['SBL256894']);
});

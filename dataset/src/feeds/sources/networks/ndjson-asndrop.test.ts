import assert from 'node:assert/strict';
import test from 'node:test';
import { fixture, NO_FIXTURES } from '@whence/testing/fixtures';
import { bytesContent, fileContent } from '../../../io/content.ts';
import { parseNdjsonAsndrop } from './network-list.ts';

const METADATA = '{"type":"metadata","timestamp":1744682874,"size":1,"records":2}\n';

test('ndjson-asndrop: rows without a number are skipped, and the metadata has the date', () => {
  const read = parseNdjsonAsndrop(
    bytesContent(
      `{"asn":64496,"rir":"arin","domain":"example.com","cc":"US","asname":"EXAMPLE-AS"}
{"asn":64497,"domain":"example.org","asname":""}
{"asn":64498,"asname":null}
{"asn":"x","asname":"X"}
not JSON
${METADATA}`,
    ),
  );
  assert.deepEqual([...read.networks], [64496, 64497, 64498]);
  assert.deepEqual([read.skipped, read.asOf], [2, '2025-04-15']);
});

const asnDrop = fixture('format-samples/spamhaus-asndrop.json');
test('ndjson-asndrop: the sample', { skip: asnDrop === undefined && NO_FIXTURES }, () => {
  const read = parseNdjsonAsndrop(fileContent(asnDrop as string));
  assert.deepEqual([...read.networks], [245]);
  assert.deepEqual([read.skipped, read.asOf], [0, '2026-07-23']);
});

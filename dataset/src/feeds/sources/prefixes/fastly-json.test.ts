import assert from 'node:assert/strict';
import test from 'node:test';
import { fixture, NO_FIXTURES } from '@whence/testing/fixtures';
import { bytesContent, fileContent } from '../../../io/content.ts';
import { listed } from '../../../test/listed.ts';
import { parseFastlyJson } from './json-lists.ts';

test('fastly-json: both lists', () => {
  const read = parseFastlyJson(
    bytesContent(
      '{"addresses":["192.0.2.0/24","192.0.2.0/24",5],"ipv6_addresses":["2001:db8::/32"]}',
    ),
  );
  assert.deepEqual(listed(read), ['192.0.2.0/24', '2001:db8::/32']);
  assert.equal(read.skipped, 1);
});

test('fastly-json: another document is refused', () => {
  const text = '{"message":"rate limit","__proto__":{"addresses":[]}}';
  assert.throws(
    () => parseFastlyJson(bytesContent(text)),
    new Error('not Fastly\'s list of addresses: no "addresses" list'),
  );
});

const fastly = fixture('cloud/fastly-public-ip-list.json');
test('fastly-json: public-ip-list', { skip: fastly === undefined && NO_FIXTURES }, () => {
  const read = parseFastlyJson(fileContent(fastly as string));
  assert.deepEqual([read.ranges[4].length, read.ranges[6].length, read.skipped], [19, 2, 0]);
});

import assert from 'node:assert/strict';
import test from 'node:test';
import { fixture, NO_FIXTURES } from '@whence/testing/fixtures';
import { bytesContent, fileContent } from '../../../io/content.ts';
import { labelsOf, listed } from '../../../test/listed.ts';
import { parseIpcatCsv } from './line-lists.ts';

test('ipcat-csv: ranges with a name, in quotes where it has a comma', () => {
  const read = parseIpcatCsv(
    bytesContent(
      '192.0.2.0,192.0.2.255,"Name, Inc.",https://example.com\n198.51.100.1,198.51.100.6,Name,\n198.51.100.9,198.51.100.1,Name,\nx\n',
    ),
  );
  assert.deepEqual(listed(read), ['192.0.2.0/24 Name, Inc.', '198.51.100.1-198.51.100.6 Name']);
  assert.equal(read.skipped, 2);
});

const ipcat = fixture('hosting/ipcat-datacenters.csv');
test('ipcat-csv: datacenters.csv', { skip: ipcat === undefined && NO_FIXTURES }, () => {
  const read = parseIpcatCsv(fileContent(ipcat as string));
  assert.deepEqual([read.records, read.skipped], [3429, 0]);
  assert.deepEqual(labelsOf(read, '3.1.255.255'), ['Amazon AWS']);
  assert.deepEqual(labelsOf(read, '64.5.32.0'), ['ThePlanet.com Internet Services, Inc.']);
});

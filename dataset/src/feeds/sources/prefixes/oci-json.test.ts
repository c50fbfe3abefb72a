import assert from 'node:assert/strict';
import test from 'node:test';
import { fixture, NO_FIXTURES } from '@whence/testing/fixtures';
import { bytesContent, fileContent } from '../../../io/content.ts';
import { labelsOf, listed } from '../../../test/listed.ts';
import { parseOciJson } from './json-lists.ts';

test('oci-json: prefixes by region, and the date', () => {
  const read = parseOciJson(
    bytesContent(
      JSON.stringify({
        last_updated_timestamp: '2025-07-21T07:13:25.457838',
        regions: [
          {
            region: 'us-ashburn-1',
            cidrs: [{ cidr: '192.0.2.0/24', tags: ['OCI'] }, { cidr: '192.0.2.0/24' }, {}],
          },
          { region: 'uk-london-1', cidrs: [{ cidr: '198.51.100.0/24' }] },
          { region: 'x' },
        ],
      }),
    ),
  );
  assert.deepEqual(listed(read), ['192.0.2.0/24 us-ashburn-1', '198.51.100.0/24 uk-london-1']);
  assert.deepEqual([read.skipped, read.asOf], [2, '2025-07-21']);
});

test('oci-json: another document is refused', () => {
  const text = '{"message":"rate limit","__proto__":{"regions":[]}}';
  assert.throws(
    () => parseOciJson(bytesContent(text)),
    new Error('not Oracle\'s public_ip_ranges file: no "regions" list'),
  );
});

const oracle = fixture('cloud/oracle-public_ip_ranges.json');
test('oci-json: public_ip_ranges.json', { skip: oracle === undefined && NO_FIXTURES }, () => {
  const read = parseOciJson(fileContent(oracle as string));
  assert.deepEqual(
    [read.records, read.skipped, read.labels.length, read.asOf],
    [896, 0, 45, '2025-07-21'],
  );
  assert.deepEqual(labelsOf(read, '129.80.1.1'), ['us-ashburn-1']);
});

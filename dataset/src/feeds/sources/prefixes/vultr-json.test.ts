import assert from 'node:assert/strict';
import test from 'node:test';
import { bytesContent } from '../../../io/content.ts';
import { listed } from '../../../test/listed.ts';
import { parseVultrJson } from './json-lists.ts';

test('vultr-json: the country is the label; the date', () => {
  const read = parseVultrJson(
    bytesContent(
      JSON.stringify({
        description: 'x',
        asn: 64496,
        updated: '2025-05-09T01:21:09Z',
        subnets: [
          { ip_prefix: '192.0.2.0/24', alpha2code: 'us', region: 'US-NJ', city: 'Piscataway', postal_code: '08854' },
          { ip_prefix: '2001:db8::/32', alpha2code: '', region: '' },
          { ip_prefix: 'x', alpha2code: 'DE' },
        ],
      }),
    ),
  );
  assert.deepEqual(listed(read), ['192.0.2.0/24 US', '2001:db8::/32']);
  assert.deepEqual([read.skipped, read.asOf], [1, '2025-05-09']);
});

test('vultr-json: another document is refused', () => {
  const text = '{"message":"rate limit","__proto__":{"subnets":[]}}';
  assert.throws(() => parseVultrJson(bytesContent(text)), new Error('not Vultr\'s geofeed: no "subnets" list'));
});

import assert from 'node:assert/strict';
import test from 'node:test';
import { bytesContent } from '../../../io/content.ts';
import { listed } from '../../../test/listed.ts';
import { parsePeeringdbIx } from '../names/names-csv.ts';
import { parsePeeringdbIxpfx } from './json-lists.ts';

const json = (data: unknown) => bytesContent(JSON.stringify({ data, meta: {} }));

test('peeringdb-ixpfx: prefixes with the number of their exchange', () => {
  const read = parsePeeringdbIxpfx(
    json([
      { id: 1, ixlan_id: 26, protocol: 'IPv4', prefix: '192.0.2.0/24', in_dfz: false, status: 'ok' },
      { id: 2, ixlan_id: 26, protocol: 'IPv6', prefix: '2001:db8:1::/64' },
      { id: 3, ixlan_id: 27, prefix: '198.51.100.0/24', status: 'deleted' },
      { id: 4, prefix: '203.0.113.0/24' },
      { id: 5, ixlan_id: 26, prefix: 'none' },
      null,
    ]),
  );
  assert.deepEqual(listed(read), ['192.0.2.0/24 26', '2001:db8:1::/64 26']);
  assert.deepEqual([read.records, read.skipped], [2, 3]);
});

test('peeringdb-ix: names by number', () => {
  const read = parsePeeringdbIx(json([{ id: 26, name: 'AMS-IX' }, { id: 27, name: '' }, { name: 'x' }, 5]));
  assert.deepEqual([[...read.names], read.records, read.skipped], [[['26', 'AMS-IX']], 1, 3]);
});

for (const parse of [parsePeeringdbIxpfx, parsePeeringdbIx]) {
  test(`${parse.name}: another document is refused`, () => {
    assert.throws(() => parse(bytesContent('{"message":"Request was throttled."}')), /not a PeeringDB list of/);
  });
}

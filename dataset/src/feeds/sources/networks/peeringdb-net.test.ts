import assert from 'node:assert/strict';
import test from 'node:test';
import { fixture, NO_FIXTURES } from '@whence/testing/fixtures';
import { bytesContent, fileContent } from '../../../io/content.ts';
import { listedNetworks } from '../../../test/listed.ts';
import { parsePeeringdbNet } from './network-list.ts';

for (const [behaviour, network, want] of [
  ['an access network', { info_type: 'Cable/DSL/ISP' }, 'AS64496 Cable/DSL/ISP (residential)'],
  ['servers', { info_type: 'Content', info_types: ['Content'] }, 'AS64496 Content (datacenter)'],
  ['a university', { info_type: 'Educational/Research' }, 'AS64496 Educational/Research (education)'],
  ['a company', { info_type: 'Enterprise' }, 'AS64496 Enterprise (business)'],
  ['a government', { info_type: 'Government' }, 'AS64496 Government (business)'],
  ['a non-profit', { info_type: 'Non-Profit' }, 'AS64496 Non-Profit (business)'],
  ['a carrier has no connection type', { info_type: 'NSP', info_types: ['NSP'] }, 'AS64496 NSP'],
  ['nothing disclosed', { info_type: '', info_types: [] }, 'AS64496'],
  [
    'of several types access comes first, in any order',
    { info_type: 'Enterprise', info_types: ['Enterprise', 'Content', 'Cable/DSL/ISP'] },
    'AS64496 Enterprise (residential)',
  ],
  [
    'several types, one of which gives a connection type',
    { info_type: 'NSP', info_types: ['NSP', 'Content'] },
    'AS64496 NSP (datacenter)',
  ],
  ['only the newer list', { info_types: ['Government', 5, null] }, 'AS64496 Government (business)'],
] as const) {
  test(`peeringdb-net: ${behaviour}`, () => {
    const read = parsePeeringdbNet(bytesContent(JSON.stringify({ data: [{ asn: 64496, ...network }] })));
    assert.deepEqual(listedNetworks(read), [want]);
  });
}

test('peeringdb-net: entries that cannot be parsed are counted; another document is refused', () => {
  const read = parsePeeringdbNet(bytesContent('{"data":[{"info_type":"NSP"},null,{"asn":-1},{"asn":0}],"meta":{}}'));
  assert.deepEqual([read.records, read.skipped], [0, 3]);
  assert.throws(
    () => parsePeeringdbNet(bytesContent('{"message":"Request was throttled."}')),
    new Error('not a PeeringDB list of networks: no "data" list'),
  );
});

const peeringdb = fixture('nettype/peeringdb-net.page-1.json');
test('peeringdb-net: a page of the real answer', { skip: peeringdb === undefined && NO_FIXTURES }, () => {
  const read = parsePeeringdbNet(fileContent(peeringdb as string));
  assert.deepEqual([read.records, read.skipped], [250, 0]);
  const roles = new Map<string | undefined, number>();
  for (const { role } of read.networks.values()) roles.set(role, (roles.get(role) ?? 0) + 1);
  assert.deepEqual(Object.fromEntries(roles), {
    undefined: 111,
    residential: 77,
    datacenter: 40,
    education: 18,
    business: 4,
  });
  assert.deepEqual(read.networks.get(4436), { label: 'NSP' });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IpRecord } from '@whence/client/wire';
import type { BatchRow } from './batch-run.ts';
import { batchVerdict } from './batch-verdict.ts';
import { facetOf, matches } from './filter-rows.ts';

function row(ip: string, asn: number, country: string, isTor = false): BatchRow {
  const record: IpRecord = {
    ip,
    prefix: '192.0.2.0/24',
    asn,
    asn_name: `Network ${asn}`,
    country,
    rir: 'RIPE',
    connection_type: 'business',
    detection: {
      is_datacenter: false,
      is_tor_exit: isTor,
      is_proxy: false,
      is_vpn: false,
      is_residential: false,
      is_mobile: false,
      is_ai_crawler: false,
    },
    threat: isTor ? { score: 50, level: 'high' } : { score: 0, level: 'low' },
  };
  return { ip, times: 1, record };
}
const rows = [
  row('192.0.2.1', 64496, 'DE'),
  row('192.0.2.2', 64496, 'DE', true),
  row('192.0.2.3', 64497, 'FR'),
  { ip: '192.0.2.4', times: 1, refusal: 'no data found for IP' },
];
const matching = (filter: Parameters<typeof matches>[1]) =>
  rows.filter((one) => matches(one, filter)).length;

test('batch filter: without one, all rows match', () => assert.equal(matching({}), 4));
test('batch filter: all filters must match', () =>
  assert.equal(matching({ country: 'DE', flag: 'is_tor_exit' }), 1));
test('batch filter: text is searched in address and network', () => {
  assert.equal(matching({ q: '2.4' }), 1);
  assert.equal(matching({ q: 'NETWORK 64497' }), 1);
});
test('batch verdict: whose, where, and what is among them', () => {
  const found = '4 addresses of 2 networks in 2 countries: 1 Tor exit, 1 high.';
  assert.equal(batchVerdict(rows), found);
  assert.equal(
    batchVerdict(rows.slice(0, 1), 'Threat not known.'),
    '1 address of 1 network in 1 country. Threat not known.',
  );
});
test('batch facet: the most frequent first', () => {
  assert.deepEqual(facetOf(rows, 'country', {}).values, [
    { key: 'DE', name: 'DE', amount: 2 },
    { key: 'FR', name: 'FR', amount: 1 },
  ]);
});
test('batch facet: a low score that is not complete is not known, others keep their level', () => {
  const [first, tor] = rows;
  const withGap = [first, tor].map((one) => ({
    ...one,
    ip: one?.ip ?? '',
    times: 1,
    ...(one?.record && { record: { ...one.record, threat_gap: 'is_tor_exit' } as const }),
  }));
  const keys = facetOf(withGap, 'level', {}).values.map(({ key }) => key);
  assert.deepEqual(keys.sort(), ['high', 'unknown']);
});
test('batch facet: its own filter does not apply to it, the others do', () => {
  assert.equal(facetOf(rows, 'country', { country: 'FR' }).values.length, 2);
  assert.equal(facetOf(rows, 'country', { network: '64497' }).values.length, 1);
});

for (const facet of ['country', 'network', 'type', 'level'] as const)
  test(`batch facet: the values of ${facet} add up to the rows with a record`, () => {
    const { values, total } = facetOf(rows, facet, {});
    assert.equal(
      values.reduce((sum, { amount }) => sum + amount, 0),
      total,
    );
    assert.equal(total, 3);
  });

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IpRecord } from '@whence/client/wire';
import { judgeEvidence, namesIn } from './evidence-rows.ts';

const record = {
  asn: 64496,
  country: 'DE',
  rir: 'RIPE',
  connection_type: 'datacenter',
  detection: { is_tor_exit: true, is_vpn: false } as IpRecord['detection'],
} as const;

for (const [behaviour, rows, want] of [
  ['a single row decides', [['country', 'DE', 'dbip']], ['country DE dbip']],
  [
    'the winner comes first, also if it is listed last',
    [
      ['country', 'US', 'dbip'],
      ['country', 'DE', 'geofeed'],
    ],
    ['country DE geofeed', 'country US dbip: geofeed comes first'],
  ],
  [
    'a source that says the same has not lost',
    [
      ['country', 'DE', 'geofeed'],
      ['country', 'DE', 'dbip'],
    ],
    ['country DE geofeed', 'country DE dbip'],
  ],
  [
    'a registration is no country of use',
    [
      ['country', 'DE', 'dbip'],
      ['country', 'NL', 'delegated-ripencc'],
    ],
    ['country DE dbip', 'country NL delegated-ripencc: registered there, used elsewhere'],
  ],
  [
    'overrides come first',
    [
      ['connection_type', 'datacenter', 'overrides'],
      ['connection_type', 'business', 'networks'],
    ],
    [
      'connection_type datacenter overrides',
      'connection_type business networks: your overrides come first',
    ],
  ],
  [
    'another origin of the prefix',
    [
      ['asn', 64496, 'routes'],
      ['asn', 64497, 'routes'],
    ],
    ['asn 64496 routes', 'asn 64497 routes: fewer routing peers see this network as the origin'],
  ],
  [
    'contributions to the score do not contradict each other',
    [
      ['threat.score', 30, 'drop'],
      ['threat.score', 10, 'blocklist-de'],
    ],
    ['threat.score 30 drop', 'threat.score 10 blocklist-de'],
  ],
  [
    'a flag that is used and adds no points has not lost',
    [
      ['is_tor_exit', true, 'tor-blocks', 'list of 2024-02-27, too old to count'],
      ['threat.score', 0, 'tor-blocks', 'list of 2024-02-27, too old to count'],
      ['is_vpn', false, 'x4b', 'what names the address itself comes first'],
    ],
    ['is_tor_exit true tor-blocks', 'threat.score 0 tor-blocks', 'is_vpn false x4b'],
  ],
  [
    'a list that is too old has lost where another sets the flag',
    [
      ['is_tor_exit', true, 'tor-exits'],
      ['is_tor_exit', false, 'old', 'list of 2024-02-27, too old to count'],
    ],
    ['is_tor_exit true tor-exits', 'is_tor_exit false old: list of 2024-02-27, too old to count'],
  ],
  [
    'a name that overrides removed is gone from the answer',
    [
      ['cloud_provider', '', 'overrides'],
      ['cloud_provider', 'Azure', 'azure'],
    ],
    ['cloud_provider  overrides', 'cloud_provider Azure azure: your overrides come first'],
  ],
] as const) {
  test(`evidence: ${behaviour}`, () => {
    const evidence = rows.map(([field, value, source, note]) => ({
      field,
      value,
      source,
      ...(note !== undefined && { note }),
    }));
    const judged = judgeEvidence(record, evidence).map(
      ({ row: { field, value, source }, overruled }) =>
        `${field} ${value} ${source}${overruled === undefined ? '' : `: ${overruled}`}`,
    );
    assert.deepEqual(judged, want);
  });
}

test('evidence: names that only the evidence has, each once', () => {
  const rows = [
    { field: 'crawler', value: 'Googlebot' },
    { field: 'crawler', value: 'Googlebot' },
    { field: 'relay', value: '' },
  ];
  assert.deepEqual([namesIn(rows, 'crawler'), namesIn(rows, 'relay')], [['Googlebot'], []]);
});

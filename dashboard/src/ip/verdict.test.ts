import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Detection, IpRecord } from '@whence/client/wire';
import type { DatasetLimits } from '@whence/server/dashboard-wire/lookups';
import { verdict } from './verdict.ts';

const nothing: Detection = {
  is_datacenter: false,
  is_tor_exit: false,
  is_proxy: false,
  is_vpn: false,
  is_residential: false,
  is_mobile: false,
  is_ai_crawler: false,
};

function record(
  change: Partial<Omit<IpRecord, 'detection'>> & { detection?: Partial<Detection> },
): IpRecord {
  return {
    ip: '192.0.2.1',
    prefix: '192.0.2.0/24',
    asn: 64496,
    asn_name: 'Example GmbH',
    country: 'DE',
    rir: 'RIPE',
    connection_type: 'business',
    threat: { score: 0, level: 'low' },
    ...change,
    detection: { ...nothing, ...change.detection },
  };
}
const KNOWN: DatasetLimits = { unknown: [], dated: [] };
const NOW = Date.parse('2026-11-16T05:00:00Z');
const scored = (sources: readonly string[]) =>
  sources.map((source) => ({ field: 'threat.score', value: 10, source, as_of: '2026-11-15' }));

const high = { score: 60, level: 'high' } as const;

for (const [behaviour, subject, sources, want] of [
  ['a business', record({}), [], 'Business network of Example GmbH in Germany. No known abuse.'],
  [
    'a datacenter with its small base score',
    record({ connection_type: 'datacenter', threat: { score: 5, level: 'low' } }),
    ['networks'],
    'Datacenter of Example GmbH in Germany. No reported abuse.',
  ],
  [
    'an article',
    record({ country: 'US' }),
    [],
    'Business network of Example GmbH in the United States. No known abuse.',
  ],
  [
    'an unknown country',
    record({ country: 'ZZ' }),
    [],
    'Business network of Example GmbH. No known abuse.',
  ],
  [
    'a Tor exit comes before its datacenter',
    record({ connection_type: 'datacenter', detection: { is_tor_exit: true }, threat: high }),
    ['tor-blocks', 'networks'],
    'Tor exit in Germany: high risk.',
  ],
  [
    'lists are counted once each',
    record({ connection_type: 'residential', threat: high }),
    ['drop', 'drop', 'blocklist-de'],
    'Home connection of Example GmbH in Germany, on two blocklists: high risk.',
  ],
  [
    'a listing with a low score is mentioned',
    record({ connection_type: 'mobile', threat: { score: 10, level: 'low' } }),
    ['drop'],
    'Mobile connection of Example GmbH in Germany, on one blocklist: low risk.',
  ],
  [
    'a crawler by its company',
    record({ detection: { is_ai_crawler: true, ai_company: 'OpenAI' } }),
    [],
    'Crawler of OpenAI in Germany. No known abuse.',
  ],
  [
    'a cloud that is not named like its network',
    record({ connection_type: 'datacenter', detection: { cloud_provider: 'Azure' } }),
    [],
    'Azure, datacenter of Example GmbH in Germany. No known abuse.',
  ],
  [
    'a cloud that is named like its network is mentioned once',
    record({
      asn_name: 'Google LLC',
      connection_type: 'datacenter',
      detection: { cloud_provider: 'Google Cloud' },
    }),
    [],
    'Datacenter of Google LLC in Germany. No known abuse.',
  ],
  [
    'a VPN',
    record({ detection: { is_vpn: true } }),
    [],
    'VPN address of Example GmbH in Germany. No known abuse.',
  ],
] as const) {
  test(`verdict: ${behaviour}`, () => {
    assert.equal(verdict(subject, scored(sources), KNOWN, NOW), want);
  });
}

const listed = record({ threat: high });
for (const [behaviour, subject, sources, limits, want] of [
  [
    'without blocklists abuse is unknown',
    record({}),
    [],
    { unknown: ['is_proxy', 'blocklists'], dated: [] },
    'Business network of Example GmbH in Germany. Abuse unknown: this dataset has no blocklists.',
  ],
  [
    'a base score is not a report',
    record({ threat: { score: 5, level: 'low' } }),
    ['networks'],
    { unknown: ['blocklists'], dated: [] },
    'Business network of Example GmbH in Germany. Abuse unknown: this dataset has no blocklists.',
  ],
  [
    'blocklists that are too old are not none',
    record({}),
    [],
    { unknown: ['blocklists'], dated: [{ subject: 'blocklists', as_of: '2026-06-17' }] },
    'Business network of Example GmbH in Germany. Abuse unknown: the blocklists of this dataset are too old to count.',
  ],
  [
    'without a current list the risk is not known',
    record({}),
    [],
    { threat_gap: 'blocklists', unknown: ['blocklists'], dated: [] },
    'Business network of Example GmbH in Germany. Risk not known: no current attack lists.',
  ],
  [
    'an incomplete score is the least that is known',
    record({ threat: { score: 15, level: 'low' } }),
    ['ipsum'],
    { threat_gap: 'is_tor_exit', unknown: ['is_tor_exit'], dated: [] },
    'Business network of Example GmbH in Germany, on one blocklist. Risk at least 15 of 100: no current list of Tor exits.',
  ],
  [
    'an incomplete score that is high is at least high',
    listed,
    ['ipsum'],
    { threat_gap: 'blocklists', unknown: ['blocklists'], dated: [] },
    'Business network of Example GmbH in Germany, on one blocklist: at least high risk.',
  ],
  [
    'old blocklists are mentioned with their date',
    record({}),
    [],
    { unknown: [], dated: [{ subject: 'blocklists', as_of: '2026-06-17' }] },
    'Business network of Example GmbH in Germany. Not on any blocklist as of 17 June.',
  ],
  [
    'an override is reported without blocklists too, and is none',
    listed,
    ['overrides'],
    { unknown: ['blocklists'], dated: [] },
    'Business network of Example GmbH in Germany, by an override: high risk.',
  ],
  [
    'a blocklist that is too old does not date those that count',
    record({}),
    [],
    {
      unknown: [],
      dated: [{ subject: 'blocklists', as_of: '2026-06-17', counted_as_of: '2026-11-15' }],
    },
    'Business network of Example GmbH in Germany. Not on any blocklist.',
  ],
  [
    'another unknown flag does not affect abuse',
    record({}),
    [],
    { unknown: ['is_proxy'], dated: [] },
    'Business network of Example GmbH in Germany. No known abuse.',
  ],
] as const) {
  test(`verdict: ${behaviour}`, () => {
    const known: DatasetLimits = {
      ...KNOWN,
      ...limits,
      unknown: [...limits.unknown],
      dated: [...limits.dated],
    };
    assert.equal(verdict(subject, scored(sources), known, NOW), want);
  });
}

const tor = record({ detection: { is_tor_exit: true }, threat: high });
for (const [behaviour, subject, rows, want] of [
  [
    'an old list of Tor exits carries its date, and the operator its name',
    tor,
    [
      ['is_tor_exit', true, '2026-06-17'],
      ['tor_operator', 'Relay Friends', '2026-06-17'],
    ],
    'Tor exit of Relay Friends in Germany as of 17 June: high risk.',
  ],
  [
    'the lists of Tor exits and VPN servers are no blocklists',
    tor,
    [
      ['is_tor_exit', true, '2026-11-15'],
      ['threat.score', 45, '2026-11-15'],
    ],
    'Tor exit in Germany: high risk.',
  ],
  [
    'each list has its own date',
    tor,
    [
      ['is_tor_exit', true, '2026-06-17'],
      ['threat.score', 45, '2026-06-17'],
      ['threat.score', 15, '2026-05-03', 'reports'],
    ],
    'Tor exit in Germany as of 17 June, on one blocklist as of 3 May: high risk.',
  ],
  [
    'lists of one day have one date',
    tor,
    [
      ['is_tor_exit', true, '2026-06-17'],
      ['threat.score', 15, '2026-06-17', 'reports'],
      ['threat.score', 15, '2026-06-17', 'attacks'],
    ],
    'Tor exit in Germany, on two blocklists as of 17 June: high risk.',
  ],
  [
    'a fresh list carries none',
    tor,
    [['is_tor_exit', true, '2026-11-15']],
    'Tor exit in Germany: high risk.',
  ],
  [
    'the newest of several lists decides whether it is old',
    tor,
    [
      ['is_tor_exit', true, '2025-01-01'],
      ['is_tor_exit', true, '2026-11-15'],
    ],
    'Tor exit in Germany: high risk.',
  ],
  [
    'an old blocklist carries its date',
    record({ threat: high }),
    [['threat.score', 60, '2025-06-17']],
    'Business network of Example GmbH in Germany, on one blocklist as of 17 June 2025: high risk.',
  ],
  [
    'a VPN service by its name',
    record({ detection: { is_vpn: true } }),
    [
      ['is_vpn', true, '2026-11-15'],
      ['vpn_service', 'Example VPN', '2026-11-15'],
    ],
    'VPN address of Example VPN in Germany. No known abuse.',
  ],
  [
    'a relay is not called a VPN',
    record({}),
    [['relay', 'iCloud Private Relay', '2026-11-15']],
    'Address of the privacy relay iCloud Private Relay in Germany. No known abuse.',
  ],
  [
    'a search crawler, which has no flag',
    record({ asn_name: 'Google LLC' }),
    [['crawler', 'Googlebot', '2026-11-15']],
    'Crawler Googlebot at Google LLC in Germany. No known abuse.',
  ],
  [
    'a research scanner',
    record({ asn_name: 'Censys, Inc.' }),
    [['scanner', 'Censys', '2024-11-15']],
    'Research scanner of Censys at Censys, Inc. in Germany. No known abuse.',
  ],
  [
    'a service that is known to be good',
    record({ asn_name: 'Amazon.com, Inc.' }),
    [['known_good', 'Pingdom', '2026-11-15']],
    'Pingdom, at Amazon.com, Inc. in Germany. No known abuse.',
  ],
] as const) {
  test(`verdict: ${behaviour}`, () => {
    const evidence = rows.map(([field, value, as_of, source = 'list']) => ({
      field,
      value,
      source,
      as_of,
    }));
    assert.equal(verdict(subject, evidence, KNOWN, NOW), want);
  });
}

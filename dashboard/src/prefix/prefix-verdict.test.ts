import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prefixVerdict } from './prefix-verdict.ts';

const NOW = Date.parse('2026-11-16T05:00:00Z');
const share = <Value extends string>(value: Value, addresses: number) => ({ value, addresses });
const summary: Parameters<typeof prefixVerdict>[0] = {
  unit: 'addresses',
  size: 1024,
  announced: 1024,
  connection_types: [share('datacenter', 1024)],
  countries: [share('DE', 1024)],
  networks: [{ asn: 64496, asn_name: 'Relay Friends', addresses: 1024 }],
  flags: [],
  threat_levels: [share('low', 1024)],
  limits: { unknown: [], dated: [] },
};

for (const [behaviour, change, want] of [
  [
    'nothing remarkable',
    {},
    '1,024 datacenter addresses of Relay Friends in Germany. No known abuse.',
  ],
  [
    'what is inside',
    {
      flags: [share('is_datacenter', 1024), share('is_tor_exit', 160)],
      threat_levels: [share('medium', 103), share('critical', 57)],
    },
    '1,024 datacenter addresses of Relay Friends in Germany: 160 Tor exits, 57 critical.',
  ],
  [
    'several networks, countries and types',
    {
      networks: [
        { asn: 64496, asn_name: 'Example AG', addresses: 600 },
        { asn: 64497, asn_name: 'Other AG', addresses: 424 },
      ],
      countries: [share('DE', 600), share('FR', 424)],
      connection_types: [share('business', 600), share('mobile', 424)],
    },
    '1,024 addresses of 2 networks, most of Example AG. No known abuse.',
  ],
  [
    'more networks than are listed, none with most addresses',
    {
      networks: [
        { asn: 64496, asn_name: 'Example AG', addresses: 300 },
        { asn: 64497, asn_name: 'Other AG', addresses: 200 },
      ],
      countries: [],
      connection_types: [],
    },
    '1,024 addresses of more than 2 networks. No known abuse.',
  ],
  [
    'a part of it announced, without current lists',
    {
      announced: 256,
      connection_types: [],
      countries: [],
      limits: { threat_gap: 'blocklists', unknown: ['blocklists' as const], dated: [] },
    },
    '256 of 1,024 addresses of Relay Friends. Risk not known: no current attack lists.',
  ],
  ['nothing announced', { announced: 0, networks: [] }, '1,024 addresses, none of them announced.'],
  [
    'IPv6',
    {
      unit: 'slash64s' as const,
      size: 65_536,
      announced: 65_536,
      connection_types: [],
      countries: [],
    },
    '65,536 /64 prefixes of Relay Friends. No known abuse.',
  ],
] satisfies [string, Partial<Parameters<typeof prefixVerdict>[0]>, string][]) {
  test(`prefix verdict: ${behaviour}`, () =>
    assert.equal(prefixVerdict({ ...summary, ...change }, NOW), want));
}

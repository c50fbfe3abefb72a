import assert from 'node:assert/strict';
import test from 'node:test';
import { type Sample, sampleDataset } from '../../test/sample-dataset.ts';
import { changedShares } from './check-result.ts';

const COUNTRIES = [
  ['8.8.0.0/16', 'US'],
  ['9.9.0.0/16', 'US'],
  ['2a00::/32', 'DE'],
] as const;
const SAMPLE: Sample = {
  routes: [
    ['8.8.0.0/16', 15_169, 'Google LLC'],
    ['9.9.0.0/16', 64_500, 'Example Networks'],
    ['2a00::/32', 64_500, 'Example Networks'],
  ],
  countries: COUNTRIES,
};
const IPV4 = SAMPLE.routes.slice(0, 2);

for (const [behaviour, change, want] of [
  ['nothing', {}, []],
  ['a country', { countries: COUNTRIES.slice(1) }, ['country 0.5 0']],
  [
    'a network, with its name and type',
    {
      routes: [
        ['8.8.0.0/17', 15_169, 'Google LLC'],
        ['8.8.128.0/17', 64_500, 'Example Networks'],
        ...SAMPLE.routes.slice(1),
      ],
    },
    ['asn 0.25 0', 'connection_type 0.25 0'],
  ],
  [
    'a network that is a cloud provider',
    {
      routes: [
        ['8.8.0.0/17', 15_169, 'Google LLC'],
        ['8.8.128.0/17', 14_061, 'DigitalOcean, LLC'],
        ...SAMPLE.routes.slice(1),
      ],
    },
    ['asn 0.25 0', 'cloud_provider 0.25 0'],
  ],
  ['space that only one version answers does not count', { routes: IPV4.slice(0, 1) }, []],
  ['Tor exits', { tor: [['9.9.0.0/18', 'Relay Friends']] }, ['is_tor_exit 0.125 0']],
] as const satisfies readonly (readonly [string, Partial<Sample>, readonly string[]])[])
  test(`changed shares: ${behaviour}`, () => {
    const changed = changedShares(sampleDataset(SAMPLE), sampleDataset({ ...SAMPLE, ...change }));
    assert.deepEqual(
      changed
        .filter(({ ipv4 = 0, ipv6 = 0 }) => ipv4 > 0 || ipv6 > 0)
        .map(({ field, ipv4, ipv6 = 0 }) => `${field} ${ipv4} ${ipv6}`),
      want,
    );
  });

test('changed shares: a family without common space has none', () => {
  const [first] = changedShares(sampleDataset({ ...SAMPLE, routes: IPV4 }), sampleDataset(SAMPLE));
  assert.deepEqual(first, { field: 'asn', ipv4: 0 });
});

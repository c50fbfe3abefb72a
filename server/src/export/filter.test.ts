import assert from 'node:assert/strict';
import test from 'node:test';
import { UsageError } from '../terminal/exit.ts';
import type { Fields } from './fields.ts';
import { parseFilter } from './filter.ts';

const FIELDS: Fields = {
  asn: 64500,
  asn_name: 'Example',
  country: 'DE',
  rir: 'RIPE',
  connection_type: 'datacenter',
  is_datacenter: true,
  is_tor_exit: false,
  is_proxy: false,
  is_vpn: true,
  is_residential: false,
  is_mobile: false,
  is_ai_crawler: false,
  cloud_provider: 'Google Cloud',
  threat_score: 25,
  threat_level: 'low',
};
const VALUES = {
  countries: ['CH', 'DE', 'ZZ'],
  clouds: ['AWS', 'Google Cloud'],
  companies: ['OpenAI'],
};

for (const [behaviour, options, want] of [
  ['no filter matches everything', {}, true],
  ['a flag that is set', { flag: ['vpn'] }, true],
  ['a flag that is not set', { flag: ['mobile'] }, false],
  ['one of several flags is enough', { flag: ['mobile', 'vpn'] }, true],
  ['a country in lower case', { country: ['de'] }, true],
  ['one of several countries is enough', { country: ['CH', 'DE'] }, true],
  ['another country', { country: ['CH'] }, false],
  ['a network with and without AS', { asn: ['64499', 'as64500'] }, true],
  ['another network', { asn: ['64499'] }, false],
  ['a cloud in another case', { cloud: ['google cloud'] }, true],
  ['another cloud', { cloud: ['AWS'] }, false],
  ['a company that the network does not have', { company: ['OpenAI'] }, false],
  ['one of several connection types', { connectionType: ['mobile', 'datacenter'] }, true],
  ['another connection type', { connectionType: ['residential'] }, false],
  ['the exact minimum score', { minScore: '25' }, true],
  ['a score below the minimum', { minScore: '26' }, false],
  ['different options must all match', { flag: ['vpn'], country: ['CH'] }, false],
  [
    'different options that all match',
    { flag: ['vpn'], country: ['DE'], asn: ['64500'], minScore: '1' },
    true,
  ],
] as const)
  test(`filter: ${behaviour}`, () =>
    assert.equal(parseFilter(options, VALUES).matches(FIELDS), want));

for (const [behaviour, options, message] of [
  [
    'an unknown flag, and lists all flags',
    { flag: ['vpns'] },
    /^unknown flag "vpns"; valid flags: datacenter, .*ai_crawler$/,
  ],
  [
    'an unknown country, and lists those of the dataset',
    { country: ['Germany'] },
    /"Germany"; the dataset has CH DE ZZ$/,
  ],
  [
    'an unknown cloud',
    { cloud: ['Azure'] },
    /^unknown cloud "Azure"; the dataset has AWS, Google Cloud$/,
  ],
  [
    'an unknown company',
    { company: ['Google'] },
    /^unknown company "Google"; the dataset has OpenAI$/,
  ],
  [
    'an unknown connection type',
    { connectionType: ['home'] },
    /"home"; valid types: residential, mobile, /,
  ],
  [
    'an invalid AS number',
    { asn: ['4294967296'] },
    /^invalid AS number "4294967296"; write 15169 or AS15169$/,
  ],
  ['an invalid score', { minScore: '101' }, /"101"; it must be a whole number from 0 to 100$/],
  ['an empty score', { minScore: '' }, /whole number/],
] as const)
  test(`filter: rejects ${behaviour}`, () =>
    assert.throws(
      () => parseFilter(options, VALUES),
      (error) => error instanceof UsageError && message.test(error.message),
    ));

test('filter: a minimum score of 0 is an empty filter', () => {
  assert.equal(parseFilter({ minScore: '0' }, VALUES).isEmpty, true);
  assert.equal(parseFilter({ minScore: '1' }, VALUES).isEmpty, false);
});

test('filter: its text is the options of the command line', () => {
  const { text } = parseFilter(
    { flag: ['vpn'], country: ['de', 'CH'], asn: ['AS1'], minScore: '50' },
    VALUES,
  );
  assert.equal(text, '--flag vpn --country DE,CH --asn 1 --min-score 50');
  const quoted = parseFilter({ cloud: ['google cloud'], connectionType: ['mobile'] }, VALUES);
  assert.equal(quoted.text, '--cloud "Google Cloud" --connection-type mobile');
});

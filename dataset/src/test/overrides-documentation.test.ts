/** docs/overrides.md: its example is parsed and compiled, and the answers are those that the page shows. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { parseAddress } from '../address.ts';
import { parseOverrides } from '../compile/input/overrides.ts';
import { explain } from '../lookup/evidence.ts';
import { DocumentationPage } from './documentation-page.ts';
import { datasetOf, ranges, sampleInput, source } from './sample-dataset.ts';

const page = new DocumentationPage('overrides.md');
const [example = ''] = page.blocks('json');
const [allowed = '', denied = '', refusal = ''] = page.blocks('');

// Documentation addresses have no record, so the example is moved to some that do.
const move = (text: string) => text.replaceAll('198.51.100.', '1.0.9.').replaceAll('203.0.113.', '3.0.9.');
const dataset = datasetOf({
  ...sampleInput({
    routes: [
      ['1.0.0.0/16', 64499, 'First'],
      ['2.0.0.0/16', 64500, 'Second'],
      ['3.0.0.0/16', 64501, 'Third'],
    ],
  }),
  overlays: [
    { source: source('cins'), drives: ['blocklist'], statements: [{}], ranges: ranges([['1.0.9.0/24', 0]]) },
    {
      source: source('example-cloud'),
      drives: ['cloud_provider'],
      provider: 'Example Cloud',
      statements: [{}],
      ranges: ranges([['3.0.9.0/24', 0]]),
    },
  ],
  overrides: parseOverrides(move(example), '2026-11-15'),
});

function answer(text: string) {
  const address = parseAddress(text);
  assert.ok(address);
  const match = dataset.find(address);
  return { ...dataset.record(address, match), evidence: explain(dataset, address, match) };
}

test('overrides page: an allowed address is explained as shown', () => {
  const { threat } = answer('1.0.9.7');
  assert.equal(threat.score, 0);
  assert.equal(`${threat.explanation?.join('\n')}\n`, allowed);
});

test('overrides page: a denied network is explained as shown', () => {
  const { threat } = answer('2.0.0.1');
  assert.equal(threat.score, 100);
  assert.equal(`${threat.explanation?.[0]}\n`, denied);
});

test('overrides page: the longer prefix decides', () => assert.equal(answer('1.0.9.66').threat.score, 100));

test('overrides page: fields are set, a name is removed, and the evidence names the overrides', () => {
  const { connection_type, country, detection, evidence } = answer('3.0.9.1');
  assert.deepEqual([connection_type, country, detection.is_vpn], ['business', 'CH', true]);
  assert.equal(detection.cloud_provider, undefined);
  const own = evidence.filter(({ source: from }) => from === 'overrides').map(({ field, value }) => [field, value]);
  assert.deepEqual(own, [
    ['country', 'CH'],
    ['connection_type', 'business'],
    ['cloud_provider', ''],
    ['is_vpn', true],
    ['threat.score', 15],
  ]);
});

test('overrides page: an own network in private space', () => {
  const { prefix, asn, asn_name, country } = answer('10.1.2.3');
  assert.deepEqual(
    { prefix, asn, asn_name, country },
    { prefix: '10.0.0.0/8', asn: 64512, asn_name: 'Intranet', country: 'DE' },
  );
});

for (const [behaviour, deny, allow, want] of [
  ['deny comes before allow for the same prefix', '1.0.9.0/24', '1.0.9.0/24', 100],
  ['a narrower allow inside a deny', '1.0.9.0/24', '1.0.9.0/25', 0],
] as const) {
  test(`overrides page: ${behaviour}`, () => {
    const text = JSON.stringify({ deny: [{ prefix: deny }], allow: [{ prefix: allow }] });
    const input = sampleInput({ routes: [['1.0.0.0/16', 64499, 'First']] });
    const data = datasetOf({ ...input, overrides: parseOverrides(text, '2026-11-15') });
    const address = parseAddress('1.0.9.7');
    assert.ok(address);
    assert.equal(data.record(address, data.find(address)).threat.score, want);
  });
}

test('overrides page: of two entries for the same prefix or network the later decides; networks come after relabel', () => {
  const text = JSON.stringify({
    relabel: [
      { prefix: '1.0.0.0/17', country: 'DE' },
      { prefix: '1.0.0.0/17', country: 'FR' },
      { asn: 64500, country: 'CH' },
      { asn: 64500, country: 'AT' },
      { prefix: '3.0.9.0/24', country: 'NL' },
      { prefix: '1.0.0.0/24', connection_type: 'education' },
    ],
    networks: [{ prefix: '3.0.9.0/24', asn: 64512, country: 'SE' }],
  });
  const input = sampleInput({
    routes: [
      ['1.0.0.0/16', 64499, 'First'],
      ['2.0.0.0/16', 64500, 'Second'],
    ],
  });
  const data = datasetOf({ ...input, overrides: parseOverrides(text, '2026-11-15') });
  const countries = ['1.0.9.7', '2.0.0.1', '3.0.9.1', '1.0.0.1'].map((ip) => {
    const address = parseAddress(ip);
    return address && data.record(address, data.find(address)).country;
  });
  // Only the longest prefix counts: the /17 around the /24 does not add its country.
  assert.deepEqual(countries, ['FR', 'AT', 'SE', 'ZZ']);
});

test('overrides page: the error message is the one shown', () => {
  const [, message = ''] = /^error: whence-data\/overrides\.json: (.*)\n$/.exec(refusal) ?? [];
  assert.throws(() => parseOverrides('{"deny":[{"prefx":"192.0.2.1"}]}', '2026-11-15'), { message });
});

/**
 * docs/overrides.md: its example is parsed and applied, and the answers are those that the page
 * shows.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { ipv4, parseAddress } from '../address.ts';
import { explain } from '../lookup/evidence.ts';
import { withOverrides } from '../overrides/overlaid-dataset.ts';
import { parseOverrides } from '../overrides/overrides.ts';
import { fromBigInt } from '../prefix.ts';
import { DocumentationPage } from './documentation-page.ts';
import { datasetOf, ranges, sampleInput, source } from './sample-dataset.ts';

const page = new DocumentationPage('overrides.md');
const [example = ''] = page.blocks('json');
const [allowed = '', denied = '', refusal = ''] = page.blocks('text');

// Documentation addresses have no record, so the example is moved to some that do.
const move = (text: string) =>
  text.replaceAll('198.51.100.', '1.0.9.').replaceAll('203.0.113.', '3.0.9.');
const base = datasetOf({
  ...sampleInput({
    routes: [
      ['1.0.0.0/16', 64499, 'First'],
      ['2.0.0.0/16', 64500, 'Second'],
      ['3.0.0.0/16', 64501, 'Third'],
    ],
  }),
  overlays: [
    {
      source: source('cins'),
      drives: ['blocklist'],
      statements: [{}],
      ranges: ranges([['1.0.9.0/24', 0]]),
    },
    {
      source: source('example-cloud'),
      drives: ['cloud_provider'],
      provider: 'Example Cloud',
      statements: [{}],
      ranges: ranges([['3.0.9.0/24', 0]]),
    },
  ],
});
const dataset = withOverrides(base, parseOverrides(move(example), '2026-11-15'));

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

test('overrides page: the longer prefix decides', () =>
  assert.equal(answer('1.0.9.66').threat.score, 100));

test('overrides page: fields are set, a name is removed, and the evidence names the overrides', () => {
  const { connection_type, country, detection, evidence } = answer('3.0.9.1');
  assert.deepEqual([connection_type, country, detection.is_vpn], ['business', 'CH', true]);
  assert.equal(detection.cloud_provider, undefined);
  const own = evidence
    .filter(({ source: from }) => from === 'overrides')
    .map(({ field, value }) => [field, value]);
  assert.deepEqual(own, [
    ['country', 'CH'],
    ['connection_type', 'business'],
    ['connection_type_source', 'table'],
    ['cloud_provider', ''],
    ['is_vpn', true],
    ['threat.score', 15],
  ]);
});

for (const [ip, want] of [
  ['10.1.2.3', { prefix: '10.0.0.0/8', country: 'DE', labels: [] }],
  ['10.20.3.4', { prefix: '10.20.0.0/16', country: 'CH', labels: ['office', 'Zürich'] }],
  ['fd00:20::7', { prefix: 'fd00:20::/32', country: 'CH', labels: ['office', 'Zürich'] }],
] as const)
  test(`overrides page: ${ip} of an own network in private space has no registry`, () => {
    const { prefix, asn, asn_name, country, rir, connection_type } = answer(ip);
    const address = parseAddress(ip);
    const labels = address && dataset.labels(dataset.find(address));
    assert.deepEqual({ prefix, country, labels }, want);
    assert.deepEqual(
      [asn, asn_name, rir, connection_type],
      [64512, 'Intranet', undefined, 'business'],
    );
  });

test('overrides page: what reads a dataset reads own networks too', () => {
  assert.deepEqual(dataset.prefixesOf(64512), {
    ipv4: ['10.0.0.0/8', '10.20.0.0/16'],
    ipv6: ['fd00:20::/32'],
  });
  const { rir, address_count } = dataset.asn(64512) ?? {};
  assert.deepEqual([rir, address_count], [undefined, { ipv4: 2 ** 24 + 2 ** 16 }]);
  for (const version of [4, 6] as const) {
    const own = [...dataset.runs(version)].filter(
      ({ match }) => dataset.asnNumber(match) === 64512,
    );
    for (const { start, end, match } of own)
      for (const at of [start, end]) assert.equal(dataset.find(fromBigInt(at, version)), match);
    assert.equal(own.length, version === 4 ? 3 : 1);
    const others = [...dataset.runs(version)].length - own.length;
    assert.ok(others >= [...base.runs(version)].length);
  }
  const words = Int32Array.from(
    ['10.1.2.3', '1.0.9.66', '9.9.9.9', '1.0.1.1'],
    (ip) => parseAddress(ip)?.w0 ?? 0,
  );
  const matches = new Uint32Array(4);
  dataset.findAllIpv4(words, 4, matches);
  assert.deepEqual(
    [...matches],
    [...words].map((word) => dataset.find(ipv4(word))),
  );
});

for (const [behaviour, deny, allow, want] of [
  ['deny comes before allow for the same prefix', '1.0.9.0/24', '1.0.9.0/24', 100],
  ['a narrower allow inside a deny', '1.0.9.0/24', '1.0.9.0/25', 0],
] as const) {
  test(`overrides page: ${behaviour}`, () => {
    const text = JSON.stringify({ deny: [{ prefix: deny }], allow: [{ prefix: allow }] });
    const input = sampleInput({ routes: [['1.0.0.0/16', 64499, 'First']] });
    const data = withOverrides(datasetOf(input), parseOverrides(text, '2026-11-15'));
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
  const data = withOverrides(datasetOf(input), parseOverrides(text, '2026-11-15'));
  const countries = ['1.0.9.7', '2.0.0.1', '3.0.9.1', '1.0.0.1'].map((ip) => {
    const address = parseAddress(ip);
    return address && data.record(address, data.find(address)).country;
  });
  // Only the longest prefix counts: the /17 around the /24 does not add its country.
  assert.deepEqual(countries, ['FR', 'AT', 'SE', 'ZZ']);
});

test('overrides page: the error message is the one shown', () => {
  const [, message = ''] = /^error: whence-data\/overrides\.json: (.*)\n$/.exec(refusal) ?? [];
  assert.throws(() => parseOverrides('{"deny":[{"prefx":"192.0.2.1"}]}', '2026-11-15'), {
    message,
  });
});

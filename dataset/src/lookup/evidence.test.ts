import assert from 'node:assert/strict';
import test from 'node:test';
import { parseAddress } from '../address.ts';
import { datasetOf, sampleInput } from '../test/sample-dataset.ts';
import { explain, explanationJson, explanationOf } from './evidence.ts';

for (const [behaviour, isDerived, rows] of [
  ['a prefix of a routing table is announced', undefined, []],
  [
    'a prefix from a list of ranges is derived',
    true,
    [['prefix_is_derived', true, 'routes', '5.5.0.0/16']],
  ],
] as const)
  test(`evidence: ${behaviour}`, () => {
    const input = sampleInput({ routes: [['5.5.0.0/16', 64_500, 'Example']] });
    const routes = input.routes.map((source) => ({
      ...source,
      ...(isDerived === undefined ? {} : { isDerived }),
    }));
    const dataset = datasetOf({ ...input, routes });
    const address = parseAddress('5.5.1.1');
    assert.ok(address);
    const found = explain(dataset, address, dataset.find(address)).filter(
      ({ field }) => field === 'prefix_is_derived',
    );
    assert.deepEqual(
      found.map(({ field, value, source, prefix }) => [field, value, source, prefix]),
      rows,
    );
  });

test('evidence: as JSON it is that of the address, whichever addresses were asked for before', () => {
  const routes: [string, number, string][] = [
    ['5.5.0.0/16', 64_500, 'Example'],
    ['5.5.4.0/22', 64_501, 'Other'],
    ['5.6.0.0/15', 64_500, 'Example'],
    ['2a00:db8::/32', 64_500, 'Example'],
    ['2a00:db8:4::/48', 64_501, 'Other'],
  ];
  const dataset = datasetOf(sampleInput({ routes }));
  const texts = [
    '5.5.0.0',
    '5.5.3.255',
    '5.5.4.0',
    '5.5.7.255',
    '5.5.8.0',
    '5.5.255.255',
    '5.6.0.0',
    '5.7.255.255',
  ];
  for (const text of [
    ...texts,
    ...texts,
    '2a00:db8::',
    '2a00:db8:4::1',
    '2a00:db8:5::',
    '2a00:db8:4::2',
  ]) {
    const address = parseAddress(text);
    assert.ok(address);
    const match = dataset.find(address);
    assert.ok(match, text);
    assert.deepEqual(
      JSON.parse(explanationJson(dataset, address, match)),
      explanationOf(dataset, address, match),
      text,
    );
  }
});

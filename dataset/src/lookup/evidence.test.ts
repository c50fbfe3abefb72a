import assert from 'node:assert/strict';
import test from 'node:test';
import { parseAddress } from '../address.ts';
import { datasetOf, sampleInput } from '../test/sample-dataset.ts';
import { explain } from './evidence.ts';

for (const [behaviour, isDerived, rows] of [
  ['a prefix of a routing table is announced', undefined, []],
  ['a prefix from a list of ranges is derived', true, [['prefix_is_derived', true, 'routes', '5.5.0.0/16']]],
] as const)
  test(`evidence: ${behaviour}`, () => {
    const input = sampleInput({ routes: [['5.5.0.0/16', 64_500, 'Example']] });
    const routes = input.routes.map((source) => ({ ...source, ...(isDerived === undefined ? {} : { isDerived }) }));
    const dataset = datasetOf({ ...input, routes });
    const address = parseAddress('5.5.1.1');
    assert.ok(address);
    const found = explain(dataset, address, dataset.find(address)).filter(({ field }) => field === 'prefix_is_derived');
    assert.deepEqual(
      found.map(({ field, value, source, prefix }) => [field, value, source, prefix]),
      rows,
    );
  });

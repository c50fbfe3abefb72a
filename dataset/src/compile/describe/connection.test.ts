import assert from 'node:assert/strict';
import test from 'node:test';
import { parseAddress } from '../../address.ts';
import { explain } from '../../lookup/evidence.ts';
import { type Sample, sampleDataset } from '../../test/sample-dataset.ts';

/** The rows of evidence about the type, and the share of addresses whose type is assumed. */
function typeEvidence(sample: Sample): { rows: unknown[]; assumed: number } {
  const dataset = sampleDataset(sample);
  const address = parseAddress(sample.routes[0]?.[0].split('/')[0] ?? '');
  assert.ok(address);
  const rows = explain(dataset, address, dataset.find(address))
    .filter(({ field }) => field === 'connection_type' || field === 'type_signal')
    .map(({ field, value, source }) => [field, value, source]);
  return { rows, assumed: dataset.meta.figures.ipv4.connection_type_from.none };
}

for (const [behaviour, name, country, rows, assumed] of [
  [
    'a sum of signals says what they are about',
    'Orbital Connect',
    'BR',
    [
      ['connection_type', 'residential', 'type-signals'],
      ['type_signal', 'name', 'type-signals'],
    ],
    0,
  ],
  [
    'a type that nothing decides is called assumed',
    'Example Net LLC',
    'US',
    [
      ['connection_type', 'business', 'type-signals'],
      ['type_signal', 'assumed', 'type-signals'],
    ],
    1,
  ],
  [
    'a rule on names needs no signals',
    'University of Example',
    'BR',
    [['connection_type', 'education', 'name-rules']],
    0,
  ],
] as const)
  test(`connection type: ${behaviour}`, () => {
    const sample = {
      routes: [['9.9.8.0/23', 64_500, name]],
      delegated: [['9.9.8.0/23', country]],
    } as const;
    assert.deepEqual(typeEvidence(sample), { rows, assumed });
  });

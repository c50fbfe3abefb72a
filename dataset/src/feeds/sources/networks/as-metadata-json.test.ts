import assert from 'node:assert/strict';
import test from 'node:test';
import { bytesContent, type Content } from '../../../io/content.ts';
import { listedNetworks } from '../../../test/listed.ts';
import { parseAsMetadataJson } from './network-list.ts';

const entry = (asn: number, category: string | null) => ({
  asn,
  metadata: { handle: 'EX', description: 'Example "asn" & Co.', countryCode: 'DE', category, networkRole: 'stub' },
  stats: { connectivity: { providers: 1, providerAsns: [174] } },
});

for (const [behaviour, category, want] of [
  ['an access provider', 'isp', ['AS64496 isp (residential)']],
  ['hosting', 'hosting', ['AS64496 hosting (datacenter)']],
  ['a company', 'business', ['AS64496 business (business)']],
  ['a university', 'education_research', ['AS64496 education_research (education)']],
  ['a government', 'government_admin', ['AS64496 government_admin (business)']],
  ['a category of tomorrow has no connection type', 'personal', ['AS64496 personal']],
  ['no category', null, []],
] as const)
  test(`as-metadata-json: ${behaviour}`, () => {
    const read = parseAsMetadataJson(bytesContent(JSON.stringify([entry(64496, category)])));
    assert.deepEqual([listedNetworks(read), read.skipped], [want, 0]);
  });

test('as-metadata-json: entries that are divided between chunks, and a document with line breaks', () => {
  const bytes = Buffer.from(JSON.stringify([entry(64496, 'isp'), entry(64497, 'hosting')], null, 2));
  const content: Content = {
    ...bytesContent(bytes),
    chunks: () => Array.from({ length: bytes.length }, (_, i) => bytes.subarray(i, i + 1)),
  };
  assert.deepEqual(listedNetworks(parseAsMetadataJson(content)), [
    'AS64496 isp (residential)',
    'AS64497 hosting (datacenter)',
  ]);
});

test('as-metadata-json: too many entries and another document are refused', () => {
  const two = JSON.stringify([entry(64496, 'isp'), entry(64497, 'isp')]);
  assert.throws(() => parseAsMetadataJson(bytesContent(two, 1)), /more than 1 records/);
  assert.throws(() => parseAsMetadataJson(bytesContent('<html>')), /not a list of AS metadata/);
});

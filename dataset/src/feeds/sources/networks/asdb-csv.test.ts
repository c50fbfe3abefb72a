import assert from 'node:assert/strict';
import test from 'node:test';
import { fixture, NO_FIXTURES } from '@whence/testing/fixtures';
import { bytesContent, fileContent } from '../../../io/content.ts';
import { listedNetworks } from '../../../test/listed.ts';
import { parseAsdbCsv } from './network-list.ts';

const IT = 'Computer and Information Technology';
for (const [behaviour, categories, role] of [
  ['an access network', `"${IT}","Internet Service Provider (ISP)"`, 'residential'],
  ['a telephone company', `"${IT}","Phone Provider"`, 'mobile'],
  ['hosting', `"${IT}","Hosting, Cloud Provider, Data Center, Server Colocation"`, 'datacenter'],
  ['hosting as in older rows', `"${IT}","Hosting and Cloud Provider"`, 'datacenter'],
  ['a university', '"Education and Research","Colleges, Universities, and Professional Schools"', 'education'],
  ['another business', '"Finance and Insurance","Banks, Credit Card Companies, Mortgage Providers"', 'business'],
  ['software', `"${IT}","Software Development"`, 'business'],
  [
    'another business, then access',
    `"Finance and Insurance","","${IT}","Internet Service Provider (ISP)"`,
    'residential',
  ],
  [
    'access, then hosting',
    `"${IT}","Internet Service Provider (ISP)","${IT}","Hosting and Cloud Provider"`,
    'residential',
  ],
  ['transit', `"${IT}","IP Transit"`, undefined],
  ['only the first layer', `"${IT}",""`, undefined],
  ['the category Other', '"Other","Other"', undefined],
] as const) {
  test(`asdb-csv: ${behaviour}`, () => {
    const read = parseAsdbCsv(
      bytesContent(`ASN,Category 1 - Layer 1,Category 1 - Layer 2\n"AS64496",${categories},"",""\n`),
    );
    assert.equal(read.skipped, 0);
    assert.equal(read.networks.get(64496)?.role, role);
  });
}

test('asdb-csv: all categories are the label; a row without a category cannot be parsed', () => {
  const read = parseAsdbCsv(
    bytesContent(`"AS64496","${IT}","Phone Provider","Service",""\n"AS64497","",""\nx,"Service",""\n`),
  );
  assert.deepEqual(listedNetworks(read), [`AS64496 ${IT}: Phone Provider; Service (mobile)`]);
  assert.equal(read.skipped, 2);
});

const asdb = fixture('format-samples/asdb-categorized_ases.csv');
test('asdb-csv: the sample', { skip: asdb === undefined && NO_FIXTURES }, () => {
  const { networks, skipped } = parseAsdbCsv(fileContent(asdb as string));
  assert.deepEqual([networks.get(1)?.role, networks.get(3)?.role, skipped], ['residential', 'education', 0]);
});

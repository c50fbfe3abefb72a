import assert from 'node:assert/strict';
import test from 'node:test';
import { fixture, NO_FIXTURES } from '@whence/testing/fixtures';
import { bytesContent, fileContent } from '../../../io/content.ts';
import { labelsOf, listed } from '../../../test/listed.ts';
import { parseAzureTags } from './json-lists.ts';

const tag = (name: string, ...addressPrefixes: unknown[]) => ({
  name,
  id: name,
  properties: { addressPrefixes },
});
const file = (...values: unknown[]) =>
  bytesContent(JSON.stringify({ changeNumber: 1, cloud: 'Public', values }));

test('azure-tags: the tag of a region comes before the tag of all of Azure, in any order', () => {
  const read = parseAzureTags(
    file(
      tag('AzureCloud', '192.0.2.0/24', '198.51.100.0/24', '2001:db8::/32'),
      tag('AzureCloud.westeurope', '192.0.2.0/24', '2001:db8::/32'),
    ),
  );
  assert.deepEqual(listed(read), [
    '192.0.2.0/24 westeurope',
    '198.51.100.0/24',
    '2001:db8::/32 westeurope',
  ]);
  assert.deepEqual([read.records, read.skipped], [3, 0]);
});

test('azure-tags: tags of services are ignored', () => {
  const read = parseAzureTags(
    file(
      tag('ActionGroup', '192.0.2.0/24'),
      tag('AzureCloudThing', '192.0.2.0/24'),
      tag('AzureCloud', '198.51.100.0/24'),
    ),
  );
  assert.deepEqual(listed(read), ['198.51.100.0/24']);
});

test('azure-tags: entries that cannot be parsed are counted', () => {
  const read = parseAzureTags(
    file(
      { name: 'AzureCloud.x' },
      tag('AzureCloud.y', 5, 'x', null, '192.0.2.0/24'),
      null,
      'AzureCloud',
    ),
  );
  assert.deepEqual([read.records, read.skipped], [1, 4]);
});

for (const [behaviour, text, want] of [
  ['another document', '{"prefixes":[]}', 'no "values" list'],
  ['no tag of the cloud', '{"values":[{"name":"ActionGroup"}]}', 'no tag "AzureCloud"'],
] as const) {
  test(`azure-tags: refused: ${behaviour}`, () => {
    assert.throws(
      () => parseAzureTags(bytesContent(text)),
      new Error(`not an Azure service tags file: ${want}`),
    );
  });
}

const azure = fixture('cloud/azure-ServiceTags_Public.json');
test('azure-tags: ServiceTags_Public', { skip: azure === undefined && NO_FIXTURES }, () => {
  const read = parseAzureTags(fileContent(azure as string));
  assert.deepEqual([read.records, read.skipped, read.asOf], [12362, 0, undefined]);
  assert.equal(read.labels.length, 70);
  assert.equal(
    [...read.ranges[4].values, ...read.ranges[6].values].filter(
      (value) => read.labels[value] === '',
    ).length,
    418,
  );
  assert.deepEqual(labelsOf(read, '40.80.4.1'), ['northeurope2']);
});

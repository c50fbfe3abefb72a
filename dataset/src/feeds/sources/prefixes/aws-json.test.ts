import assert from 'node:assert/strict';
import test from 'node:test';
import { fixture, NO_FIXTURES } from '@whence/testing/fixtures';
import { bytesContent, fileContent } from '../../../io/content.ts';
import { labelsOf, listed } from '../../../test/listed.ts';
import { parseAwsJson } from './json-lists.ts';

const file = (prefixes: unknown, ipv6_prefixes: unknown = []) =>
  bytesContent(
    JSON.stringify({ syncToken: '1', createDate: '2025-07-25-01-02-03', prefixes, ipv6_prefixes }),
  );
const entry = (
  ip_prefix: string,
  region: string,
  network_border_group = region,
  service = 'AMAZON',
) => ({
  ip_prefix,
  region,
  service,
  network_border_group,
});

test('aws-json: a prefix that is listed once per service is one record; both families; the date', () => {
  const read = parseAwsJson(
    file(
      [entry('192.0.2.0/24', 'eu-west-1'), entry('192.0.2.0/24', 'eu-west-1', 'eu-west-1', 'EC2')],
      [
        {
          ipv6_prefix: '2001:db8::/32',
          region: 'us-east-2',
          service: 'EC2',
          network_border_group: 'us-east-2',
        },
      ],
    ),
  );
  assert.deepEqual(listed(read), ['192.0.2.0/24 eu-west-1', '2001:db8::/32 us-east-2']);
  assert.deepEqual([read.records, read.skipped, read.asOf], [2, 0, '2025-07-25']);
});

for (const [behaviour, region, group, want] of [
  ['a prefix that is announced everywhere', 'GLOBAL', 'GLOBAL', ''],
  ['a region', 'us-east-1', 'us-east-1', 'us-east-1'],
  ['a zone of the region', 'us-east-1', 'us-east-1-bue-1', 'us-east-1-bue-1'],
  ['a group that is not a zone of the region', 'us-east-1', 'us-west-2', 'us-east-1'],
] as const) {
  test(`aws-json: the label of ${behaviour}`, () => {
    assert.deepEqual(parseAwsJson(file([entry('192.0.2.0/24', region, group)])).labels, [want]);
  });
}

test('aws-json: entries that cannot be parsed are counted', () => {
  const read = parseAwsJson(
    file([entry('x', 'eu-west-1'), {}, null, 5, entry('192.0.2.0/24', 'eu-west-1')]),
  );
  assert.deepEqual([read.records, read.skipped], [1, 4]);
});

for (const [behaviour, text, want] of [
  ['another document', '{"values":[]}', 'no "prefixes" list'],
  ['half of it', '{"prefixes":[]}', 'no "ipv6_prefixes" list'],
  ['a list', '[]', 'no "prefixes" list'],
  ['null', 'null', 'no "prefixes" list'],
] as const) {
  test(`aws-json: refused: ${behaviour}`, () => {
    assert.throws(
      () => parseAwsJson(bytesContent(text)),
      new Error(`not an AWS ip-ranges file: ${want}`),
    );
  });
}

const aws = fixture('cloud/aws-ip-ranges.json');
test('aws-json: ip-ranges.json', { skip: aws === undefined && NO_FIXTURES }, () => {
  const read = parseAwsJson(fileContent(aws as string));
  assert.deepEqual([read.records, read.skipped, read.asOf], [9066, 0, '2025-07-24']);
  assert.deepEqual(labelsOf(read, '3.5.140.1'), ['ap-northeast-2']);
  assert.ok(labelsOf(read, '2600:1f14:802:7300::1').includes('us-west-2'));
  assert.ok(!read.labels.includes('GLOBAL'));
});

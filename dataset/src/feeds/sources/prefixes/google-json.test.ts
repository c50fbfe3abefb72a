import assert from 'node:assert/strict';
import test from 'node:test';
import { fixture, NO_FIXTURES } from '@whence/testing/fixtures';
import { bytesContent, fileContent } from '../../../io/content.ts';
import { labelsOf, listed } from '../../../test/listed.ts';
import { parseGoogleJson } from './json-lists.ts';

test('google-json: both families, the scope as label, entries that cannot be parsed', () => {
  const read = parseGoogleJson(
    bytesContent(
      JSON.stringify({
        creationTime: '2026-08-20T14:46:21.000000',
        synctoken: 1,
        notes: 'x',
        prefixes: [
          { ipv4Prefix: '192.0.2.0/24', service: 'Google Cloud', scope: 'europe-west1' },
          { ipv6Prefix: '2001:db8::/64' },
          { ipv4Prefix: '198.51.100.1' },
          { ipv4Prefix: '198.51.100.2/32', ipv6Prefix: '2001:db8:1::/64' },
          { prefix: '203.0.113.0/24' },
          { ipv4Prefix: 'x' },
          '203.0.113.0/24',
        ],
      }),
    ),
  );
  assert.deepEqual(listed(read), [
    '192.0.2.0/24 europe-west1',
    '198.51.100.1/32',
    '198.51.100.2/32',
    '2001:db8::/64',
    '2001:db8:1::/64',
  ]);
  assert.deepEqual([read.skipped, read.asOf], [3, '2026-08-20']);
});

test('google-json: a list without a creation time, and one without prefixes', () => {
  assert.equal(parseGoogleJson(bytesContent('{"prefixes":[]}')).asOf, undefined);
  assert.throws(() => parseGoogleJson(bytesContent('{}')), /: no "prefixes" list$/);
});

for (const [file, records, asOf] of [
  ['cloud/gcp-cloud.json', 782, '2025-07-24'],
  ['cloud/google-goog.excerpt.json', 11, '2023-05-01'],
  ['crawlers/bingbot.excerpt.json', 5, '2023-03-08'],
  ['crawlers/google-googlebot.excerpt.json', 7, '2023-09-26'],
  ['crawlers/google-special-crawlers.json', 270, '2026-08-20'],
  ['crawlers/google-user-triggered-fetchers.json', 724, '2024-02-27'],
  ['crawlers/google-user-triggered-fetchers-google.json', 1056, '2026-08-20'],
  ['crawlers/reconstructed/gptbot.json', 21, '2026-05-05'],
  ['crawlers/reconstructed/claudebot.json', 20, '2026-05-05'],
  ['format-samples/openai-gptbot.json', 2, '2026-05-05'],
] as const) {
  const path = fixture(file);
  test(`google-json: ${file}`, { skip: path === undefined && NO_FIXTURES }, () => {
    const read = parseGoogleJson(fileContent(path as string));
    assert.deepEqual([read.records, read.skipped, read.asOf], [records, 0, asOf]);
  });
}

const cloud = fixture('cloud/gcp-cloud.json');
test('google-json: regions of Google Cloud', { skip: cloud === undefined && NO_FIXTURES }, () => {
  const read = parseGoogleJson(fileContent(cloud as string));
  assert.deepEqual(labelsOf(read, '34.35.1.1'), ['africa-south1']);
  assert.deepEqual(labelsOf(read, '2600:1900:4280::1'), ['us-west8']);
});

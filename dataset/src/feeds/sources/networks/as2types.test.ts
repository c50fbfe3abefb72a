import assert from 'node:assert/strict';
import test from 'node:test';
import { fixture, NO_FIXTURES } from '@whence/testing/fixtures';
import { bytesContent, fileContent } from '../../../io/content.ts';
import { parseAs2types } from './network-list.ts';

for (const [type, want] of [
  ['Content', { label: 'Content', role: 'datacenter' }],
  ['Enterprise', { label: 'Enterprise', role: 'business' }],
  ['Enterpise', { label: 'Enterprise', role: 'business' }],
  ['Transit/Access', { label: 'Transit/Access' }],
] as const) {
  test(`as2types: ${type}`, () => {
    const { networks, skipped } = parseAs2types(bytesContent(`# format: as|source|type\n64496|CAIDA_class|${type}\n`));
    assert.deepEqual([networks.get(64496), skipped], [want, 0]);
  });
}

test('as2types: rows that cannot be parsed are skipped', () => {
  const { records, skipped } = parseAs2types(bytesContent('AS7|CAIDA_class|Content\n7|CAIDA_class|Zoo\n7|Content\n'));
  assert.deepEqual([records, skipped], [0, 3]);
});

const path = fixture('nettype/caida-20150801.as2types.excerpt.txt');
test('as2types: a real excerpt', { skip: path === undefined && NO_FIXTURES }, () => {
  const { networks, records, skipped } = parseAs2types(fileContent(path as string));
  const roles = [...networks.values()].map(({ role }) => role);
  assert.deepEqual([records, skipped], [2988, 0]);
  assert.deepEqual(
    (['datacenter', 'business', undefined] as const).map((role) => roles.filter((other) => other === role).length),
    [146, 1825, 1017],
  );
});

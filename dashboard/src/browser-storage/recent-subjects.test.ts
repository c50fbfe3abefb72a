import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addRecent, readRecent, subjectOf } from './recent-subjects.ts';

function memory(): Pick<Storage, 'getItem' | 'setItem'> {
  const items = new Map<string, string>();
  return {
    getItem: (name) => items.get(name) ?? null,
    setItem: (name, value) => void items.set(name, value),
  };
}

for (const [behaviour, visited, want] of [
  ['the newest is first', ['/ip/192.0.2.1', '/asn/64496'], ['/asn/64496', '/ip/192.0.2.1']],
  [
    'a subject is listed once',
    ['/ip/192.0.2.1', '/asn/64496', '/ip/192.0.2.1'],
    ['/ip/192.0.2.1', '/asn/64496'],
  ],
  [
    'other pages are not subjects',
    ['/data', '/asn', '/keys', '/prefix/192.0.2.0/24'],
    ['/prefix/192.0.2.0/24'],
  ],
  [
    'eight are kept',
    Array.from({ length: 10 }, (_, i) => `/asn/${64496 + i}`),
    Array.from({ length: 8 }, (_, i) => `/asn/${64505 - i}`),
  ],
] as const) {
  test(`recent subjects: ${behaviour}`, () => {
    const store = memory();
    for (const path of visited) addRecent(store, 'a', path);
    assert.deepEqual(readRecent(store, 'a'), want);
    assert.deepEqual(readRecent(store, 'b'), [], 'of another account');
  });
}

test('recent subjects: what another program wrote is ignored', () => {
  const store = memory();
  store.setItem('whence-recent:a', '{"not": "a list"}');
  assert.deepEqual(readRecent(store, 'a'), []);
  store.setItem('whence-recent:b', '["javascript:alert(1)", 7, "/ip/192.0.2.1"]');
  assert.deepEqual(readRecent(store, 'b'), ['/ip/192.0.2.1']);
});

for (const [path, text] of [
  ['/ip/2001:db8::1', '2001:db8::1'],
  ['/prefix/192.0.2.0/24', '192.0.2.0/24'],
  ['/asn/64496', 'AS64496'],
  ['/domain/example.com', 'example.com'],
] as const) {
  test(`recent subjects: ${path} is shown as ${text}`, () => assert.equal(subjectOf(path), text));
}

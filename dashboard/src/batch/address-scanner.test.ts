import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatAddress } from '@whence/dataset/address';
import { ADDRESS_TEXTS } from '@whence/testing/address-texts';
import { AddressScanner, AddressStream } from './address-scanner.ts';

function addressesIn(...chunks: Uint8Array[]): string[] {
  const found: string[] = [];
  const stream = new AddressStream(
    (address) => found.push(formatAddress(address)),
    () => {},
  );
  for (const chunk of chunks) stream.push(chunk);
  stream.finish();
  return found;
}

const LONGEST_CUT = 200;

for (const [behaviour, text, ...want] of ADDRESS_TEXTS) {
  test(`batch: ${behaviour}, wherever the text is cut`, () => {
    const bytes = new TextEncoder().encode(text);
    assert.deepEqual(addressesIn(bytes), want);
    for (let at = 0; at <= Math.min(bytes.length, LONGEST_CUT); at++)
      assert.deepEqual(addressesIn(bytes.slice(0, at), bytes.slice(at)), want, `cut at ${at}`);
    if (bytes.length <= LONGEST_CUT)
      assert.deepEqual(
        addressesIn(...Array.from(bytes, (byte) => Uint8Array.of(byte))),
        want,
        'byte by byte',
      );
  });
}

test('batch: what precedes a word on another line does not matter', () => {
  assert.deepEqual(addressesIn(new TextEncoder().encode('Chrome/\n192.0.2.1')), ['192.0.2.1']);
});

for (const [behaviour, text, want] of [
  [
    'every kind',
    '8.8.8.8 8.8.8.8 1.1.1.1 300.1.1.1 10.0.0.1 10.0.0.1 192.168.0.1',
    { found: 7, unique: 2, duplicates: 1, special: 3, beyondLimit: 0, invalid: 1 },
  ],
  [
    'a log with browsers',
    '8.8.8.8 "Chrome/120.0.0.0"\n8.8.8.8 "Chrome/120.0.0.0"\n',
    { found: 2, unique: 1, duplicates: 1, special: 0, beyondLimit: 0, invalid: 0 },
  ],
  [
    'the same address in two forms',
    '2606:4700:4700::1111 2606:4700:4700:0:0:0:0:1111 ::ffff:8.8.8.8 8.8.8.8',
    { found: 4, unique: 2, duplicates: 2, special: 0, beyondLimit: 0, invalid: 0 },
  ],
  ['nothing', '', { found: 0, unique: 0, duplicates: 0, special: 0, beyondLimit: 0, invalid: 0 }],
] as const) {
  test(`batch: the counts of ${behaviour} add up`, () => {
    const scanner = new AddressScanner();
    scanner.push(text);
    scanner.finish();
    const { counts, found } = scanner;
    assert.deepEqual(counts, want);
    assert.equal(found.length, counts.unique);
    assert.equal(
      found.reduce((sum, [, times]) => sum + times, 0),
      counts.unique + counts.duplicates,
    );
  });
}

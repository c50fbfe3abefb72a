import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AddressScanner } from './address-scanner.ts';

function scan(...chunks: string[]): AddressScanner {
  const scanner = new AddressScanner();
  for (const chunk of chunks) scanner.push(chunk);
  scanner.finish();
  return scanner;
}
const addressesIn = (...chunks: string[]) => scan(...chunks).addresses.map(([address]) => address);

for (const [behaviour, text, want] of [
  ['a line of a log', '8.8.8.8 - - [15/Nov/2026:12:34:56 +0000] "GET / HTTP/1.1" 200', ['8.8.8.8']],
  ['a column of CSV', 'id,ip\n1,8.8.8.8\n2,"1.1.1.1"', ['8.8.8.8', '1.1.1.1']],
  ['JSON', '{"ip":"2606:4700:4700::1111","x":1}', ['2606:4700:4700::1111']],
  ['a port', 'connect to 8.8.8.8:53 failed', ['8.8.8.8']],
  ['an IPv6 address with a port', '[2606:4700:4700::1111]:443', ['2606:4700:4700::1111']],
  ['a prefix counts as its address', '8.8.8.0/24', ['8.8.8.0']],
  ['IPv6 is normalised', '2606:4700:4700:0:0:0:0:1111', ['2606:4700:4700::1111']],
  ['an IPv4-mapped address', 'from ::ffff:8.8.8.8 port', ['8.8.8.8']],
  ['the end of a sentence', 'It was 8.8.8.8.', ['8.8.8.8']],
  ['a time is not an address', 'at 12:34:56 and 2026-11-15T12:34:56Z', []],
  ['a MAC address is not an address', '00:1a:2b:3c:4d:5e', []],
  ['five numbers are not an address', '1.2.3.4.5', []],
  ['part of a word is not an address', 'v1.2.3.4 x8.8.8.8', []],
] as const) {
  test(`batch: ${behaviour}`, () => assert.deepEqual(addressesIn(text), want));
}

test('batch: counts duplicates, invalid and special-purpose addresses apart', () => {
  const { counts } = scan('8.8.8.8 8.8.8.8 1.1.1.1 300.1.1.1 10.0.0.1 10.0.0.1 192.168.0.1');
  assert.deepEqual(counts, { found: 7, unique: 2, duplicates: 1, invalid: 1, special: 2, beyondLimit: 0 });
});

test('batch: a cut anywhere in a text changes nothing', () => {
  const text = `first 8.8.8.8, then [2606:4700:4700::1111]:443 and at last 185.220.101.1\n${'x'.repeat(100)} 9.9.9.9`;
  const want = addressesIn(text);
  assert.equal(want.length, 4);
  for (let at = 0; at <= text.length; at++) {
    assert.deepEqual(addressesIn(text.slice(0, at), text.slice(at)), want, `cut at ${at}`);
  }
  assert.deepEqual(addressesIn(...text), want, 'one character at a time');
});

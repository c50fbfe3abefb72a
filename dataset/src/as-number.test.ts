import assert from 'node:assert/strict';
import test from 'node:test';
import { isReservedAsn, parseAsn, parsePrefixedAsn, reservedAsnUse } from './as-number.ts';

for (const [text, want] of [
  ['1', 1],
  ['4294967295', 4294967295],
  ['4294967296', undefined],
  ['AS1', undefined],
  ['1.5', undefined],
  ['-1', undefined],
  [' 1', undefined],
  ['', undefined],
] as const) {
  test(`as-number: ${JSON.stringify(text)}`, () => assert.equal(parseAsn(text), want));
}

for (const [text, want] of [
  ['15169', 15169],
  ['AS15169', 15169],
  ['as15169', 15169],
  ['AS4294967295', 4294967295],
  ['AS4294967296', undefined],
  ['ASAS1', undefined],
  ['AS', undefined],
  ['AS 1', undefined],
] as const)
  test(`as-number: with an optional AS prefix: ${JSON.stringify(text)}`, () =>
    assert.equal(parsePrefixedAsn(text), want));

for (const [asn, want] of [
  [0, true],
  [1, false],
  [23455, false],
  [23456, true],
  [64495, false],
  [64496, true],
  [65535, true],
  [131071, true],
  [131072, false],
  [4199999999, false],
  [4200000000, true],
  [4294967295, true],
] as const) {
  test(`as-number: ${asn} is ${want ? '' : 'not '}reserved`, () =>
    assert.equal(isReservedAsn(asn), want));
}

for (const [asn, want] of [
  [64_512, 'private use (RFC 6996)'],
  [4_294_967_294, 'private use (RFC 6996)'],
  [64_511, 'documentation (RFC 5398)'],
  [65_551, 'documentation (RFC 5398)'],
  [23_456, 'routers without four-byte numbers (RFC 6793)'],
  [65_535, 'no network: it is reserved'],
  [64_495, undefined],
] as const)
  test(`as-number: ${asn} is for ${want ?? 'networks'}`, () =>
    assert.equal(reservedAsnUse(asn), want));

import assert from 'node:assert/strict';
import test from 'node:test';
import { isReservedAsn, parseAsn, parsePrefixedAsn } from './as-number.ts';

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
  test(`as-number: ${asn} is ${want ? '' : 'not '}reserved`, () => assert.equal(isReservedAsn(asn), want));
}

import assert from 'node:assert/strict';
import test from 'node:test';
import { fixture, NO_FIXTURES } from '@whence/testing/fixtures';
import { bytesContent, fileContent } from '../../../io/content.ts';
import { parseAsnCsv } from './network-list.ts';

for (const [behaviour, text, want, skipped] of [
  ['brianhama', 'ASN,Entity\n64496,"Name, XX"', [64496], 0],
  ['white space before the quote', '64496, "Name, XX"', [64496], 0],
  ['the number in quotes', '"64496","Name"', [64496], 0],
  ['a name without quotes and with a comma', '64496,Name, Inc.', [64496], 0],
  ['quotes in a name', '64496,"The ""Name"""', [64496], 0],
  ['a tag of bgp.tools', 'AS64496,"Name, Inc."', [64496], 0],
  [
    'X4BNet',
    'AS64496 # Name, XX\nAS64497\t# Other\n\n# a remark\nAS64498',
    [64496, 64497, 64498],
    0,
  ],
  ['AS 0 is left out', '0,"Reserved"\n64496,"Name"', [64496], 0],
  ['a header in quotes', '"asn","name"\n64496,"Name"', [64496], 0],
  ['a header in a later row cannot be parsed', '64496,"Name"\nASN,Entity', [64496], 1],
  ['an HTML page', '<!doctype html>\n<p>64496</p>', [], 2],
  ['a number that is too large', '4294967296,"Name"', [], 1],
] as const) {
  test(`asn-csv: ${behaviour}`, () => {
    const read = parseAsnCsv(bytesContent(text));
    assert.deepEqual([...read.networks], want);
    assert.equal(read.skipped, skipped);
  });
}

for (const [file, records, asn] of [
  ['hosting/brianhama-bad-asn-list.csv', 723, 51447],
  ['hosting/x4bnet-datacenter-ASN.txt', 892, 55286],
  ['vpn/x4bnet-vpn-ASN.txt', 15, 209854],
  ['format-samples/bgptools-tag-mobile.csv', 2, 21928],
] as const) {
  const path = fixture(file);
  test(`asn-csv: ${file}`, { skip: path === undefined && NO_FIXTURES }, () => {
    const read = parseAsnCsv(fileContent(path as string));
    assert.deepEqual([read.records, read.skipped, read.networks.has(asn)], [records, 0, true]);
  });
}

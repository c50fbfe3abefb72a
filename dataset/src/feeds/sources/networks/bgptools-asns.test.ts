import assert from 'node:assert/strict';
import test from 'node:test';
import { fixture, NO_FIXTURES } from '@whence/testing/fixtures';
import { bytesContent, fileContent } from '../../../io/content.ts';
import { listedNetworks } from '../../../test/listed.ts';
import { parseBgptoolsAsns } from './network-list.ts';

for (const [behaviour, row, want, skipped] of [
  ['an access network', 'AS64496,"Name, LLC",Eyeball,US', ['AS64496 Name, LLC (residential)'], 0],
  ['servers', 'AS64496,Name,Content,US', ['AS64496 Name (datacenter)'], 0],
  ['a carrier has no connection type', 'AS64496,Name,Transit,US', ['AS64496 Name'], 0],
  ['an unknown class', 'AS64496,Name,Unknown,US', ['AS64496 Name'], 0],
  ['a class named like an inherited property of objects', 'AS64496,Name,constructor,US', ['AS64496 Name'], 0],
  ['an older file, without countries', 'AS64496,Name,Eyeball', ['AS64496 Name (residential)'], 0],
  ['too few columns', 'AS64496,Name', [], 1],
  ['no number', 'x,Name,Eyeball,US', [], 1],
] as const) {
  test(`bgptools-asns: ${behaviour}`, () => {
    const read = parseBgptoolsAsns(bytesContent(`asn,name,class,cc\n${row}\n`));
    assert.deepEqual(listedNetworks(read), want);
    assert.equal(read.skipped, skipped);
  });
}

const bgptools = fixture('format-samples/bgptools-asns.csv');
test('bgptools-asns: the sample', { skip: bgptools === undefined && NO_FIXTURES }, () => {
  assert.deepEqual(listedNetworks(parseBgptoolsAsns(fileContent(bgptools as string))), [
    'AS1 Level 3 Parent, LLC',
    'AS7922 Comcast Cable Communications, LLC (residential)',
  ]);
});

import assert from 'node:assert/strict';
import test from 'node:test';
import { bytesContent } from '../../../io/content.ts';
import { listed } from '../../../test/listed.ts';
import { parseNamedScanners } from './line-lists.ts';

for (const [behaviour, line, want] of [
  ['a reverse name of a known operator', '192.0.2.1 # census1.shodan.io', 'Shodan'],
  ['a final dot and spaces', '192.0.2.1  #  SCAN-1A.shadowserver.org. ', 'Shadowserver'],
  ['a remark', '192.0.2.1 # cortex xpanse', 'Palo Alto Networks Xpanse'],
  ['a prefix', '192.0.2.1/32 # x.labs.rapid7.com', 'Rapid7'],
  ['a name that only looks like it', '192.0.2.1 # notshodan.io', undefined],
  ['a name in front of another domain', '192.0.2.1 # shodan.io.example.com', undefined],
  ['no name', '192.0.2.1', undefined],
  ['an empty name', '192.0.2.1 #', undefined],
  ['a comment about the list', '# 192.0.2.1 census1.shodan.io', undefined],
  ['a name without an address', 'x # census1.shodan.io', undefined],
] as const)
  test(`named scanners: ${behaviour}`, () => {
    const read = parseNamedScanners(bytesContent(`# heading\n    \n${line}\n`));
    assert.deepEqual(listed(read), want === undefined ? [] : [`192.0.2.1/32 ${want}`]);
  });

import assert from 'node:assert/strict';
import test from 'node:test';
import { fixture, NO_FIXTURES } from '@whence/testing/fixtures';
import { bytesContent, fileContent } from '../../../io/content.ts';
import { labelsOf, listed } from '../../../test/listed.ts';
import { parseNetset } from './line-lists.ts';

const SOURCE = '# Source File Date: Thu Mar 12 07:15:03 UTC 2026\n';
const FILE = '# This File Date  : Sat Aug 22 06:00:23 UTC 2026\n';

for (const [behaviour, header, want] of [
  ['the date of the source', FILE + SOURCE, '2026-03-12'],
  ['the date of the file if the source has none', `${FILE}# Source File Date: \n`, '2026-08-22'],
  ['no date', '# Maintainer : example\n', undefined],
] as const) {
  test(`netset: ${behaviour}`, () => {
    const read = parseNetset(bytesContent(`${header}#\n192.0.2.0/24\n198.51.100.1\n`));
    assert.equal(read.asOf, want);
    assert.deepEqual(listed(read), ['192.0.2.0/24', '198.51.100.1/32']);
    assert.equal(read.skipped, 0);
  });
}

for (const [file, records, asOf, inside] of [
  ['threat/firehol/firehol_level1.netset', 4631, '2026-08-22', '10.0.0.1'],
  ['threat/firehol/firehol_level2.netset', 17924, '2026-08-22', undefined],
  ['threat/firehol/feodo.ipset', 1, '2026-03-12', '50.16.16.211'],
  ['threat/firehol/et_block.netset', 1624, '2026-08-21', '223.254.1.1'],
  ['threat/firehol/blocklist_de.ipset', 24880, '2026-08-22', '1.20.150.200'],
] as const) {
  const path = fixture(file);
  test(`netset: ${file}`, { skip: path === undefined && NO_FIXTURES }, () => {
    const read = parseNetset(fileContent(path as string));
    assert.deepEqual([read.records, read.skipped, read.asOf], [records, 0, asOf]);
    if (inside !== undefined) assert.deepEqual(labelsOf(read, inside), ['']);
  });
}

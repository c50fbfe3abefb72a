/**
 * Whether the sections of a file fit together, so that no lookup reads beyond one. Checksums tell that a file is as it
 * was written; this tells that what was written can be read. It takes a quarter of the time to open a file, which a server
 * spends in a thread (open-in-thread.ts).
 */

import { checkGroups } from './consecutive-groups.ts';
import { checkCovered } from './covered.ts';
import { ASN_ROW_WORDS, DatasetError, OTHER_ORIGIN_ROW_WORDS, type SectionName, wordsOf } from './format.ts';
import { checkIpv4 } from './ipv4-table.ts';
import { checkIpv6 } from './ipv6-table.ts';
import { checkOrigins } from './origin-index.ts';
import { findDamagedTails } from './tails.ts';

type Sections = Record<SectionName, Buffer>;

const TAB = 0x09;
const LF = 0x0a;

/** Throws a DatasetError unless the sections fit together. */
export function checkSections(sections: Sections): void {
  const networks = countRows(sections, 'asns', ASN_ROW_WORDS);
  const records = countRows(sections, 'records', 1);
  const tails = countRows(sections, 'tails', 1);
  checkNetworks(sections, networks);
  checkRecords(sections, networks, tails);
  const damaged = findDamagedTails(sections);
  if (damaged !== undefined) ensure(false, damaged);
  ensure(checkCovered(sections.covered, 4, networks), 'covered');
  ensure(checkCovered(sections['covered.v6'], 6, networks), 'covered.v6');
  countRows(sections, 'rivals', OTHER_ORIGIN_ROW_WORDS);
  for (const name of ['words.at', 'grams.at', 'texts.at'] as const) countRows(sections, name, 2);
  ensure(checkIpv4(sections['v4.top'], sections['v4.buckets'], records), 'v4.buckets');
  ensure(
    checkIpv6(
      {
        top: sections['v6.top'],
        first: sections['v6.first'],
        offset: sections['v6.offset'],
        second: sections['v6.second'],
        match: sections['v6.match'],
        deep: sections['v6.deep'],
      },
      records,
    ),
    'v6.match',
  );
  ensure(checkOrigins(sections.origins, sections['origins.at'], networks), 'origins');
}

function ensure(isRight: boolean, section: SectionName): void {
  if (!isRight) throw new DatasetError(`damaged: section ${section} does not fit the others`);
}

function countRows(sections: Sections, name: SectionName, words: number): number {
  const rows = sections[name].length / (words * 4);
  ensure(Number.isInteger(rows), name);
  return rows;
}

function checkNetworks(sections: Sections, networks: number): void {
  const byNumber = wordsOf(sections['asns.number']);
  ensure(sections['asns.number'].length === networks * 4 && byNumber.every((row) => row < networks), 'asns.number');
  const rows = wordsOf(sections.asns);
  const text = sections['asns.text'];
  let start = 0;
  for (let at = 0; at < rows.length; at += ASN_ROW_WORDS) {
    const tab = start + ((rows[at + 2] as number) & 0xffff);
    ensure(rows[at + 1] === start && text[tab] === TAB, 'asns.text');
    let end = tab;
    while (end < text.length && text[end] !== LF) end++;
    start = end + 1;
  }
  ensure(start === text.length, 'asns.text');
}

function checkRecords(sections: Sections, networks: number, tails: number): void {
  const rows = wordsOf(sections.records);
  // Record 0 is unused, also where there is no other and so neither a network nor a tail.
  for (let record = 1; record < rows.length; record++) if ((rows[record] as number) >= tails) ensure(false, 'records');
  ensure(checkGroups(sections['records.row'], rows.length, Math.max(networks, 1)), 'records.row');
}

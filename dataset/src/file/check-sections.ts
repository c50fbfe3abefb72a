// Checks that the sections of a file fit together, so that no lookup reads beyond the end of one.
// It takes most of the time to open a file, which a server spends in a thread and commands save
// (`openPublished`).
import { DatasetError } from '../dataset-error.ts';
import { checkCovered } from './addresses/covered.ts';
import { checkIpv4 } from './addresses/ipv4-table.ts';
import { checkIpv6 } from './addresses/ipv6-table.ts';
import { checkOrigins } from './addresses/origin-index.ts';
import { checkOtherOrigins } from './addresses/other-origins.ts';
import { checkGroups } from './consecutive-groups.ts';
import { type SectionName, wordsOf } from './format.ts';
import { countNetworks, findDamagedNetworks } from './networks/networks.ts';
import { findDamagedAttributes } from './texts/attributes.ts';

type Sections = Record<SectionName, Buffer>;

export function checkSections(sections: Sections): void {
  const damagedNetworks = findDamagedNetworks(sections);
  if (damagedNetworks !== undefined) ensure(false, damagedNetworks);
  const networks = countNetworks(sections.asns);
  const records = countRows(sections, 'records');
  const attributeSets = countRows(sections, 'suffixes');
  checkRecords(sections, networks, attributeSets);
  const damaged = findDamagedAttributes(sections);
  if (damaged !== undefined) ensure(false, damaged);
  ensure(checkCovered(sections.covered, 4, networks), 'covered');
  ensure(checkCovered(sections['covered.v6'], 6, networks), 'covered.v6');
  ensure(checkOtherOrigins(sections.otherOrigins), 'otherOrigins');
  ensure(checkIpv4(sections['v4.top'], sections['v4.buckets'], records), 'v4.buckets');
  ensure(checkIpv6(sections, records), 'v6.match');
  ensure(checkOrigins(sections.origins, sections['origins.at'], networks), 'origins');
}

function ensure(isRight: boolean, section: SectionName): void {
  if (!isRight) throw new DatasetError(`damaged: section ${section} does not fit the others`);
}

function countRows(sections: Sections, name: SectionName): number {
  const rows = sections[name].length / 4;
  ensure(Number.isInteger(rows), name);
  return rows;
}

function checkRecords(sections: Sections, networks: number, attributeSets: number): void {
  const rows = wordsOf(sections.records);
  // Record 0 is unused, also in a dataset without networks.
  for (let record = 1; record < rows.length; record++)
    if ((rows[record] as number) >= attributeSets) ensure(false, 'records');
  ensure(checkGroups(sections['records.row'], rows.length, Math.max(networks, 1)), 'records.row');
}

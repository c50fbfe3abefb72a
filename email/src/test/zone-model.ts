/**
 * A zone that an administrator changes as the advice says: a record is added to what is published
 * at its name, and what a wildcard, an alias or a DNAME does to other names follows from
 * the zone literal.
 */
import assert from 'node:assert/strict';
import { canonical, type ZoneEntry, type ZoneRecords } from '@whence/testing/servers/zone-literal';
import type { Change } from '../advice/advice.ts';
import { checkDmarc } from '../dmarc/check.ts';
import { stringsOf } from '../records/zone-file.ts';
import type { DmarcPolicy } from '../report.ts';
import { selectSpf } from '../spf/spf.ts';
import { zone } from './zone.ts';

const text = (strings: string | readonly string[]) => [strings].flat().join('');

/**
 * Fails where no server would take the record: beside an alias, below a DNAME, in place of what is
 * not there.
 */
export function publish(records: ZoneRecords, { record, replaces }: Change): ZoneRecords {
  const names = new Map(Object.keys(records).map((name) => [canonical(name), name]));
  const name = names.get(record.name) ?? record.name;
  const entry: ZoneEntry = records[name] ?? {};
  assert.equal(entry.CNAME, undefined, `${record.name} is an alias`);
  for (const [owner, { DNAME }] of Object.entries(records))
    assert.ok(
      DNAME === undefined || !record.name.endsWith(`.${owner}`),
      `${record.name} is below the DNAME of ${owner}`,
    );
  if (record.type === 'MX') {
    assert.equal(entry.MX, undefined, `${record.name} has MX records`);
    return { ...records, [name]: { ...entry, MX: [[record.preference, record.exchange]] } };
  }
  const published = entry.TXT ?? [];
  const kept = published.filter((one) => !replaces.includes(text(one)));
  // What a wildcard answers is not published at the name, and need not be removed.
  if (records[name] !== undefined && published.length > 0)
    for (const replaced of replaces)
      assert.ok(
        published.some((one) => text(one) === replaced),
        `there is no ${replaced}`,
      );
  return { ...records, [name]: { ...entry, TXT: [...kept, stringsOf(record.text)] } };
}

/** What a name has that a change elsewhere must not take away. */
type Standing = { readonly mx: string; readonly hasSpf: boolean; readonly protection: number };

const LEVELS: Readonly<Record<DmarcPolicy, number>> = { none: 0, quarantine: 1, reject: 2 };

/**
 * Every name of the zone that can be in an address, the checked domain, names beside and below it
 * that exist and do not, and names that only a wildcard answers for. Names with an underscore are
 * not mail domains.
 */
export async function standings(
  domain: string,
  records: ZoneRecords,
): Promise<Map<string, Standing>> {
  const named = Object.keys(records).map((name) => name.replace(/^\*\./, 'any-name.'));
  const around = [
    domain,
    `existing-sub.${domain}`,
    `missing.${domain}`,
    `missing.${domain.slice(domain.indexOf('.') + 1)}`,
  ];
  const organization = domain.split('.').slice(-2).join('.');
  const names = [...new Set([...around, ...named])].filter(
    (name) => !name.includes('_') && name.endsWith(organization),
  );
  const resolver = zone(records);
  const found = names.map(async (name) => {
    const [apex, mx] = await Promise.all([resolver.txt(name), resolver.mx(name)]);
    const isSub = name.startsWith('existing-sub.');
    const state =
      apex.kind === 'nxdomain' && apex.alias === undefined && !isSub ? 'nxdomain' : 'exists';
    const { report, isTestMode } = await checkDmarc(
      name,
      resolver,
      Promise.resolve(state),
      Promise.resolve(apex),
    );
    const level = LEVELS[report.effective_policy];
    const share = isTestMode ? 0 : report.percentage / 100;
    const hosts =
      mx.kind === 'found'
        ? mx.records.map(({ preference, exchange }) => `${preference} ${exchange}`)
        : [];
    const standing = {
      mx: hosts.sort().join(', '),
      hasSpf: apex.kind === 'found' && selectSpf(apex.records).kind !== 'none',
      protection: report.raw === '' || level === 0 ? 0 : level - 1 + share,
    };
    return [name, standing] as const;
  });
  return new Map(await Promise.all(found));
}

export function assertNothingTaken(
  before: Map<string, Standing>,
  after: Map<string, Standing>,
  line: string,
): void {
  for (const [name, was] of before) {
    const is = after.get(name);
    assert.ok(is !== undefined, `${name} is gone after ${line}`);
    if (was.mx !== '') assert.equal(is.mx, was.mx, `MX of ${name} after ${line}`);
    if (was.hasSpf) assert.ok(is.hasSpf, `${name} has no SPF after ${line}`);
    assert.ok(is.protection >= was.protection, `${name} is less protected after ${line}`);
  }
}

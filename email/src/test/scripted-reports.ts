/** Reports about a scripted domain as receivers send them: XML, for each day and reporter. */
import type { ZoneRecords } from '@whence/testing/servers/zone-literal';
import type { ReportRow } from '../reports/report.ts';
import type { ScriptedDomain } from './scripted-domains.ts';
import { rowsOf, SCRIPTED_ZONE, type Stream } from './scripted-streams.ts';

const OWN = 'example.com';
const DAY_S = 86_400;

/** One zone for all of them: each has `nameOf` instead of example.com. */
export function scriptedZone(
  domains: readonly ScriptedDomain[],
  nameOf: (index: number) => string,
): ZoneRecords {
  const zones = domains.map(({ records }, i): ZoneRecords => {
    const own = Object.entries({ ...SCRIPTED_ZONE, ...records });
    // Names and values are texts: those of a provider stay as they are.
    return JSON.parse(JSON.stringify(Object.fromEntries(own)).replaceAll(OWN, nameOf(i)));
  });
  return Object.assign({}, ...zones);
}

/** Texts by file name. The last day of the streams is that of `lastMs`. */
export function scriptedReports(
  streams: readonly Stream[],
  name: string,
  lastMs: number,
): Record<string, string> {
  const today = Math.floor(lastMs / 1000 / DAY_S) * DAY_S;
  const rows = new Map<string, { reporter: string; begin: number; records: string[] }>();
  for (const stream of streams) {
    const { days: [first, last] = [34, 0], reporter = 'google.com' } = stream;
    const records = rowsOf(stream)
      .filter(({ count }) => count > 0)
      .map(recordOf);
    for (let day = first; day >= last; day--) {
      const id = `${reporter}!${day}.xml`;
      const report = rows.get(id) ?? { reporter, begin: today - day * DAY_S, records: [] };
      report.records.push(...records);
      rows.set(id, report);
    }
  }
  return Object.fromEntries(
    [...rows].map(([id, { reporter, begin, records }]) => [
      id,
      `<?xml version="1.0"?><feedback><report_metadata><org_name>${reporter}</org_name><email>dmarc@${reporter}</email>
<report_id>${id} ${records.length}</report_id><date_range><begin>${begin}</begin><end>${begin + DAY_S - 1}</end></date_range></report_metadata>
<policy_published><domain>${OWN}</domain><p>none</p></policy_published>
${records.join('\n')}</feedback>`.replaceAll(OWN, name),
    ]),
  );
}

function recordOf(row: ReportRow): string {
  const verdictOf = (hasPassed: boolean) => (hasPassed ? 'pass' : 'fail');
  const reasons = row.reasons.map(
    ({ type, comment }) => `<reason><type>${type}</type><comment>${comment}</comment></reason>`,
  );
  const dkim = row.dkim.map(
    ({ domain, selector, result }) =>
      `<dkim><domain>${domain}</domain><selector>${selector}</selector><result>${result}</result></dkim>`,
  );
  const spf = row.spf.map(
    ({ domain, scope, result }) =>
      `<spf><domain>${domain}</domain><scope>${scope}</scope><result>${result}</result></spf>`,
  );
  return `<record><row><source_ip>${row.address}</source_ip><count>${row.count}</count>
<policy_evaluated><disposition>${row.disposition}</disposition><dkim>${verdictOf(row.dkimPassed)}</dkim><spf>${verdictOf(row.spfPassed)}</spf>${reasons.join('')}</policy_evaluated></row>
<identifiers><header_from>${row.headerFrom}</header_from></identifiers>
<auth_results>${dkim.join('')}${spf.join('')}</auth_results></record>`;
}

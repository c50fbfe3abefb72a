/** What the judge says about a scripted domain, from rows as storage has them. */
import type { ZoneRecords } from '@whence/testing/servers/zone-literal';
import { examineDomain } from '../check.ts';
import { compileZone, judgeSenders, type VerdictReport } from '../reports/judge/judge-senders.ts';
import { dayAfter } from '../reports/judge/verdict.ts';
import { isLargeReceiver } from '../reports/large-receivers.ts';
import type { DailySource, SeenReporter } from '../reports/report.ts';
import type { Findings } from '../score/score.ts';
import type { ScriptedDomain } from './scripted-domains.ts';
import { rowsOf, SCRIPTED_ZONE, type Stream } from './scripted-streams.ts';
import { zone } from './zone.ts';

const TO = '2026-11-17';
const FROM = dayAfter(TO, -34);

/** Rows of a stream in the period, and before it. */
function sourcesOf(stream: Stream, [oldest, newest]: readonly [number, number]): DailySource[] {
  const { days = [34, 0], reporter = 'google.com' } = stream;
  const first = Math.min(days[0], oldest);
  const last = Math.max(days[1], newest);
  if (first < last) return [];
  return rowsOf(stream).map(({ count, ...row }) => {
    const listed = isLargeReceiver({ name: reporter, email: '' }) ? count : 0;
    const daily = Array.from({ length: first - last + 1 }, (_, i) => ({
      day: oldest - first + i,
      messages: count,
      listed,
    }));
    return {
      ...row,
      addresses: 1,
      isSummed: false,
      messages: count * (first - last + 1),
      firstDay: dayAfter(TO, -first),
      lastDay: dayAfter(TO, -last),
      reporters: [reporter],
      start: dayAfter(TO, -oldest),
      daily,
    };
  });
}

function reportersOf(streams: readonly Stream[]): SeenReporter[] {
  const names = new Set(streams.map(({ reporter = 'google.com' }) => reporter));
  return [...names].map((name) => {
    const days = daysOf(streams.filter(({ reporter = 'google.com' }) => reporter === name));
    return {
      name,
      email: `dmarc@${name}`,
      reports: days.length,
      messages: 1,
      firstDay: days[0]?.day ?? '',
      lastDay: days.at(-1)?.day ?? '',
    };
  });
}

/** Days of the period with reports. */
function daysOf(streams: readonly Stream[]) {
  const reported = new Set<number>();
  for (const { days: [first, last] = [34, 0] } of streams)
    for (let day = Math.min(34, first); day >= last; day--) reported.add(day);
  return [...reported]
    .sort((a, b) => b - a)
    .map((day) => ({ day: dayAfter(TO, -day), messages: 1, passed: 1 }));
}

const examined = new Map<ZoneRecords, Promise<Findings>>();

function findingsOf(records: ZoneRecords): Promise<Findings> {
  const resolver = zone({ ...SCRIPTED_ZONE, ...records });
  const findings =
    examined.get(records) ??
    examineDomain('example.com', { resolver }).then((examination) => examination.findings);
  examined.set(records, findings);
  return findings;
}

const NO_RECORDS: ZoneRecords = {};

/** `flood` is reported beside its own mail. */
export async function verdictOf(
  domain: ScriptedDomain,
  flood: readonly Stream[] = [],
): Promise<VerdictReport> {
  const { streams, decisions = [], records = NO_RECORDS, period = 34, asked = 'reject' } = domain;
  const all = [...streams, ...flood];
  const resolver = zone({ ...SCRIPTED_ZONE, ...records });
  const sources = all.flatMap((stream) => sourcesOf(stream, [34, 0]));
  const { report } = await judgeSenders({
    domain: 'example.com',
    from: FROM,
    to: TO,
    window: {
      generation: 1,
      reports: 35,
      reporters: reportersOf(all),
      unproven: [],
      unusable: 0,
      conflicting: 0,
      days: daysOf(all),
      sources,
    },
    earlier: period > 34 ? all.flatMap((stream) => sourcesOf(stream, [89, 35])) : [],
    hasOlderReports: false,
    decisions: new Map(decisions),
    asked,
    present: await compileZone({ findings: await findingsOf(records), resolver }),
    networkOf: (address) => {
      const block = address.includes(':')
        ? '2001:db8:1::/48'
        : `${address.split('.').slice(0, 3).join('.')}.0/24`;
      return { id: block, name: block, realm: block, isOfOne: false };
    },
  });
  return report.verdict;
}

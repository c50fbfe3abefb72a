/** What TLS reports show about a domain: a verdict, who reported, and what failed where. */
import { isLargeReceiver } from '@whence/email/reports/large-receivers';
import {
  judgeTls,
  type SeenTls,
  type SeenTlsSum,
  type TlsVerdict,
} from '@whence/email/reports/tls-verdict';
import { explainTlsReason } from '@whence/email/reports/tls-verdict-text';
import { tlsZoneOf } from '@whence/email/reports/tls-zone';
import type { ReportedTls } from '../email-checks/check-request.ts';
import type { Checked } from '../email-checks/examine-mail.ts';
import { StorageUnavailable } from '../storage/storage-unavailable.ts';
import { periodOf } from './senders.ts';
import type { TlsReportsAnswer } from './tls-reports-request.ts';

type TlsSource = { window(domain: string, fromDay: string, toDay: string): Promise<SeenTls> };

/** Rows of an answer. */
const MAX_ROWS = 100;
const NOTHING_TO_PUBLISH = { text: '', record: '', file_url: '', file: '' };

export class TlsReports implements ReportedTls {
  readonly #store: TlsSource;
  readonly #nowMs: () => number;

  constructor(store: TlsSource, nowMs: () => number) {
    this.#store = store;
    this.#nowMs = nowMs;
  }

  /** `checked` has `transport`. */
  async answer(domain: string, days: number, checked: Checked): Promise<TlsReportsAnswer> {
    const { from, to } = periodOf(this.#nowMs(), days);
    const seen = await this.#store.window(domain, from, to);
    const verdict = verdictOf(domain, checked, seen, to);
    if (verdict === undefined) throw new Error('a verdict on TLS needs a check with transport');
    const { transport } = checked.withTlsVerdict(verdict).report;
    const { zone } = verdict;
    const mayPublish = verdict.answer === 'yes' || zone.mode === '' || zone.mode === 'none';
    const [advised = NOTHING_TO_PUBLISH] = mayPublish
      ? (transport?.mta_sts.recommendations ?? [])
      : [];
    return {
      domain,
      from,
      to,
      verdict: {
        question: verdict.question,
        answer: verdict.answer,
        text: verdict.text,
        reasons: verdict.reasons.map(({ weight, ...fact }) => ({
          weight,
          ...fact,
          text: explainTlsReason(fact),
        })),
        record: advised.record,
        file_url: advised.file_url,
        file: advised.file,
      },
      mode: zone.mode,
      has_dane: zone.hasDane,
      hosts: [...(zone.hosts ?? [])],
      reports: seen.reports,
      sessions: sessionsOf(seen.sums),
      failed: sessionsOf(seen.sums.filter(hasFailed)),
      days: sumsBy(seen.sums, ({ day }) => day)
        .map(([day, sums]) => ({ day, ...countsOf(sums) }))
        .sort((a, b) => (a.day < b.day ? -1 : 1)),
      reporters: sumsBy(seen.sums, ({ reporter }) => reporter)
        .map(([name, sums]) => ({
          name,
          is_large: isLargeReceiver({ name, email: '' }),
          ...countsOf(sums),
          ...datesOf(sums),
        }))
        .sort((a, b) => b.sessions - a.sessions)
        .slice(0, MAX_ROWS),
      failures: failuresOf(seen.sums),
    };
  }

  async measure(
    domain: string,
    checked: Pick<Checked, 'findings' | 'transport'>,
  ): Promise<TlsVerdict | undefined> {
    const { from, to } = periodOf(this.#nowMs());
    try {
      const seen = await this.#store.window(domain, from, to);
      return seen.reports === 0 ? undefined : verdictOf(domain, checked, seen, to);
    } catch (error) {
      // A check needs no storage.
      if (error instanceof StorageUnavailable) return undefined;
      throw error;
    }
  }
}

function verdictOf(
  domain: string,
  { findings, transport }: Pick<Checked, 'findings' | 'transport'>,
  seen: SeenTls,
  to: string,
) {
  if (transport === undefined) return undefined;
  const zone = tlsZoneOf(domain, findings, transport);
  return { ...judgeTls(zone, seen, to), zone };
}

const hasFailed = ({ result }: SeenTlsSum) => result !== 'success';
const sessionsOf = (sums: readonly SeenTlsSum[]) =>
  sums.reduce((total, { sessions }) => total + sessions, 0);
const countsOf = (sums: readonly SeenTlsSum[]) => ({
  sessions: sessionsOf(sums),
  failed: sessionsOf(sums.filter(hasFailed)),
});

function datesOf(sums: readonly SeenTlsSum[]) {
  const days = sums.map(({ day }) => day).sort();
  return { first_seen: days[0] ?? '', last_seen: days.at(-1) ?? '' };
}

function sumsBy(
  sums: readonly SeenTlsSum[],
  keyOf: (sum: SeenTlsSum) => string,
): [key: string, sums: SeenTlsSum[]][] {
  const found = new Map<string, SeenTlsSum[]>();
  for (const sum of sums) {
    const known = found.get(keyOf(sum));
    if (known === undefined) found.set(keyOf(sum), [sum]);
    else known.push(sum);
  }
  return [...found];
}

/** By policy, host and result, the most sessions first. */
function failuresOf(sums: readonly SeenTlsSum[]): TlsReportsAnswer['failures'] {
  return sumsBy(sums.filter(hasFailed), ({ policy, host, result }) => `${policy} ${host} ${result}`)
    .flatMap(([, same]) => {
      const [first] = same;
      if (first === undefined || first.result === 'success') return [];
      const { policy, host, result } = first;
      const reporters = [...new Set(same.map(({ reporter }) => reporter))].slice(0, MAX_REPORTERS);
      return [{ policy, host, result, sessions: sessionsOf(same), reporters, ...datesOf(same) }];
    })
    .sort((a, b) => b.sessions - a.sessions)
    .slice(0, MAX_ROWS);
}

const MAX_REPORTERS = 5;

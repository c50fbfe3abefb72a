/**
 * Requests that try records: what they may have, how their texts are read, and the trial itself.
 */

import type { Dataset } from '@whence/dataset/dataset';
import type { TriedRecords } from '@whence/email/changed-zone';
import { looksLikeRecordLine, parseRecordLines } from '@whence/email/record-lines';
import type { ReportedVerdict } from '@whence/email/report';
import type { AskedPolicy } from '@whence/email/reports/asked-policy';
import type { SendersReport } from '@whence/email/reports/judge';
import { ApiError, isOverloaded } from '../http/errors.ts';
import {
  boolean,
  exactObject,
  named,
  optional,
  string,
  text,
  type ValueOf,
} from '../http/json-schema.ts';
import type { Requester } from '../limits/cost-classes.ts';
import { REPORT_DAYS } from '../vocabulary.ts';
import { measuredBy, NOT_JUDGED } from './check-details.ts';
import {
  dnsUnavailable,
  mayNotReadReports,
  parseDomain,
  parseSelectors,
  type ReportedSenders,
} from './check-request.ts';
import type { EmailChecks } from './email-checks.ts';
import type { Checked } from './examine-mail.ts';
import { describeTrial, type TrialReport } from './trial-report.ts';

/** Longer TXT records are not read by a check either. */
const record = (description: string, example?: string) =>
  optional({ ...string(description, example), maxLength: 16 * 1024 });

/** An empty text removes a record, an absent field leaves it as it is. */
export const trialBody = exactObject({
  zone: optional({
    ...string(
      'Records (TXT, MX, CNAME, A, AAAA), one per line: `name [TTL] [IN] TYPE value`. Names without a final dot are relative to the domain. TXT "" removes a record.',
      '_dmarc IN TXT "v=DMARC1; p=none; rua=mailto:dmarc@example.com"',
    ),
    maxLength: 64 * 1024,
  }),
  mx: record(
    'MX hosts, one per line, with or without a preference; "0 ." for a null MX.',
    '10 mx.example.com',
  ),
  spf: record('Text of the SPF record.', 'v=spf1 mx -all'),
  dmarc: record('Text of the DMARC record.', 'v=DMARC1; p=none; rua=mailto:dmarc@example.com'),
  dkim: optional(
    named('EmailTrialKey', exactObject({ selector: text(253), text: text(16 * 1024) })),
  ),
  selectors: record(
    'DKIM selectors separated by commas. Without it, the common ones are tried.',
    'google,selector1',
  ),
  history: optional(
    boolean(
      `Replays the mail of the last ${REPORT_DAYS} days, by its reports, under these records. Needs \`reports:read\`.`,
    ),
  ),
});

/** Without a dataset, senders are not told apart by network. */
type TrySources = {
  readonly emailChecks: EmailChecks;
  readonly dataset: Dataset | undefined;
  /** For those who may read reports. */
  readonly senders?: ReportedSenders | undefined;
};

export async function tryForRequest(
  { emailChecks, dataset: networksFrom, senders }: TrySources,
  domainText: string,
  { selectors: selectorText, history: isReplayed = false, ...given }: ValueOf<typeof trialBody>,
  requester: Requester,
): Promise<TrialReport> {
  const domain = parseDomain(domainText);
  if (isReplayed && senders === undefined) throw mayNotReadReports();
  const { tried, notes } = await readTried(domain, given);
  const requested = parseSelectors(selectorText?.split(','));
  const key = tried.dkim === undefined ? [] : (parseSelectors([tried.dkim.selector]) ?? []);
  if (tried.dkim !== undefined && key.length !== 1) throw new ApiError('INVALID_SELECTOR');
  const own = [...key, ...(tried.records ?? []).flatMap(({ name }) => selectorOf(name, domain))];
  const trial = await emailChecks.tryRecords(
    domain,
    {
      ...requester,
      networksFrom,
      hasSenders: true,
      // Without a list of selectors, those of the keys are tried beside the common ones.
      moreSelectors: parseSelectors(own),
      selectors: requested === undefined ? undefined : parseSelectors([...requested, ...own]),
    },
    tried,
  );
  if (trial === undefined || trial.before.isDnsUnavailable)
    throw dnsUnavailable(trial?.before.dnsFault);
  const zones = { present: trial.before, changed: trial.after };
  const replay = async (asked?: AskedPolicy) => {
    if (!isReplayed && !(await senders?.hasReports(domain))) return undefined;
    return senders
      ?.replay(domain, zones, networksFrom, requester, asked)
      .catch((error: unknown) => {
        if (isReplayed || !isOverloaded(error)) throw error;
        return 'not judged' as const;
      });
  };
  const history = await replay();
  const isBelow = isAboutNamesBelow(history);
  const verdict = verdictOf(isBelow ? await replay('reject') : history);
  const measured =
    verdict && (await senders?.measure(domain, trial.before, networksFrom, requester));
  const [before, after] = await Promise.all([
    withVerdict(trial.before, measured?.verdict),
    withVerdict(trial.after, verdict),
  ]);
  const below = isBelow ? verdictOf(history) : undefined;
  const described = { ...trial, before, after, below, notes };
  const report = await describeTrial(domain, described, networksFrom);
  return isReplayed && typeof history === 'object' ? { ...report, history } : report;
}

type History = SendersReport | 'not judged' | undefined;

function verdictOf(history: History): ReportedVerdict | undefined {
  if (history === 'not judged') return NOT_JUDGED;
  return history === undefined || history.reports === 0 ? undefined : measuredBy(history).verdict;
}

async function withVerdict(checked: Checked, verdict: ReportedVerdict | undefined) {
  return verdict === undefined ? checked : { ...checked, ...(await checked.withReports(verdict)) };
}

/** What it says is no advice on `p`. */
const isAboutNamesBelow = (history: History) =>
  typeof history === 'object' && history.verdict.policy.includes('=');

type GivenRecords = Omit<ValueOf<typeof trialBody>, 'selectors' | 'history'>;

/** A record with its name and type is read as such, in whatever field it was pasted. */
async function readTried(
  domain: string,
  given: GivenRecords,
): Promise<{ tried: TriedRecords; notes: readonly string[] }> {
  const { zone = '', mx, spf, dmarc, dkim } = given;
  const fields = { spf, dmarc, dkim: dkim?.text, mx };
  const isLine = (name: keyof typeof fields) => looksLikeRecordLine(fields[name] ?? '');
  const pasted = (Object.keys(fields) as (keyof typeof fields)[])
    .filter(isLine)
    .map((name) => fields[name]);
  const hosts = mx === undefined || isLine('mx') ? undefined : mxLines(domain, mx);
  const { records, notes, fault } = parseRecordLines(
    [zone, ...pasted, ...(hosts ?? [])].join('\n'),
    domain,
  );
  if (fault !== undefined) {
    const path = zone === '' ? '' : '/zone';
    throw new ApiError('INVALID_REQUEST', { extra: { details: { path, ...fault } } });
  }
  if (records.length === 0 && Object.values(fields).every((value) => value === undefined)) {
    const expected = 'a TXT, MX, CNAME, A or AAAA record to try';
    throw new ApiError('INVALID_REQUEST', { extra: { details: { path: '/zone', expected } } });
  }
  return {
    tried: {
      ...(spf === undefined || isLine('spf') ? {} : { spf }),
      ...(dmarc === undefined || isLine('dmarc') ? {} : { dmarc }),
      ...(dkim === undefined || isLine('dkim') ? {} : { dkim }),
      ...(hosts?.length === 0 && { mx: [] }),
      records,
    },
    notes,
  };
}

/** `10 mx.example.com`, or the host alone. */
function mxLines(domain: string, text: string): string[] {
  const lines = text.split(/[\r\n,;]+/).map((line) => line.trim());
  return lines
    .filter((line) => line !== '')
    .map((line) => {
      const [, preference = '10', host = ''] = /^(?:(\d{1,5})\s+)?(\S+)$/.exec(line) ?? [];
      if (host === '')
        throw new ApiError('INVALID_REQUEST', {
          extra: { details: { path: '/mx', expected: '10 mx.example.com' } },
        });
      return `${domain}. IN MX ${preference} ${host.replace(/\.?$/, '.')}`;
    });
}

function selectorOf(name: string, domain: string): string[] {
  const suffix = `._domainkey.${domain}`;
  return name.endsWith(suffix) ? [name.slice(0, -suffix.length)] : [];
}

/**
 * How TLS fares on the way to a domain, by TLS reports: whether MTA-STS may be enforced, and what
 * fails where.
 */
import { Link } from '@tanstack/react-router';
import type { TlsReports as TlsAnswer } from '@whence/client/wire';
import { REPORT_DAYS } from '@whence/server/vocabulary';
import { useAnswer } from '../api/query-client.ts';
import { BarChart } from '../charts/BarChart.tsx';
import { CodeBlock } from '../components/Copy.tsx';
import { Numbers } from '../components/Facts.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { Section } from '../components/Page.tsx';
import { type Column, Table } from '../components/Table.tsx';
import { longDay } from '../format/data-age.ts';
import { count, formatNumber, formatShare } from '../format/number.ts';
import { useNow } from '../format/Time.tsx';
import { DAY_MS, shortDay, utcDay } from '../format/time.ts';
import { unicodeDomain } from '../unicode-domain.ts';
import { AnswerNotice } from './AnswerNotice.tsx';
import { Reporters } from './Reporters.tsx';
import { ReportUpload } from './ReportUpload.tsx';
import classes from './Senders.module.css';

const STALE_AFTER_MS = 60_000;

export function TlsReports({ domain }: { domain: string }) {
  const reports = useAnswer(
    'getTlsReports',
    { params: { domain }, query: { days: REPORT_DAYS } },
    { staleTime: STALE_AFTER_MS, refetchOnWindowFocus: false },
  );
  return (
    <Section
      title="TLS on the way to it"
      note="What senders report about encrypted delivery to this domain (TLS reports)."
    >
      <Loaded
        query={reports}
        shape={[['figures'], ['chart'], ['table']]}
        domain={unicodeDomain(domain)}
      >
        {({ data }) => (
          <>
            <TlsVerdictNotice answer={data} />
            {data.reports > 0 ? (
              <>
                <Figures answer={data} />
                <SessionsByDay answer={data} />
                <Failures answer={data} />
                <Reporters reporters={data.reporters} amounts={REPORTED} />
              </>
            ) : (
              <TlsSetup domain={domain} />
            )}
          </>
        )}
      </Loaded>
    </Section>
  );
}

type AnswerProps = { answer: TlsAnswer };

const QUESTIONS = {
  enforce: 'May MTA-STS be set to enforce?',
  keep_enforce: 'May MTA-STS stay in enforce?',
  keep_dane: 'May DANE be kept?',
} as const;

function TlsVerdictNotice({ answer: { domain, verdict } }: AnswerProps) {
  const { question, answer, text, reasons, record, file, file_url } = verdict;
  return (
    <AnswerNotice question={QUESTIONS[question]} answer={answer} text={text} reasons={reasons}>
      {file !== '' && (
        <>
          <p>The policy to publish at {file_url}:</p>
          <CodeBlock text={file} label="policy to publish" />
        </>
      )}
      {record !== '' && (
        <>
          <p>Then the record:</p>
          <CodeBlock text={record} label="record to publish" />
        </>
      )}
      {answer === 'no' && (
        <p>
          <Link
            to="/domain/$domain"
            params={{ domain }}
            search={{ tab: 'records', include: 'smtp' }}
          >
            See what its mail hosts present now
          </Link>
        </p>
      )}
    </AnswerNotice>
  );
}

function Figures({ answer: { sessions, failed, reports, reporters, from, to } }: AnswerProps) {
  const now = useNow();
  return (
    <Numbers
      items={[
        {
          name: 'Sessions',
          value: formatNumber(sessions),
          note: `${longDay(from, now)} to ${longDay(to, now)}`,
        },
        {
          name: 'Failed',
          value: formatNumber(failed),
          note: `${formatShare(failed, sessions)} of the sessions`,
        },
        {
          name: 'Reports',
          value: formatNumber(reports),
          note: `of ${count(reporters.length, 'reporter')}`,
        },
      ]}
    />
  );
}

function SessionsByDay({ answer: { days, from, to } }: AnswerProps) {
  const known = new Map(days.map((day) => [day.day, day]));
  const all: string[] = [];
  for (let day = from; day <= to; day = utcDay(Date.parse(day) + DAY_MS)) all.push(day);
  const failed = all.map((day) => known.get(day)?.failed ?? 0);
  const succeeded = all.map((day, i) => (known.get(day)?.sessions ?? 0) - (failed[i] ?? 0));
  return (
    <BarChart
      label="Sessions by day"
      names={all.map((day) => shortDay(day))}
      series={[
        { id: 'succeeded', label: 'succeeded', values: succeeded },
        { id: 'failed', label: 'failed', values: failed, tone: 'failed' },
      ]}
      height={180}
    />
  );
}

/** As reports name it. */
const POLICY_WORDS: Readonly<Record<string, string>> = {
  sts: 'MTA-STS',
  tlsa: 'DANE',
  'no-policy-found': 'none',
};

const failureColumns: Column<TlsAnswer['failures'][number]>[] = [
  { name: 'MX host', isText: true, cell: ({ host }) => host || 'not named' },
  { name: 'Why', isText: true, cell: ({ result }) => result },
  { name: 'Policy', isText: true, cell: ({ policy }) => POLICY_WORDS[policy] ?? policy },
  { name: 'Failed', align: 'end', cell: ({ sessions }) => formatNumber(sessions) },
  { name: 'Reported by', isText: true, cell: ({ reporters }) => reporters.join(', ') },
  { name: 'Last seen', cell: ({ last_seen }) => shortDay(last_seen) },
];

function Failures({ answer: { failures } }: AnswerProps) {
  if (failures.length === 0) return null;
  return (
    <Table isStacked label="What failed" columns={failureColumns} rows={failures} limit={10} />
  );
}

const REPORTED: Column<TlsAnswer['reporters'][number]>[] = [
  { name: 'Sessions', align: 'end', cell: ({ sessions }) => formatNumber(sessions) },
  { name: 'Failed', align: 'end', cell: ({ failed }) => formatNumber(failed) },
];

/** Messages of both kinds of reports may arrive at the same address. */
function TlsSetup({ domain }: { domain: string }) {
  return (
    <div className={classes['steps']}>
      <p>Publish where senders send their reports, and import what arrives there:</p>
      <CodeBlock
        label="record to publish"
        text={`_smtp._tls.${domain}. TXT "v=TLSRPTv1; rua=mailto:tls-reports@${domain}"`}
      />
      <ReportUpload />
    </div>
  );
}

/**
 * Who sends as a domain, by aggregate reports: whether a stricter policy is safe, mail by day, and
 * what it would refuse.
 */

import { SegmentedControl } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { DmarcReport, Senders as SendersAnswer } from '@whence/client/wire';
import { classText } from '@whence/email/reports/verdict-text';
import { REPORT_DAYS } from '@whence/server/vocabulary';
import { useAnswer } from '../api/query-client.ts';
import { BarChart } from '../charts/BarChart.tsx';
import { CodeBlock } from '../components/Copy.tsx';
import { Numbers } from '../components/Facts.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { Section } from '../components/Page.tsx';
import type { Column } from '../components/Table.tsx';
import { longDay } from '../format/data-age.ts';
import { count, formatNumber, formatShare } from '../format/number.ts';
import { useNow } from '../format/Time.tsx';
import { DAY_MS, shortDay, utcDay } from '../format/time.ts';
import { IN_PLACE, withoutEmpty } from '../search-params.ts';
import { unicodeDomain } from '../unicode-domain.ts';
import { AnswerNotice, Reasons } from './AnswerNotice.tsx';
import { Reporters } from './Reporters.tsx';
import { ReportSetup } from './ReportSetup.tsx';
import classes from './Senders.module.css';
import { ServiceTable } from './ServiceTable.tsx';

const route = getRouteApi('/session/domain/$domain');
const STALE_AFTER_MS = 60_000;

export function Senders({ domain, dmarc }: { domain: string; dmarc: DmarcReport }) {
  const { policy: chosen, days = REPORT_DAYS, service } = route.useSearch();
  const navigate = useNavigate({ from: '/domain/$domain' });
  const policy = chosen ?? ('reject' as const);
  const query = { policy, days };
  const senders = useAnswer(
    'getSenders',
    { params: { domain }, query },
    { staleTime: STALE_AFTER_MS, refetchOnWindowFocus: false },
  );
  const change = (next: {
    policy?: 'quarantine' | undefined;
    days?: number | undefined;
    service?: string | undefined;
  }) => void navigate({ search: (before) => withoutEmpty({ ...before, ...next }), ...IN_PLACE });
  return (
    <Section
      title="Who sends as it"
      note="What receivers report about mail in the name of this domain (DMARC aggregate reports)."
      aside={
        <div className={`${classes['tools']} no-print`}>
          <SegmentedControl
            size="xs"
            aria-label="Policy"
            value={policy}
            data={[
              { value: 'quarantine', label: 'p=quarantine' },
              { value: 'reject', label: 'p=reject' },
            ]}
            onChange={(value) => change({ policy: value === 'quarantine' ? value : undefined })}
          />
          <SegmentedControl
            size="xs"
            aria-label="Period"
            value={String(days)}
            data={[
              { value: String(REPORT_DAYS), label: `${REPORT_DAYS} days` },
              { value: '90', label: '90 days' },
              { value: '365', label: '1 year' },
            ]}
            onChange={(value) =>
              change({ days: Number(value) === REPORT_DAYS ? undefined : Number(value) })
            }
          />
        </div>
      }
    >
      <Loaded
        query={senders}
        shape={[['figures'], ['chart'], ['table']]}
        domain={unicodeDomain(domain)}
      >
        {({ data }) => (
          <>
            <VerdictNotice answer={data} days={days} published={dmarc.raw} />
            {data.reports > 0 && (
              <>
                <Figures answer={data} />
                <MailByDay answer={data} />
                <ServiceTable
                  domain={domain}
                  services={data.services}
                  leftOut={data.services_left_out}
                  query={query}
                  opened={service}
                  onOpen={(id) => change({ service: id })}
                />
                <Reporters
                  reporters={data.reporters}
                  leftOut={data.reporters_left_out}
                  amounts={REPORTED}
                />
              </>
            )}
            <ReportSetup domain={domain} dmarc={dmarc} isOpen={data.reports === 0} />
          </>
        )}
      </Loaded>
    </Section>
  );
}

type AnswerProps = { answer: SendersAnswer };

/** The answer, what decides it, and what else reports show. */
function VerdictNotice({
  answer: { verdict },
  days,
  published,
}: AnswerProps & { days: number; published: string }) {
  const { policy, answer, text, reasons, record } = verdict;
  const notes = reasons.filter(({ weight }) => weight === 'note');
  const deciding = reasons.filter(({ weight }) => weight !== 'note');
  return (
    <>
      <AnswerNotice
        question={`Would p=${policy} be safe?`}
        answer={answer}
        // A no is told by its reasons, which have the same numbers and what settles them.
        text={answer === 'no' && deciding.length > 0 ? '' : text}
        reasons={deciding}
      >
        {record !== '' &&
          (record.endsWith(`"${published}"`) ? (
            <p>It is published.</p>
          ) : (
            <CodeBlock text={record} label="record to publish" />
          ))}
      </AnswerNotice>
      {notes.length > 0 && (
        <div className={classes['notes']}>
          <p>Also seen in {count(days, 'day')}:</p>
          <Reasons reasons={notes} />
        </div>
      )}
    </>
  );
}

function Figures({
  answer: { messages, days, reports, reporters, reporters_left_out, from, to },
}: AnswerProps) {
  const now = useNow();
  const passed = days.reduce((total, { passes }) => total + passes, 0);
  return (
    <Numbers
      items={[
        {
          name: 'Messages',
          value: formatNumber(messages),
          note: `${longDay(from, now)} to ${longDay(to, now)}`,
        },
        {
          name: 'Passed',
          value: formatShare(passed, messages),
          note: `${formatNumber(passed)} by SPF or DKIM`,
        },
        {
          name: 'Reports',
          value: formatNumber(reports),
          note: `of ${count(reporters.length + reporters_left_out, 'reporter')}`,
        },
      ]}
    />
  );
}

/** From the bottom of a bar. */
const STACKED = [
  'passes',
  'forwarded',
  'not_ours',
  'undecided',
  'at_named_service',
  'ours_broken',
] as const;

function MailByDay({ answer: { days, from, to } }: AnswerProps) {
  const known = new Map(days.map((day) => [day.day, day]));
  const all: string[] = [];
  for (let day = from; day <= to; day = utcDay(Date.parse(day) + DAY_MS)) all.push(day);
  const series = STACKED.map((id) => ({
    id,
    label: classText(id),
    values: all.map((day) => known.get(day)?.[id] ?? 0),
    ...(id === 'ours_broken' && { tone: 'failed' as const }),
    ...(id === 'at_named_service' && { tone: 'refused' as const }),
  }));
  return (
    <BarChart
      label="Messages by day"
      names={all.map((day) => shortDay(day))}
      series={series.filter(({ values }) => values.some((value) => value > 0))}
      height={180}
    />
  );
}

const REPORTED: Column<SendersAnswer['reporters'][number]>[] = [
  { name: 'Reports', align: 'end', cell: ({ reports }) => formatNumber(reports) },
  { name: 'Messages', align: 'end', cell: ({ messages }) => formatNumber(messages) },
];

/** Who sends as a domain, by aggregate reports: whether a stricter policy is safe, mail by day, and what it would refuse. */
import { SegmentedControl } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { DmarcReport, Senders as SendersAnswer } from '@whence/client/wire';
import { classText } from '@whence/email/internal/reports/verdict-text';
import { useEffect, useRef } from 'react';
import { useAnswer } from '../api/query-client.ts';
import { BarChart } from '../charts/BarChart.tsx';
import { Numbers } from '../components/Facts.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { Notice } from '../components/Notice.tsx';
import { Section } from '../components/Page.tsx';
import { type Column, Table } from '../components/Table.tsx';
import { Tag } from '../components/Tag.tsx';
import { longDay } from '../format/data-age.ts';
import { count, formatNumber, formatShare } from '../format/number.ts';
import { useNow } from '../format/Time.tsx';
import { DAY_MS, shortDay, utcDay } from '../format/time.ts';
import { IN_PLACE, withoutEmpty } from '../search-params.ts';
import { ReportSetup } from './ReportSetup.tsx';
import classes from './Senders.module.css';
import { CLASS_TONES, ServiceTable } from './ServiceTable.tsx';

const route = getRouteApi('/session/domain/$domain');
const DEFAULT_DAYS = 35;
const STALE_AFTER_MS = 60_000;

export function Senders({ domain, dmarc }: { domain: string; dmarc: DmarcReport }) {
  const { policy: chosen, days = DEFAULT_DAYS, service } = route.useSearch();
  const navigate = useNavigate({ from: '/domain/$domain' });
  const place = useRef<HTMLDivElement>(null);
  // A link to the section arrives before it is loaded.
  useEffect(() => {
    if (window.location.hash === '#senders') place.current?.scrollIntoView();
  }, []);
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
    <div id="senders" ref={place}>
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
                { value: '35', label: '35 days' },
                { value: '90', label: '90 days' },
                { value: '365', label: '1 year' },
              ]}
              onChange={(value) => change({ days: Number(value) === DEFAULT_DAYS ? undefined : Number(value) })}
            />
          </div>
        }
      >
        <Loaded query={senders} shape={[['figures'], ['chart'], ['table']]} domain={domain}>
          {({ data }) => (
            <>
              <VerdictNotice answer={data} days={days} />
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
                  <Refused answer={data} />
                  <Reporters answer={data} />
                </>
              )}
              <ReportSetup domain={domain} dmarc={dmarc} isOpen={data.reports === 0} />
            </>
          )}
        </Loaded>
      </Section>
    </div>
  );
}

const ANSWERS = {
  yes: { word: 'Yes', tone: 'good' },
  no: { word: 'No', tone: 'bad' },
  not_enough: { word: 'Not enough is known', tone: 'plain' },
} as const;

type AnswerProps = { answer: SendersAnswer };

/** The answer, what decides it, and what else reports show. */
function VerdictNotice({ answer: { verdict }, days }: AnswerProps & { days: number }) {
  const { policy, answer, text, reasons } = verdict;
  const { word, tone } = ANSWERS[answer];
  // The sentence has the first reason already, where not enough is known.
  const deciding = reasons.filter((reason) => reason.weight !== 'note' && !text.endsWith(reason.text));
  const notes = reasons.filter(({ weight }) => weight === 'note');
  const list = (some: typeof reasons) => (
    <ul className={classes['reasons']}>
      {some.map((reason) => (
        <li key={reason.text}>{reason.text}</li>
      ))}
    </ul>
  );
  return (
    <>
      <Notice tone={tone} title={`Would p=${policy} be safe? ${word}.`}>
        <p>{text}.</p>
        {deciding.length > 0 && list(deciding)}
      </Notice>
      {notes.length > 0 && (
        <div className={classes['notes']}>
          <p>Also seen in {count(days, 'day')}:</p>
          {list(notes)}
        </div>
      )}
    </>
  );
}

const sum = (amounts: readonly { messages: number }[]) => amounts.reduce((total, { messages }) => total + messages, 0);
const verbOf = ({ policy }: SendersAnswer['verdict']) => (policy.endsWith('reject') ? 'refused' : 'quarantined');

function Figures({ answer: { messages, days, verdict, reports, reporters, from, to } }: AnswerProps) {
  const now = useNow();
  const passed = days.reduce((total, { passes }) => total + passes, 0);
  const lost = sum(verdict.refused.filter((one) => one.class !== 'not_ours'));
  return (
    <Numbers
      items={[
        { name: 'Messages', value: formatNumber(messages), note: `${longDay(from, now)} to ${longDay(to, now)}` },
        { name: 'Passed', value: formatShare(passed, messages), note: `${formatNumber(passed)} by SPF or DKIM` },
        {
          name: `Would be ${verbOf(verdict)}`,
          value: formatNumber(lost),
          note: `and ${formatNumber(sum(verdict.refused) - lost)} not yours`,
        },
        { name: 'Reports', value: formatNumber(reports), note: `of ${count(reporters.length, 'reporter')}` },
      ]}
    />
  );
}

/** From the bottom of a bar. */
const STACKED = ['passes', 'forwarded', 'not_ours', 'at_named_service', 'ours_broken'] as const;

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

const refusedColumns: Column<SendersAnswer['verdict']['refused'][number]>[] = [
  { name: 'Sender', isText: true, cell: ({ service }) => service },
  { name: 'Messages', align: 'end', cell: ({ messages }) => formatNumber(messages) },
  { name: 'They are', cell: (one) => <Tag tone={CLASS_TONES[one.class]} text={classText(one.class)} /> },
];

function Refused({ answer: { verdict } }: AnswerProps) {
  if (verdict.refused.length === 0) return null;
  const title = `What p=${verdict.policy} would have ${verbOf(verdict)}`;
  return (
    <details className={classes['more']}>
      <summary>{`${title}: ${count(sum(verdict.refused), 'message')}`}</summary>
      <p className="quiet">Every message again, with the SPF record of today and DKIM as its receiver verified it.</p>
      <Table isStacked label={title} columns={refusedColumns} rows={verdict.refused} limit={10} />
    </details>
  );
}

const reporterColumns: Column<SendersAnswer['reporters'][number]>[] = [
  {
    name: 'Reporter',
    isText: true,
    cell: ({ name, is_large }) => (
      <>
        {name} {is_large && <span className="quiet">large receiver</span>}
      </>
    ),
  },
  { name: 'Reports', align: 'end', cell: ({ reports }) => formatNumber(reports) },
  { name: 'Messages', align: 'end', cell: ({ messages }) => formatNumber(messages) },
  { name: 'Last report', cell: ({ last_seen }) => shortDay(last_seen) },
];

function Reporters({ answer: { reporters } }: AnswerProps) {
  return (
    <details className={classes['more']}>
      <summary>{`Who reports: ${count(reporters.length, 'reporter')}`}</summary>
      <Table isStacked label="Reporters" columns={reporterColumns} rows={reporters} limit={10} />
    </details>
  );
}

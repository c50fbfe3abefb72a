/** Domains with aggregate or TLS reports, the mailbox they come from, and the upload of more. */
import { Link } from '@tanstack/react-router';
import type { ReportedDomain, ReportMailboxState } from '@whence/server/dashboard-wire/domains';
import { REPORT_DAYS } from '@whence/server/vocabulary';
import { useAnswer } from '../api/query-client.ts';
import { QuietButton } from '../components/Buttons.tsx';
import { Facts } from '../components/Facts.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { Section } from '../components/Page.tsx';
import { type Column, Table } from '../components/Table.tsx';
import { count, formatNumber, formatShare } from '../format/number.ts';
import { Time } from '../format/Time.tsx';
import { shortDay } from '../format/time.ts';
import { compareDomains, unicodeDomain } from '../unicode-domain.ts';
import { ReportUpload } from './ReportUpload.tsx';

const COLUMNS: Column<ReportedDomain>[] = [
  {
    name: 'Domain',
    isText: true,
    cell: ({ domain, reports }) => (
      <Link
        to="/domain/$domain"
        params={{ domain }}
        search={{ tab: reports === 0 ? 'tls' : 'senders' }}
        preload={false}
      >
        {unicodeDomain(domain)}
      </Link>
    ),
  },
  { name: 'Messages', align: 'end', cell: ({ messages }) => formatNumber(messages) },
  {
    name: 'Passed',
    align: 'end',
    cell: ({ messages, passed }) => (messages === 0 ? '' : formatShare(passed, messages)),
  },
  { name: 'Reports', align: 'end', cell: ({ reports }) => formatNumber(reports) },
  { name: 'TLS reports', align: 'end', cell: ({ tls_reports }) => formatNumber(tls_reports) },
  { name: 'Last report', cell: ({ last_day }) => shortDay(last_day) },
];

/** `onWatch` gets the names of those that are not watched. */
export function ReportedDomains({ onWatch }: { onWatch?: (domains: string) => void }) {
  const reports = useAnswer('listReports', {});
  const domains = (reports.data?.data.domains ?? []).toSorted((a, b) =>
    compareDomains(a.domain, b.domain),
  );
  const unwatched = domains.filter(({ is_watched }) => !is_watched);
  return (
    <Section
      title="Domains with reports"
      note={`DMARC reports say who sends as a domain, and whether p=reject would be safe; TLS reports, whether its mail arrives encrypted. The last ${REPORT_DAYS} days.`}
      aside={
        unwatched.length > 0 &&
        onWatch !== undefined && (
          <QuietButton
            text={`Watch ${count(unwatched.length, 'more domain')}`}
            onClick={() => onWatch(unwatched.map(({ domain }) => domain).join('\n'))}
          />
        )
      }
    >
      <Loaded query={reports} lines={4}>
        {() =>
          domains.length === 0 ? (
            <p>There are none yet. The page of a domain says how its reports get here.</p>
          ) : (
            <Table
              isStacked
              label="Domains with reports"
              columns={COLUMNS}
              rows={domains}
              limit={20}
            />
          )
        }
      </Loaded>
      {reports.data?.data.mailbox && <ReportMailbox mailbox={reports.data.data.mailbox} />}
      <ReportUpload />
    </Section>
  );
}

/** What the server has read in the mailbox from which it fetches reports. */
function ReportMailbox({ mailbox }: { mailbox: ReportMailboxState }) {
  const { folder, host, fetched_at, failure, messages, read, repeated, not_read } = mailbox;
  const { without_report, too_large } = mailbox;
  const left = [
    ...(without_report > 0 ? [`${formatNumber(without_report)} without a report`] : []),
    ...(too_large > 0 ? [`${formatNumber(too_large)} larger than 16 MiB`] : []),
  ];
  return (
    <Facts
      facts={{
        Mailbox: `${folder} at ${host}`,
        'Last fetch': fetched_at === '' ? 'not yet' : <Time at={fetched_at} />,
        Problem: failure === '' ? undefined : failure,
        Read: `${count(messages, 'message')}: ${count(read, 'report')}, ${formatNumber(repeated)} repeated, ${formatNumber(not_read)} not read`,
        'Left as they are': left.length === 0 ? undefined : left.join(', '),
      }}
    />
  );
}

/** Domains with aggregate reports, and the upload of more. */
import { Link } from '@tanstack/react-router';
import type { ReportedDomain } from '@whence/server/dashboard-wire/domains';
import { useAnswer } from '../api/query-client.ts';
import { QuietButton } from '../components/Buttons.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { Section } from '../components/Page.tsx';
import { type Column, Table } from '../components/Table.tsx';
import { formatNumber, formatShare } from '../format/number.ts';
import { shortDay } from '../format/time.ts';
import { ReportUpload } from './ReportUpload.tsx';

const COLUMNS: Column<ReportedDomain>[] = [
  {
    name: 'Domain',
    isText: true,
    cell: ({ domain }) => (
      <Link to="/domain/$domain" params={{ domain }} hash="senders" preload={false}>
        {domain}
      </Link>
    ),
  },
  { name: 'Messages', align: 'end', cell: ({ messages }) => formatNumber(messages) },
  { name: 'Passed', align: 'end', cell: ({ messages, passed }) => formatShare(passed, messages) },
  { name: 'Reports', align: 'end', cell: ({ reports }) => formatNumber(reports) },
  { name: 'Last report', cell: ({ last_day }) => shortDay(last_day) },
];

/** `onCheck` gets the names of all. */
export function ReportedDomains({ onCheck }: { onCheck: (domains: string) => void }) {
  const reports = useAnswer('listReports', {});
  const domains = reports.data?.data.domains ?? [];
  return (
    <Section
      title="Domains with reports"
      note="DMARC reports say who sends as a domain. A check has the verdict: whether p=reject would be safe."
      aside={
        domains.length > 0 && (
          <QuietButton
            text="Check all of them"
            onClick={() => onCheck(domains.map(({ domain }) => domain).join('\n'))}
          />
        )
      }
    >
      <Loaded query={reports} lines={4}>
        {() =>
          domains.length === 0 ? (
            <p>There are none yet. The page of a domain says how its reports get here.</p>
          ) : (
            <Table isStacked label="Domains with reports" columns={COLUMNS} rows={domains} limit={20} />
          )
        }
      </Loaded>
      <ReportUpload />
    </Section>
  );
}

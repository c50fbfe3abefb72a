import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { MAX_DOMAINS } from '../batch/domain-scanner.ts';
import { save } from '../batch/download.ts';
import { RunPage } from '../batch/RunPage.tsx';
import { QuietButton } from '../components/Buttons.tsx';
import { IconDownload } from '../components/icons.tsx';
import { Empty } from '../components/Notice.tsx';
import { Section } from '../components/Page.tsx';
import { type VirtualColumn, VirtualTable } from '../components/VirtualTable.tsx';
import { count } from '../format/number.ts';
import { IN_PLACE, withoutEmpty } from '../search-params.ts';
import { type DomainRow, type DomainSort, domainsCsv, gradeWords, sortDomains } from './domain-rows.ts';
import { domainRun } from './domain-run.ts';

const route = getRouteApi('/session/domains');

const WORDS = {
  one: 'domain',
  many: 'domains',
  act: 'Check',
  done: 'checked',
  placeholder:
    'Paste domains, email addresses or URLs, or drop a file: a list or CSV. It is read in your browser; only the domains are sent to the server.',
  invalid: 'such as 192.0.2.1',
  limit: MAX_DOMAINS,
} as const;

/** Checks many domains, each as its own page does. */
export function DomainsPage() {
  return (
    <RunPage
      name="Domains"
      lead="Check the mail records of many domains, and see which need work first."
      run={domainRun}
      chunkSize={1}
      parameter="domains"
      words={WORDS}
    >
      {({ rows, phase }) =>
        rows.length > 0 ? (
          <Results rows={rows} isRunning={phase === 'looking up'} />
        ) : (
          phase === 'done' && (
            <Empty title="No domain was found">
              <p>Domains are written like example.com.</p>
            </Empty>
          )
        )
      }
    </RunPage>
  );
}

function Results({ rows, isRunning }: { rows: readonly DomainRow[]; isRunning: boolean }) {
  const { sort } = route.useSearch();
  const navigate = useNavigate({ from: '/domains' });
  const sorted = useMemo(() => sortDomains(rows, sort), [rows, sort]);
  return (
    <Section
      title={count(rows.length, 'domain')}
      note={`${isRunning ? 'So far: more are being checked. ' : ''}Sender rules are those of Google, Yahoo and Microsoft for bulk mail.`}
      aside={
        <QuietButton
          icon={IconDownload}
          text="CSV"
          className="no-print"
          onClick={() => save('whence-domains.csv', 'text/csv', domainsCsv(sorted))}
        />
      }
    >
      <VirtualTable
        label="Domains"
        columns={COLUMNS}
        rows={sorted}
        rowKey={({ domain }) => domain}
        minWidth={1000}
        lines={2}
        sort={sort}
        onSort={(by) => void navigate({ search: (before) => withoutEmpty({ ...before, sort: by }), ...IN_PLACE })}
      />
    </Section>
  );
}

const COLUMNS: VirtualColumn<DomainRow, DomainSort>[] = [
  {
    name: 'Domain',
    width: 'minmax(150px, 1.1fr)',
    sort: 'domain',
    title: ({ domain }) => domain,
    cell: ({ domain }) => (
      <Link to="/domain/$domain" params={{ domain }} preload={false}>
        {domain}
      </Link>
    ),
  },
  { name: 'Grade', width: '104px', sort: 'grade', cell: ({ check }) => check && gradeWords(check) },
  {
    name: 'Risk',
    width: 'minmax(240px, 2fr)',
    title: ({ check, refusal }) => check?.risk.text ?? refusal,
    cell: ({ check, refusal }) =>
      check === undefined ? (
        <span className="quiet">{refusal}</span>
      ) : (
        <span className="toned" data-tone={check.risk.tone}>
          {check.risk.text}
        </span>
      ),
  },
  {
    name: 'First step',
    width: 'minmax(220px, 2fr)',
    title: ({ check }) => check?.firstStep,
    cell: ({ check }) => check?.firstStep,
  },
  {
    name: 'Sender rules',
    width: 'minmax(180px, 1.5fr)',
    sort: 'rules',
    title: ({ check }) => check?.senderRules,
    cell: ({ check }) => check?.senderRules,
  },
];

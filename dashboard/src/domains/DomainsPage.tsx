import { NativeSelect } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { call } from '../api/query-client.ts';
import { MAX_DOMAINS } from '../batch/domain-scanner.ts';
import { save } from '../batch/download.ts';
import { RunPage } from '../batch/RunPage.tsx';
import { QuietButton } from '../components/Buttons.tsx';
import { FailureNotice } from '../components/Failures.tsx';
import { Empty } from '../components/Notice.tsx';
import { Section } from '../components/Page.tsx';
import { type Column, Table } from '../components/Table.tsx';
import { Tag } from '../components/Tag.tsx';
import { RISKS } from '../domain/headline.ts';
import { capitalise } from '../format/names.ts';
import { count, formatNumber, formatShare } from '../format/number.ts';
import { ReportedDomains } from '../reports/ReportedDomains.tsx';
import { IN_PLACE, withoutEmpty } from '../search-params.ts';
import classes from './DomainsPage.module.css';
import { type DomainRow, domainsCsv, firstSentence, gradeWords, matchesFilter, sortDomains } from './domain-rows.ts';
import { domainRun } from './domain-run.ts';
import { KeptLists } from './KeptLists.tsx';

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
  kept: 'Your last 20 lists are kept on the server with their results, for 30 days.',
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
      keptLists={
        <>
          <KeptLists note={WORDS.kept} />
          <ReportedDomains onCheck={(text) => domainRun.start({ text }, 1)} />
        </>
      }
    >
      {({ id, rows, phase }) =>
        rows.length > 0 ? (
          <Results id={id} rows={rows} isRunning={phase === 'looking up'} />
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

const SORTS = { '': 'Largest risk first', domain: 'By name', grade: 'By grade', rules: 'By sender rules' } as const;
const GRADES = ['A', 'B', 'C', 'D', 'F'] as const;
/** Before “show all”. */
const SHOWN = 100;

type ResultsProps = { id: string; rows: readonly DomainRow[]; isRunning: boolean };

function Results({ id, rows, isRunning }: ResultsProps) {
  const { sort, grade, risk } = route.useSearch();
  const navigate = useNavigate({ from: '/domains' });
  const shown = useMemo(
    () => sortDomains(rows, sort).filter((row) => matchesFilter(row, { grade, risk })),
    [rows, sort, grade, risk],
  );
  const columns = rows.some(({ check }) => check?.senders !== undefined) ? [...COLUMNS, ...REPORT_COLUMNS] : COLUMNS;
  const refused = rows.filter(({ check }) => check === undefined).length;
  const retry = useMutation({
    mutationFn: () => call('retryRun', { params: { id } }),
    onSuccess: () => domainRun.open(id, 1, undefined),
  });
  const select = (
    label: string,
    name: 'sort' | 'grade' | 'risk',
    value = '',
    data: { value: string; label: string }[],
  ) => (
    <NativeSelect
      size="xs"
      aria-label={label}
      value={value}
      data={data}
      onChange={({ currentTarget }) =>
        void navigate({
          search: (before) => withoutEmpty({ ...before, [name]: currentTarget.value || undefined }),
          ...IN_PLACE,
        })
      }
    />
  );
  const choices = (all: string, values: readonly string[]) => [
    { value: '', label: all },
    ...values.map((value) => ({ value, label: capitalise(value) })),
  ];
  return (
    <Section
      title={
        shown.length === rows.length
          ? count(rows.length, 'domain')
          : `${formatNumber(shown.length)} of ${count(rows.length, 'domain')}`
      }
      note={`${isRunning ? 'So far: more are being checked. ' : ''}Sender rules are those of Google, Yahoo and Microsoft for bulk mail.`}
      aside={
        <div className={`${classes['tools']} no-print`}>
          {select('Grade', 'grade', grade, choices('Any grade', GRADES))}
          {select('Risk', 'risk', risk, choices('Any risk', RISKS))}
          {select(
            'Order',
            'sort',
            sort,
            Object.entries(SORTS).map(([value, label]) => ({ value, label })),
          )}
          {!isRunning && refused > 0 && (
            <QuietButton text={`Check ${formatNumber(refused)} again`} onClick={() => retry.mutate()} />
          )}
          <QuietButton
            icon="download"
            text="CSV"
            onClick={() => save('whence-domains.csv', 'text/csv', domainsCsv(shown))}
          />
        </div>
      }
    >
      <FailureNotice error={retry.error} />
      {shown.length === 0 ? (
        <Empty title={isRunning ? 'No match so far' : 'No domain matches the filter'} />
      ) : (
        <Table isStacked label="Domains" columns={columns} rows={shown} rowKey={({ domain }) => domain} limit={SHOWN} />
      )}
    </Section>
  );
}

const COLUMNS: Column<DomainRow>[] = [
  {
    name: 'Domain',
    isText: true,
    cell: ({ domain }) => (
      <Link to="/domain/$domain" params={{ domain }} preload={false} className={classes['domain'] ?? ''}>
        {domain}
      </Link>
    ),
  },
  { name: 'Grade', cell: ({ check }) => (check && gradeWords(check)) || undefined },
  {
    name: 'Risk',
    cell: ({ check }) =>
      check === undefined ? (
        <Tag tone="bad" text="not checked" />
      ) : (
        <Tag tone={check.risk.tone} text={check.risk.risk} />
      ),
  },
  {
    name: 'First step',
    isText: true,
    cell: ({ check, refusal }) =>
      check === undefined ? (
        refusal
      ) : (
        <details>
          <summary>{firstSentence(check.firstStep || `${check.risk.text}.`)}</summary>
          <p>{check.firstStep.slice(firstSentence(check.firstStep).length)}</p>
          {check.firstStep !== '' && <p>{check.risk.text}.</p>}
          {check.senderRules !== '' && <p>Sender rules: {check.senderRules}.</p>}
        </details>
      ),
  },
];

const ANSWERS = {
  yes: <Tag tone="good" text="safe" />,
  no: <Tag tone="bad" text="not safe" />,
  not_enough: <Tag text="not known" />,
} as const;

const REPORT_COLUMNS: Column<DomainRow>[] = [
  { name: 'Messages', align: 'end', cell: ({ check }) => check?.senders && formatNumber(check.senders.messages) },
  {
    name: 'Passed',
    align: 'end',
    cell: ({ check }) => check?.senders && formatShare(check.senders.passed, check.senders.messages),
  },
  { name: 'p=reject', cell: ({ check }) => check?.senders && ANSWERS[check.senders.answer] },
];

/** The list of watched domains, and the domains with reports. */
import { NativeSelect } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { getRouteApi, Link, useNavigate, useRouterState } from '@tanstack/react-router';
import type { AddedDomains } from '@whence/server/dashboard-wire/domains';
import { useState } from 'react';
import { useAnswer } from '../api/query-client.ts';
import { QuietButton, TextButton } from '../components/Buttons.tsx';
import { FilterBar } from '../components/FilterBar.tsx';
import { Empty, Notice } from '../components/Notice.tsx';
import { Page, Verdict } from '../components/Page.tsx';
import { count } from '../format/number.ts';
import { ReportedDomains } from '../reports/ReportedDomains.tsx';
import { IN_PLACE, withoutEmpty } from '../search-params.ts';
import { useRole } from '../session/use-session.ts';
import { AddDomainsDialog } from './AddDomainsDialog.tsx';
import classes from './MailPage.module.css';
import { type MailFilter, WatchedTable } from './WatchedTable.tsx';

const route = getRouteApi('/session/mail');
const TYPING_MS = 150;
const TOTALS_MS = 5_000;

export function MailPage() {
  const { isAtLeast } = useRole();
  const { add, ...filter } = route.useSearch();
  const pasted = useRouterState({ select: ({ location }) => location.state.domains });
  const navigate = useNavigate({ from: '/mail' });
  const [added, setAdded] = useState<AddedDomains>();
  const openDialog = (domains = '') =>
    void navigate({
      search: (before) => ({ ...before, add: 'yes' as const }),
      state: { domains },
    });
  const closeDialog = () =>
    void navigate({ search: ({ add: _, ...before }) => before, state: {}, ...IN_PLACE });
  const addButton = isAtLeast('member') && (
    <TextButton icon="plus" text="Add domains" onClick={() => openDialog()} />
  );
  return (
    <Page
      name="Mail"
      title="Mail"
      lead="Domains whose mail is checked every day."
      actions={
        <>
          {isAtLeast('admin') && (
            <QuietButton
              size="sm"
              text="Alerts"
              renderRoot={(props) => <Link to="/settings/alerts" {...props} />}
            />
          )}
          {addButton}
        </>
      }
    >
      {added !== undefined && <Added added={added} />}
      <Watched filter={filter} addButton={addButton} />
      <ReportedDomains {...(isAtLeast('member') && { onWatch: openDialog })} />
      {add === 'yes' && isAtLeast('member') && (
        <AddDomainsDialog initial={pasted ?? ''} onAdded={setAdded} onClose={closeDialog} />
      )}
      {add === 'yes' && !isAtLeast('member') && (
        <Notice title="Your role is viewer, which cannot watch domains">
          <p>Ask an administrator for the member role.</p>
        </Notice>
      )}
    </Page>
  );
}

type WatchedProps = { filter: MailFilter; addButton: React.ReactNode };

/** The answer, the filters, and the table. */
function Watched({ filter, addButton }: WatchedProps) {
  const navigate = useNavigate({ from: '/mail' });
  // Totals of all watched domains, whatever the filter. Checks of new domains open events within
  // seconds.
  const totals = { refetchInterval: TOTALS_MS };
  const everything = useAnswer('listWatched', { query: { limit: 1 } }, totals);
  const failing = useAnswer('listWatched', { query: { limit: 1, open: true } }, totals);
  const all = everything.data?.data.total;
  const open = failing.data?.data.total;
  const showAll = () => void navigate({ search: {}, replace: true });
  if (all === 0)
    return (
      <Empty title="No domain is watched yet">
        <p>
          The server checks a watched domain once a day, and says when its mail breaks and when it
          works again.
        </p>
        {addButton || <p>Members and administrators can add domains.</p>}
      </Empty>
    );
  return (
    <section className={classes['watched']} aria-label="Watched domains">
      {all !== undefined && open !== undefined && (
        <Verdict tone={open === 0 ? 'good' : 'bad'} text={answer(open, all)} />
      )}
      <Filters key={filter.q === undefined ? 'empty' : 'typed'} filter={filter} />
      <WatchedTable
        // What was selected in another list is not changed in this one.
        key={JSON.stringify(filter)}
        filter={filter}
        empty={
          <Empty title="No watched domain matches">
            <QuietButton text="Show all domains" onClick={showAll} />
          </Empty>
        }
      />
    </section>
  );
}

function answer(open: number, all: number): string {
  if (open === 0) return `Nothing is known to be wrong with ${count(all, 'watched domain')}.`;
  return `${open} of ${count(all, 'watched domain')} ${open === 1 ? 'needs' : 'need'} attention.`;
}

const STATES = [
  { value: '', label: 'Any state' },
  { value: 'open', label: 'With open events' },
  { value: 'fine', label: 'Without' },
];
const GRADES = [
  { value: '', label: 'Any grade' },
  ...['A', 'B', 'C', 'D', 'F'].map((value) => ({ value, label: `Grade ${value}` })),
];

function Filters({ filter }: Pick<WatchedProps, 'filter'>) {
  const navigate = useNavigate({ from: '/mail' });
  const change = (next: Partial<Record<keyof MailFilter, string>>) =>
    void navigate({
      search: (before) => withoutEmpty({ ...before, ...next }) as typeof before,
      ...IN_PLACE,
    });
  const search = useDebouncedCallback((q: string) => change({ q: q.trim() }), TYPING_MS);
  return (
    <FilterBar
      label="Search domains"
      placeholder="Beginning of a name"
      defaultValue={filter.q ?? ''}
      onChange={({ currentTarget }) => search(currentTarget.value)}
    >
      <NativeSelect
        aria-label="State"
        value={filter.state ?? ''}
        data={STATES}
        onChange={({ currentTarget }) => change({ state: currentTarget.value })}
      />
      <NativeSelect
        aria-label="Grade"
        value={filter.grade ?? ''}
        data={GRADES}
        onChange={({ currentTarget }) => change({ grade: currentTarget.value })}
      />
      {filter.tag !== undefined && (
        <QuietButton
          size="sm"
          icon="x"
          text={`Tag: ${filter.tag}`}
          aria-label={`Show all tags, not only ${filter.tag}`}
          onClick={() => change({ tag: '' })}
        />
      )}
    </FilterBar>
  );
}

/** What became of the names that were sent. */
function Added({ added: { added, watched, invalid } }: { added: AddedDomains }) {
  const others = [
    watched.length > 0 ? `${count(watched.length, 'domain')} had been watched already.` : '',
    invalid.length > 0 ? `Not a domain: ${invalid.join(', ')}.` : '',
  ].join(' ');
  return (
    <Notice
      tone={invalid.length > 0 ? 'warn' : 'good'}
      title={
        added.length === 0
          ? 'No domain was added'
          : `${count(added.length, 'domain')} added: the first checks are under way`
      }
    >
      {others.trim() !== '' && <p>{others}</p>}
    </Notice>
  );
}

import { NativeSelect } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { AuditAction } from '@whence/server/vocabulary';
import { addressOf } from '../api/call.ts';
import { call, useAnswer } from '../api/query-client.ts';
import { QuietButton } from '../components/Buttons.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { Empty } from '../components/Notice.tsx';
import { ExportLinks, Page } from '../components/Page.tsx';
import { withoutEmpty } from '../search-params.ts';
import classes from './AuditPage.module.css';
import { ACTION_WORDS, AuditTable } from './AuditTable.tsx';

const route = getRouteApi('/session/settings/audit');
const PAGE = 100;

export function AuditPage() {
  const { action, ...others } = route.useSearch();
  const filter = isAction(action) ? { ...others, action } : others;
  const navigate = useNavigate({ from: '/settings/audit' });
  const people = useAnswer('listPeople', {});
  const audit = useInfiniteQuery({
    queryKey: ['listAudit', filter],
    queryFn: async ({ pageParam, signal }) => {
      const before = pageParam === '' ? {} : { before: pageParam };
      return (await call('listAudit', { query: { ...filter, ...before, limit: PAGE } }, signal))
        .data;
    },
    initialPageParam: '',
    getNextPageParam: ({ next_before }) => next_before,
  });
  const change = (next: { action?: string; actor?: string }) =>
    void navigate({ search: (before) => withoutEmpty({ ...before, ...next }) });
  return (
    <Page
      name="Audit"
      title="Audit"
      lead="Changes to keys, accounts and datasets, and who made them. Secrets are never recorded."
      actions={
        <ExportLinks
          addressOf={(format) => addressOf('exportAudit', { query: { ...filter, format } })}
        />
      }
    >
      <div className={classes['body']}>
        <div className={classes['tools']}>
          <NativeSelect
            aria-label="Action"
            value={isAction(action) ? action : ''}
            data={[
              { value: '', label: 'Any action' },
              ...Object.entries(ACTION_WORDS).map(([value, label]) => ({ value, label })),
            ]}
            onChange={(event) => change({ action: event.currentTarget.value })}
          />
          <NativeSelect
            aria-label="Person"
            value={filter.actor ?? ''}
            data={[
              { value: '', label: 'Anyone' },
              ...(people.data?.data.people ?? []).map(({ id, name }) => ({
                value: id,
                label: name,
              })),
            ]}
            onChange={(event) => change({ actor: event.currentTarget.value })}
          />
        </div>
        <Loaded query={audit} shape={[['table']]}>
          {({ pages }) => {
            const entries = pages.flatMap((page) => page.entries);
            if (entries.length === 0)
              return (
                <Empty
                  title={
                    Object.keys(filter).length === 0
                      ? 'No entries yet'
                      : 'No entry matches the filter'
                  }
                />
              );
            return <AuditTable entries={entries} />;
          }}
        </Loaded>
        {audit.hasNextPage && (
          <QuietButton
            size="sm"
            text="Show older entries"
            loading={audit.isFetchingNextPage}
            onClick={() => void audit.fetchNextPage()}
          />
        )}
      </div>
    </Page>
  );
}

/** Any text may be in the address bar. The words of all actions are loaded with this page. */
const isAction = (text: string | undefined): text is AuditAction =>
  text !== undefined && Object.hasOwn(ACTION_WORDS, text);

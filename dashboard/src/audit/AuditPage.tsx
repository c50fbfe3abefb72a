import { Button, NativeSelect } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { AuditAction } from '@whence/server/vocabulary';
import { addressOf } from '../api/call.ts';
import { answerQuery, call } from '../api/query-client.ts';
import { Loaded } from '../components/Loaded.tsx';
import { Empty } from '../components/Notice.tsx';
import { ExportLinks, Page } from '../components/Page.tsx';
import classes from './AuditPage.module.css';
import { ACTION_WORDS, AuditTable } from './AuditTable.tsx';

const route = getRouteApi('/session/settings/audit');
const PAGE = 100;

export function AuditPage() {
  const filter = route.useSearch();
  const navigate = useNavigate({ from: '/settings/audit' });
  const people = useQuery(answerQuery('listPeople', {}));
  const audit = useInfiniteQuery({
    queryKey: ['listAudit', filter],
    queryFn: async ({ pageParam, signal }) => {
      const before = pageParam === '' ? {} : { before: pageParam };
      return (await call('listAudit', { query: { ...filter, ...before, limit: PAGE } }, signal)).data;
    },
    initialPageParam: '',
    getNextPageParam: ({ next_before }) => next_before,
  });
  return (
    <Page
      name="Audit"
      title="Audit"
      lead="Changes to keys, accounts and datasets, and who made them. Secrets are never recorded."
      actions={<ExportLinks addressOf={(format) => addressOf('exportAudit', { query: { ...filter, format } })} />}
    >
      <div className={classes['body']}>
        <div className={classes['tools']}>
          <NativeSelect
            aria-label="Action"
            value={filter.action ?? ''}
            data={[
              { value: '', label: 'Any action' },
              ...Object.entries(ACTION_WORDS).map(([value, label]) => ({ value, label })),
            ]}
            onChange={(event) => {
              const action = event.currentTarget.value as AuditAction | '';
              void navigate({ search: ({ action: _, ...rest }) => (action === '' ? rest : { ...rest, action }) });
            }}
          />
          <NativeSelect
            aria-label="Person"
            value={filter.actor ?? ''}
            data={[
              { value: '', label: 'Anyone' },
              ...(people.data?.data.people ?? []).map(({ id, name }) => ({ value: id, label: name })),
            ]}
            onChange={(event) => {
              const actor = event.currentTarget.value;
              void navigate({ search: ({ actor: _, ...rest }) => (actor === '' ? rest : { ...rest, actor }) });
            }}
          />
        </div>
        <Loaded query={audit} shape={[['table']]}>
          {({ pages }) => {
            const entries = pages.flatMap((page) => page.entries);
            if (entries.length === 0) return <Empty title="No matching entries" />;
            return <AuditTable entries={entries} />;
          }}
        </Loaded>
        {audit.hasNextPage && (
          <Button variant="default" loading={audit.isFetchingNextPage} onClick={() => void audit.fetchNextPage()}>
            Show older entries
          </Button>
        )}
      </div>
    </Page>
  );
}

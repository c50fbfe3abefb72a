import { Button, TextInput } from '@mantine/core';
import { IconDownload, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useDeferredValue, useEffect, useMemo, useSyncExternalStore } from 'react';
import { answerQuery } from '../api/query-client.ts';
import { CopyButton } from '../components/Copy.tsx';
import { Empty } from '../components/Notice.tsx';
import { Credits, Page, PrintButton, Section } from '../components/Page.tsx';
import { count, formatNumber } from '../format/number.ts';
import { withoutEmpty } from '../search-params.ts';
import { useSignedIn } from '../session/use-session.ts';
import { BatchCharts } from './BatchCharts.tsx';
import { BatchInput, BatchProgress } from './BatchInput.tsx';
import classes from './BatchPage.module.css';
import { BatchTable } from './BatchTable.tsx';
import type { BatchState } from './batch-run.ts';
import { currentRun as run } from './current-run.ts';
import { save, toCsv, toNdjson, toNftSet } from './download.ts';
import { matches, sortRows } from './filter-rows.ts';
import type { ScanRequest } from './scan-worker.ts';

const route = getRouteApi('/session/batch');
/** Up to this many addresses are kept in the address bar, so that the list can be shared as a link. */
const MAX_SHARED = 50;

export function BatchPage() {
  const { max_batch } = useSignedIn();
  const { ips } = route.useSearch();
  const navigate = useNavigate({ from: '/batch' });
  const state = useSyncExternalStore(run.subscribe, run.snapshot);
  const start = (request: ScanRequest) => run.start(request, max_batch);
  const { phase, rows } = state;

  // A shared link carries its list of addresses.
  useEffect(() => {
    if (ips !== undefined && run.snapshot().phase === 'idle') run.start({ text: ips }, max_batch);
  }, [ips, max_batch]);
  useEffect(() => {
    if (phase !== 'done' || rows.length === 0 || rows.length > MAX_SHARED) return;
    const list = rows.map(({ ip }) => ip).join(' ');
    void navigate({ search: (before) => ({ ...before, ips: list }), replace: true, resetScroll: false });
  }, [phase, rows, navigate]);

  const reset = () => {
    run.reset();
    void navigate({ search: {}, replace: true });
  };
  return (
    <Page
      name="Batch"
      title="Batch"
      lead="Look up many addresses at once, from any text."
      actions={rows.length > 0 ? <PrintButton /> : undefined}
    >
      {phase === 'idle' ? (
        <BatchInput onStart={start} />
      ) : (
        <BatchProgress state={state} onStop={() => run.stop()} onReset={reset} />
      )}
      {phase !== 'idle' && <Results state={state} />}
      {rows.length > 0 && <DatasetCredits />}
    </Page>
  );
}

/** Batch responses have no credits, so those of all sources are shown. */
function DatasetCredits() {
  const { data } = useQuery(answerQuery('getDataset', {}));
  const credits = (data?.data.report?.sources ?? []).map(({ credit }) => credit).filter((credit) => credit !== '');
  return <Credits credits={[...new Set(credits)]} />;
}

function Results({ state: { rows, phase, counts } }: { state: BatchState }) {
  const { ips: _, sort, ...filter } = route.useSearch();
  const navigate = useNavigate({ from: '/batch' });
  const dataset = useQuery(answerQuery('getDataset', {}));
  const shownRows = useDeferredValue(rows);
  const key = JSON.stringify(filter);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the filter is a new object each time, but its text is the same.
  const stableFilter = useMemo(() => filter, [key]);
  const matching = useMemo(() => shownRows.filter((row) => matches(row, stableFilter)), [shownRows, stableFilter]);
  const sorted = useMemo(() => sortRows(matching, sort), [matching, sort]);
  const change = (next: Partial<typeof filter & { sort: typeof sort }>) =>
    void navigate({
      search: (before) => withoutEmpty({ ...before, ...next }),
      replace: true,
      resetScroll: false,
    });
  if (rows.length === 0) {
    if (phase !== 'done') return null;
    return (
      <Empty title={counts?.special ? 'Only private or reserved addresses were found' : 'No address was found'}>
        <p>Addresses are written like 192.0.2.1 or 2001:db8::1. Host names are not looked up.</p>
      </Empty>
    );
  }
  const isFiltered = key !== '{}';
  return (
    <>
      <BatchCharts
        rows={shownRows}
        filter={stableFilter}
        onFilter={(facet, value) => change({ [facet]: value })}
        hasBlocklists={dataset.data?.data.report?.flag_sources.blocklists.from !== 'none'}
      />
      <Section
        title={
          isFiltered
            ? `${formatNumber(matching.length)} of ${count(rows.length, 'address', 'addresses')}`
            : count(rows.length, 'address', 'addresses')
        }
        aside={
          <div className={`${classes['tools']} no-print`}>
            <TextInput
              size="xs"
              type="search"
              placeholder="Address or network"
              aria-label="Filter by address or network"
              value={filter.q ?? ''}
              onChange={(event) => change({ q: event.currentTarget.value })}
            />
            {isFiltered && (
              <Button
                size="xs"
                variant="default"
                leftSection={<IconX size={14} aria-hidden />}
                onClick={() =>
                  change({ q: '', network: '', country: '', type: undefined, flag: undefined, level: undefined })
                }
              >
                Clear filter
              </Button>
            )}
            <Button
              size="xs"
              variant="default"
              leftSection={<IconDownload size={15} aria-hidden />}
              onClick={() => save('whence.csv', 'text/csv', toCsv(sorted))}
            >
              CSV
            </Button>
            <Button
              size="xs"
              variant="default"
              leftSection={<IconDownload size={15} aria-hidden />}
              onClick={() => save('whence.ndjson', 'application/x-ndjson', toNdjson(sorted))}
            >
              NDJSON
            </Button>
            <CopyButton text={() => toNftSet(sorted)} label="Copy as nft set" word="Copy as nft set" />
          </div>
        }
      >
        {sorted.length === 0 ? (
          <Empty title="No address matches the filter" />
        ) : (
          <BatchTable rows={sorted} sort={sort} onSort={(by) => change({ sort: by })} />
        )}
      </Section>
    </>
  );
}

import { Button, TextInput } from '@mantine/core';
import { IconDownload, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useDeferredValue, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { answerQuery } from '../api/query-client.ts';
import { CopyButton } from '../components/Copy.tsx';
import { Empty, Notice } from '../components/Notice.tsx';
import { Credits, Page, PrintButton, Section } from '../components/Page.tsx';
import { useThreatCaveat } from '../components/use-threat-caveat.ts';
import { count, formatNumber } from '../format/number.ts';
import { withoutEmpty } from '../search-params.ts';
import { useSignedIn } from '../session/use-session.ts';
import { BatchCharts } from './BatchCharts.tsx';
import { BatchInput, BatchProgress } from './BatchInput.tsx';
import classes from './BatchPage.module.css';
import { BatchTable } from './BatchTable.tsx';
import { type BatchState, currentRun as run } from './batch-run.ts';
import { save, toCsv, toNdjson, toNftSet } from './download.ts';
import { matches, sortRows } from './filter-rows.ts';
import { loadRun, saveRun } from './saved-runs.ts';
import type { ScanRequest } from './scan-worker.ts';

const route = getRouteApi('/session/batch');
/** Up to this many addresses are kept in the address bar, so that the list can be shared as a link. */
const MAX_SHARED = 50;

/** The run that was started from a link, whose list is in the address bar already. */
let linked = { ips: '', id: '' };

export function BatchPage() {
  const { max_batch, account } = useSignedIn();
  const { ips, run: runId } = route.useSearch();
  const navigate = useNavigate({ from: '/batch' });
  const state = useSyncExternalStore(run.subscribe, run.snapshot);
  const [isLost, setIsLost] = useState(false);
  const { id, phase, rows, addresses, source, counts } = state;

  // The address bar decides which batch is shown: one of this browser by its id, else the list that a link carries.
  useEffect(() => {
    let isLeft = false;
    setIsLost(false);
    const open = async () => {
      if (runId === undefined ? ips === undefined : runId === run.snapshot().id) return;
      if (runId === undefined && ips === linked.ips && linked.id === run.snapshot().id) return;
      const saved = runId === undefined ? undefined : await loadRun(runId, account.id);
      if (isLeft) return;
      if (saved !== undefined) run.resume(saved, max_batch);
      else if (ips !== undefined) {
        run.start({ text: ips }, max_batch);
        linked = { ips, id: run.snapshot().id };
      } else {
        run.reset();
        setIsLost(true);
      }
    };
    void open();
    return () => {
      isLeft = true;
    };
  }, [ips, runId, account.id, max_batch]);

  // Once a text is read, the address bar leads back to its addresses.
  useEffect(() => {
    if (runId !== undefined || ips !== undefined || counts === undefined || addresses.length === 0) return;
    void saveRun({ id, accountId: account.id, source, counts, addresses });
    const list = addresses.length > MAX_SHARED ? undefined : addresses.map(([ip]) => ip).join(' ');
    void navigate({
      search: (before) => withoutEmpty({ ...before, run: id, ips: list }),
      replace: true,
      resetScroll: false,
    });
  }, [runId, ips, id, source, counts, addresses, account.id, navigate]);

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
      {isLost && phase === 'idle' && (
        <Notice title="This batch is not stored in this browser">
          <p>The last five batches are kept in the browser that read them, until you sign out.</p>
        </Notice>
      )}
      {phase === 'idle' ? (
        <BatchInput onStart={(request: ScanRequest) => run.start(request, max_batch)} />
      ) : (
        <BatchProgress state={state} onStop={() => run.stop()} onGoOn={() => run.goOn(max_batch)} onReset={reset} />
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
  const { sort } = route.useSearch();
  // Shared, so that it is a new object only if a value has changed: rows are not filtered again for another order.
  const filter = route.useSearch({
    select: ({ ips: _, run: __, sort: ___, ...facets }) => facets,
    structuralSharing: true,
  });
  const navigate = useNavigate({ from: '/batch' });
  const { caveat, isThreatKnown } = useThreatCaveat();
  const shownRows = useDeferredValue(rows);
  const matching = useMemo(() => shownRows.filter((row) => matches(row, filter)), [shownRows, filter]);
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
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const isRunning = phase === 'scanning' || phase === 'looking up';
  return (
    <>
      <BatchCharts
        rows={shownRows}
        filter={filter}
        onFilter={(facet, value) => change({ [facet]: value })}
        caveat={caveat}
        isThreatKnown={isThreatKnown}
      />
      <Section
        title={
          isFiltered
            ? `${formatNumber(matching.length)} of ${count(shownRows.length, 'address', 'addresses')}`
            : count(shownRows.length, 'address', 'addresses')
        }
        note={isRunning ? 'So far: more are being looked up.' : undefined}
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
          <Empty title={isRunning ? 'No match so far' : 'No address matches the filter'}>
            {isRunning && <p>More addresses are being looked up.</p>}
          </Empty>
        ) : (
          <BatchTable rows={sorted} isThreatKnown={isThreatKnown} sort={sort} onSort={(by) => change({ sort: by })} />
        )}
      </Section>
    </>
  );
}

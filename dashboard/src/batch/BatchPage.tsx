import { TextInput } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useDeferredValue, useMemo } from 'react';
import { useAnswer } from '../api/query-client.ts';
import { QuietButton } from '../components/Buttons.tsx';
import { CopyButton } from '../components/Copy.tsx';
import { IconDownload, IconX } from '../components/icons.tsx';
import { Skeleton } from '../components/Loaded.tsx';
import { Empty } from '../components/Notice.tsx';
import { Credits, Section } from '../components/Page.tsx';
import { useThreatCaveat } from '../components/use-threat-caveat.ts';
import { count, formatNumber } from '../format/number.ts';
import { IN_PLACE, withoutEmpty } from '../search-params.ts';
import { useSignedIn } from '../session/use-session.ts';
import { MAX_ADDRESSES } from './address-scanner.ts';
import { BatchCharts } from './BatchCharts.tsx';
import classes from './BatchPage.module.css';
import { BatchTable } from './BatchTable.tsx';
import { type BatchRow, currentRun } from './batch-run.ts';
import type { RunState } from './chunked-run.ts';
import { save, toCsv, toNdjson, toNftSet } from './download.ts';
import { matches, sortRows } from './filter-rows.ts';
import { RunPage } from './RunPage.tsx';

const route = getRouteApi('/session/batch');

const WORDS = {
  kind: 'addresses',
  one: 'address',
  many: 'addresses',
  act: 'Look up',
  done: 'looked up',
  placeholder:
    'Paste text that contains addresses, or drop a file: a log, CSV or JSON, optionally gzipped. It is read in your browser; only the addresses are sent to the server.',
  invalid: 'such as 300.1.1.1',
  limit: MAX_ADDRESSES,
} as const;

export function BatchPage() {
  const { max_batch } = useSignedIn();
  return (
    <RunPage
      name="Batch"
      lead="Look up many addresses at once, from any text."
      run={currentRun}
      chunkSize={max_batch}
      parameter="ips"
      words={WORDS}
    >
      {(state) => (
        <>
          <Results state={state} />
          {state.rows.length > 0 && <DatasetCredits />}
        </>
      )}
    </RunPage>
  );
}

/** Batch responses have no credits, so those of all sources are shown. */
function DatasetCredits() {
  const { data } = useAnswer('getDataset', {});
  const credits = (data?.data.report?.sources ?? []).map(({ credit }) => credit).filter((credit) => credit !== '');
  return <Credits credits={[...new Set(credits)]} />;
}

function Results({ state: { rows, phase, counts } }: { state: RunState<BatchRow> }) {
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
    void navigate({ search: (before) => withoutEmpty({ ...before, ...next }), ...IN_PLACE });
  if (rows.length === 0 || shownRows.length === 0) {
    if (phase === 'looking up' || rows.length > 0)
      return <Skeleton lines={8} label="Waiting for the first addresses" />;
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
              <QuietButton
                icon={IconX}
                text="Clear filter"
                onClick={() =>
                  change({ q: '', network: '', country: '', type: undefined, flag: undefined, level: undefined })
                }
              />
            )}
            <QuietButton icon={IconDownload} text="CSV" onClick={() => save('whence.csv', 'text/csv', toCsv(sorted))} />
            <QuietButton
              icon={IconDownload}
              text="NDJSON"
              onClick={() => save('whence.ndjson', 'application/x-ndjson', toNdjson(sorted))}
            />
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

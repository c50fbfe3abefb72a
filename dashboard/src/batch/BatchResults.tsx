import { TextInput } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useDeferredValue, useMemo } from 'react';
import { useAnswer } from '../api/query-client.ts';
import { Shares } from '../components/Bars.tsx';
import { QuietButton } from '../components/Buttons.tsx';
import { CopyButton } from '../components/Copy.tsx';
import { AddressLink, NetworkLink } from '../components/Links.tsx';
import { Skeleton } from '../components/Loaded.tsx';
import { Empty } from '../components/Notice.tsx';
import { Columns, Credits, Section, Verdict } from '../components/Page.tsx';
import { PageTabs, useTab } from '../components/PageTabs.tsx';
import { Level } from '../components/Tag.tsx';
import { useThreatCaveat } from '../components/use-threat-caveat.ts';
import { type VirtualColumn, VirtualTable } from '../components/VirtualTable.tsx';
import { countryName, FLAG_WORDS } from '../format/names.ts';
import { count, formatNumber } from '../format/number.ts';
import { CountryMap } from '../maps/CountryMap.tsx';
import { IN_PLACE, withoutEmpty } from '../search-params.ts';
import classes from './BatchResults.module.css';
import type { BatchRow } from './batch-run.ts';
import { batchVerdict } from './batch-verdict.ts';
import type { RunState } from './chunked-run.ts';
import { save, toCsv, toNdjson, toNftSet } from './download.ts';
import {
  type BatchFilter,
  type BatchSort,
  type Facet,
  type FacetValue,
  facetOf,
  furtherFlags,
  matches,
  type ShownLevel,
  sortRows,
} from './filter-rows.ts';

const route = getRouteApi('/session/lookup');

const TABS = { table: 'Addresses', charts: 'Charts' };

export function BatchAnswer({ rows }: { rows: readonly BatchRow[] }) {
  const caveat = useThreatCaveat();
  const shown = useDeferredValue(rows);
  const text = useMemo(() => batchVerdict(shown, caveat), [shown, caveat]);
  return <Verdict text={text} />;
}

/** What was found about the addresses of a batch: the table, or charts. */
export function BatchResults({ state }: { state: RunState<BatchRow> }) {
  return (
    <>
      <Results state={state} />
      {state.rows.length > 0 && <DatasetCredits />}
    </>
  );
}

/** Batch responses have no credits, so those of all sources are shown. */
function DatasetCredits() {
  const { data } = useAnswer('getDataset', {});
  return <Credits credits={(data?.data.report?.sources ?? []).map(({ credit }) => credit)} />;
}

function Results({ state: { rows, phase, counts } }: { state: RunState<BatchRow> }) {
  const { sort } = route.useSearch();
  // Shared, so that it is a new object only if a value has changed: rows are not filtered again for
  // another order.
  const filter = route.useSearch({
    select: ({ ips: _, run: __, sort: ___, tab: ____, ...facets }) => facets,
    structuralSharing: true,
  });
  const navigate = useNavigate({ from: '/lookup' });
  const tab = useTab(TABS);
  const shownRows = useDeferredValue(rows);
  const matching = useMemo(
    () => shownRows.filter((row) => matches(row, filter)),
    [shownRows, filter],
  );
  const sorted = useMemo(() => sortRows(matching, sort), [matching, sort]);
  const columns = useMemo(() => columnsFor(shownRows), [shownRows]);
  const change = (next: Partial<typeof filter & { sort: typeof sort }>) =>
    void navigate({ search: (before) => withoutEmpty({ ...before, ...next }), ...IN_PLACE });
  if (rows.length === 0 || shownRows.length === 0) {
    if (phase === 'looking up' || rows.length > 0)
      return <Skeleton lines={8} label="Waiting for the first addresses" />;
    if (phase !== 'done') return null;
    return (
      <Empty
        title={
          counts?.special ? 'Only private or reserved addresses were found' : 'No address was found'
        }
      >
        <p>Addresses are written like 192.0.2.1 or 2001:db8::1. Host names are not looked up.</p>
      </Empty>
    );
  }
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const isRunning = phase === 'scanning' || phase === 'looking up';
  return (
    <>
      <PageTabs tabs={TABS} />
      {tab === 'charts' && (
        <BatchCharts
          rows={shownRows}
          filter={filter}
          onFilter={(facet, value) => change({ [facet]: value })}
        />
      )}
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
                icon="x"
                text="Clear filter"
                onClick={() =>
                  change({
                    q: '',
                    network: '',
                    country: '',
                    type: undefined,
                    flag: undefined,
                    level: undefined,
                  })
                }
              />
            )}
            <QuietButton
              icon="download"
              text="CSV"
              onClick={() => save('whence.csv', 'text/csv', toCsv(sorted))}
            />
            <QuietButton
              icon="download"
              text="NDJSON"
              onClick={() => save('whence.ndjson', 'application/x-ndjson', toNdjson(sorted))}
            />
            <CopyButton
              text={() => toNftSet(sorted)}
              label="Copy as nft set"
              word="Copy as nft set"
            />
          </div>
        }
      >
        {sorted.length === 0 ? (
          <Empty title={isRunning ? 'No match so far' : 'No address matches the filter'}>
            {isRunning && <p>More addresses are being looked up.</p>}
          </Empty>
        ) : (
          <VirtualTable
            cardPx={96}
            label="Addresses"
            columns={columns}
            rows={sorted}
            rowKey={({ ip }) => ip}
            minWidth={940}
            sort={sort}
            onSort={(by) => change({ sort: by })}
          />
        )}
      </Section>
    </>
  );
}

const MONO_PX = 7.3;

/** Addresses are not cut off. How often each was found is left out where that is once. */
function columnsFor(rows: readonly BatchRow[]): readonly VirtualColumn<BatchRow, BatchSort>[] {
  const longest = rows.reduce((most, { ip }) => Math.max(most, ip.length), 0);
  const [address, times, ...others] = COLUMNS;
  const width = `minmax(${Math.ceil(24 + longest * MONO_PX)}px, 1fr)`;
  return [{ ...address, width }, ...(rows.some((row) => row.times > 1) ? [times] : []), ...others];
}

type BatchColumn = VirtualColumn<BatchRow, BatchSort>;
const COLUMNS: readonly [BatchColumn, BatchColumn, ...BatchColumn[]] = [
  {
    name: 'Address',
    width: 'minmax(180px, 1.6fr)',
    title: ({ ip }) => ip,
    cell: ({ ip }) => <AddressLink ip={ip} preload={false} />,
  },
  { name: 'Times', width: '64px', sort: 'times', cell: ({ times }) => formatNumber(times) },
  {
    name: 'Network',
    width: 'minmax(190px, 3fr)',
    sort: 'network',
    title: ({ record, refusal }) => record?.asn_name ?? refusal,
    cell: ({ record, refusal }) =>
      record === undefined ? (
        <span className="quiet">{refusal}</span>
      ) : (
        <NetworkLink asn={record.asn} name={record.asn_name} preload={false} />
      ),
  },
  {
    name: 'Country',
    width: 'minmax(100px, 1fr)',
    sort: 'country',
    cell: ({ record }) => record && countryName(record.country),
  },
  { name: 'Type', width: '96px', sort: 'type', cell: ({ record }) => record?.connection_type },
  {
    name: 'Flags',
    width: 'minmax(90px, 1fr)',
    cell: ({ record }) =>
      record &&
      furtherFlags(record)
        .map((flag) => FLAG_WORDS[flag])
        .join(', '),
  },
  {
    name: 'Threat',
    // “critical at least 100”.
    width: '188px',
    sort: 'threat',
    cell: ({ record }) =>
      record && (
        <Level
          level={record.threat.level}
          score={record.threat.score}
          isKnown={record.threat_gap === undefined}
        />
      ),
  },
];

type NameOf = (value: FacetValue) => ReactNode;

const FACETS: readonly [Facet, string, NameOf | undefined][] = [
  ['level', 'Threat', ({ key }) => <Level level={key as ShownLevel} />],
  ['type', 'Connection types', undefined],
  ['country', 'Countries', ({ key }) => countryName(key)],
  ['network', 'Networks', undefined],
  ['flag', 'Further flags', ({ key }) => FLAG_WORDS[key as keyof typeof FLAG_WORDS]],
];
const SHOWN = 6;

type BatchChartsProps = {
  rows: readonly BatchRow[];
  filter: BatchFilter;
  onFilter: (facet: Facet, value: string | undefined) => void;
};

/**
 * How the addresses are distributed. A click filters by a value, a second click removes the filter.
 */
function BatchCharts({ rows, filter, onFilter }: BatchChartsProps) {
  const withoutRecord = rows.filter(({ record }) => record === undefined).length;
  const counted = useMemo(
    () => new Map(FACETS.map(([facet]) => [facet, facetOf(rows, facet, filter)])),
    [rows, filter],
  );
  const choose = (facet: Facet) => (key: string) =>
    onFilter(facet, filter[facet] === key ? undefined : key);
  const countries = counted.get('country');
  return (
    <>
      {withoutRecord > 0 && (
        <p className="quiet">
          {count(withoutRecord, 'address has', 'addresses have')} no data: no network announces{' '}
          {withoutRecord === 1 ? 'it' : 'them'}. The charts leave{' '}
          {withoutRecord === 1 ? 'it' : 'them'} out.
        </p>
      )}
      <Columns isNarrow>
        {FACETS.map(([facet, title, name]) => {
          const { values = [], total = 0 } = counted.get(facet) ?? {};
          if (values.length === 0) return null;
          return (
            <Section key={facet} title={title}>
              <Shares
                total={total}
                limit={SHOWN}
                items={values.map((value) => ({
                  ...value,
                  name: name?.(value) ?? value.name,
                }))}
                selected={filter[facet]}
                onSelect={choose(facet)}
              />
            </Section>
          );
        })}
      </Columns>
      <CountryMap
        amounts={(countries?.values ?? []).map(({ key, amount }) => ({ code: key, amount }))}
        total={countries?.total ?? 0}
        unit="addresses"
        selected={filter.country}
        onSelect={choose('country')}
      />
    </>
  );
}

import { TextInput } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ThreatKnowledge, ThreatLevel } from '@whence/client/wire';
import { isThreatKnown } from '@whence/dataset/record';
import { type ReactNode, useDeferredValue, useMemo } from 'react';
import { useAnswer } from '../api/query-client.ts';
import { Shares } from '../components/Bars.tsx';
import { QuietButton } from '../components/Buttons.tsx';
import { CopyButton } from '../components/Copy.tsx';
import { AddressLink, NetworkLink } from '../components/Links.tsx';
import { Skeleton } from '../components/Loaded.tsx';
import { Empty } from '../components/Notice.tsx';
import { Columns, Credits, Section } from '../components/Page.tsx';
import { Level } from '../components/Tag.tsx';
import { useThreatCaveat } from '../components/use-threat-caveat.ts';
import { type VirtualColumn, VirtualTable } from '../components/VirtualTable.tsx';
import { countryName, FLAG_WORDS, FLAGS } from '../format/names.ts';
import { count, formatNumber } from '../format/number.ts';
import { CountryMap } from '../maps/CountryMap.tsx';
import { IN_PLACE, withoutEmpty } from '../search-params.ts';
import { useSignedIn } from '../session/use-session.ts';
import { MAX_ADDRESSES } from './address-scanner.ts';
import classes from './BatchPage.module.css';
import { type BatchRow, currentRun } from './batch-run.ts';
import type { RunState } from './chunked-run.ts';
import { save, toCsv, toNdjson, toNftSet } from './download.ts';
import {
  type BatchFilter,
  type BatchSort,
  type Facet,
  type FacetValue,
  facetOf,
  matches,
  sortRows,
} from './filter-rows.ts';
import { RunPage } from './RunPage.tsx';

const route = getRouteApi('/session/batch');

const WORDS = {
  one: 'address',
  many: 'addresses',
  act: 'Look up',
  done: 'looked up',
  placeholder:
    'Paste text that contains addresses, or drop a file: a log, CSV or JSON, optionally gzipped. It is read in your browser; only the addresses are sent to the server.',
  invalid: 'such as 300.1.1.1',
  limit: MAX_ADDRESSES,
  kept: 'The last five lists are kept in the browser that read them, until you sign out.',
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
  return <Credits credits={(data?.data.report?.sources ?? []).map(({ credit }) => credit)} />;
}

function Results({ state: { rows, phase, counts } }: { state: RunState<BatchRow> }) {
  const { sort } = route.useSearch();
  // Shared, so that it is a new object only if a value has changed: rows are not filtered again for another order.
  const filter = route.useSearch({
    select: ({ ips: _, run: __, sort: ___, ...facets }) => facets,
    structuralSharing: true,
  });
  const navigate = useNavigate({ from: '/batch' });
  const { caveat, known } = useThreatCaveat();
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
        known={known}
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
                icon="x"
                text="Clear filter"
                onClick={() =>
                  change({ q: '', network: '', country: '', type: undefined, flag: undefined, level: undefined })
                }
              />
            )}
            <QuietButton icon="download" text="CSV" onClick={() => save('whence.csv', 'text/csv', toCsv(sorted))} />
            <QuietButton
              icon="download"
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
          <VirtualTable
            label="Addresses"
            columns={columnsWith(known)}
            rows={sorted}
            rowKey={({ ip }) => ip}
            minWidth={880}
            sort={sort}
            onSort={(by) => change({ sort: by })}
          />
        )}
      </Section>
    </>
  );
}

const columnsWith = (known: ThreatKnowledge): VirtualColumn<BatchRow, BatchSort>[] => [
  {
    name: 'Address',
    width: 'minmax(130px, 1.2fr)',
    title: ({ ip }) => ip,
    cell: ({ ip }) => <AddressLink ip={ip} preload={false} />,
  },
  { name: 'Times', width: '64px', sort: 'times', cell: ({ times }) => formatNumber(times) },
  {
    name: 'Network',
    width: 'minmax(180px, 2fr)',
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
  { name: 'Type', width: '110px', sort: 'type', cell: ({ record }) => record?.connection_type },
  {
    name: 'Flags',
    width: 'minmax(110px, 1fr)',
    cell: ({ record }) =>
      record &&
      FLAGS.filter((flag) => record.detection[flag] && flag !== `is_${record.connection_type}`)
        .map((flag) => FLAG_WORDS[flag])
        .join(', '),
  },
  {
    name: 'Threat',
    width: '110px',
    sort: 'threat',
    cell: ({ record }) =>
      record && (
        <Level level={record.threat.level} score={record.threat.score} isKnown={isThreatKnown(record, known)} />
      ),
  },
];

type NameOf = (value: FacetValue, known: ThreatKnowledge) => ReactNode;

const FACETS: readonly [Facet, string, NameOf | undefined][] = [
  ['level', 'Threat', ({ key }, { ipv4, ipv6 }) => <Level level={key as ThreatLevel} isKnown={ipv4 || ipv6} />],
  ['type', 'Connection types', undefined],
  ['country', 'Countries', ({ key }) => countryName(key)],
  ['network', 'Networks', undefined],
  ['flag', 'Flags', ({ key }) => FLAG_WORDS[key as keyof typeof FLAG_WORDS]],
];
const SHOWN = 6;

type BatchChartsProps = {
  rows: readonly BatchRow[];
  filter: BatchFilter;
  onFilter: (facet: Facet, value: string | undefined) => void;
  /** What a threat level leaves out. */
  caveat: string | undefined;
  known: ThreatKnowledge;
};

/** How the addresses are distributed. A click filters by a value, a second click removes the filter. */
function BatchCharts({ rows, filter, onFilter, caveat, known }: BatchChartsProps) {
  const withoutRecord = rows.filter(({ record }) => record === undefined).length;
  const counted = useMemo(
    () => new Map(FACETS.map(([facet]) => [facet, facetOf(rows, facet, filter)])),
    [rows, filter],
  );
  const choose = (facet: Facet) => (key: string) => onFilter(facet, filter[facet] === key ? undefined : key);
  const countries = counted.get('country');
  return (
    <>
      {withoutRecord > 0 && (
        <p className="quiet">
          {count(withoutRecord, 'address has', 'addresses have')} no data: no network announces{' '}
          {withoutRecord === 1 ? 'it' : 'them'}. The charts leave {withoutRecord === 1 ? 'it' : 'them'} out.
        </p>
      )}
      <Columns isNarrow>
        {FACETS.map(([facet, title, name]) => {
          const { values = [], total = 0 } = counted.get(facet) ?? {};
          if (values.length === 0) return null;
          return (
            <Section key={facet} title={title} note={facet === 'level' ? caveat : undefined}>
              <Shares
                total={total}
                limit={SHOWN}
                items={values.map((value) => ({ ...value, name: name?.(value, known) ?? value.name }))}
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

import { SegmentedControl } from '@mantine/core';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import type { Overview, Traffic } from '@whence/server/dashboard-wire/usage';
import { useAnswer } from '../api/query-client.ts';
import { BarChart } from '../charts/BarChart.tsx';
import { Shares } from '../components/Bars.tsx';
import { type NumberItem, Numbers } from '../components/Facts.tsx';
import { KeyLink } from '../components/Links.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { Empty } from '../components/Notice.tsx';
import { Page, Section } from '../components/Page.tsx';
import { Table } from '../components/Table.tsx';
import { UpdateNotice } from '../data/Updates.tsx';
import { ageLevel, ageWords, longDay, routesOf } from '../format/data-age.ts';
import { compared, count, formatMs, formatNumber, formatShare } from '../format/number.ts';
import { useNow } from '../format/Time.tsx';
import { shortDay, shortHour } from '../format/time.ts';
import { KeyStateTag, QuotaBar } from '../keys/KeyState.tsx';
import { Examples } from '../lookup/Examples.tsx';
import { IN_PLACE } from '../search-params.ts';
import { useRole } from '../session/use-session.ts';
import { FirstRunList, hasUpdateButton, isComplete } from './FirstRunList.tsx';

const route = getRouteApi('/session/');
const REFRESH_MS = 30_000;
const RUNNING_MS = 1500;

export function OverviewPage() {
  const { isAtLeast } = useRole();
  const overview = useAnswer(
    'getOverview',
    {},
    { refetchInterval: ({ state }) => (state.data?.data.update.outcome === 'running' ? RUNNING_MS : REFRESH_MS) },
  );
  return (
    <Page name="Overview" title="Overview">
      <Loaded query={overview} shape={[['figures'], ['figures'], ['chart'], ['bars']]}>
        {({ data }) => (
          <>
            {!hasUpdateButton(data, isAtLeast('admin')) && (
              <UpdateNotice update={data.update} builtAt={data.dataset?.built_at} withButton />
            )}
            {hasFigures(data) && <Numbers items={figures(data)} />}
            {data.keys_near_limit.length > 0 && (
              <Section title="Keys near their limit">
                <KeysNearLimit keys={data.keys_near_limit} />
              </Section>
            )}
            {data.first_run && !isComplete(data.first_run) && <FirstRunList steps={data.first_run} overview={data} />}
            {data.traffic !== undefined && hasFigures(data) && <TrafficSection refused={data.traffic.refused} />}
            {isAtLeast('member') && hasFigures(data) && (
              <Section
                title="Most requests today"
                note={data.keys_near_limit.length > 0 ? undefined : 'No key has used 80% of its limit.'}
              >
                <TopKeys overview={data} />
              </Section>
            )}
            {(data.first_run === undefined || data.first_run.has_looked_up) && <Examples />}
            {data.first_run && isComplete(data.first_run) && <FirstRunList steps={data.first_run} overview={data} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** Before anything was looked up, every number would be zero. */
function hasFigures({ first_run, today, yesterday, traffic }: Overview): boolean {
  if (first_run === undefined || first_run.has_used_key) return true;
  return today.requests + yesterday.requests + (traffic?.last_day.requests ?? 0) > 0;
}

function figures({ today, yesterday, traffic, decisions_today, dataset }: Overview): NumberItem[] {
  return [
    traffic === undefined
      ? {
          name: 'Requests today',
          value: formatNumber(today.requests),
          note: `${formatNumber(yesterday.requests)} in all of yesterday`,
        }
      : {
          name: 'API requests today',
          value: formatNumber(traffic.requests_today.now),
          note: compared(traffic.requests_today.now, traffic.requests_today.before, 'yesterday by this time'),
        },
    ...(decisions_today === undefined ? [] : [decisionFigure(decisions_today)]),
    {
      name: 'Age of the data',
      value: dataset === undefined ? 'none' : <RoutesDay />,
      note: dataset === undefined ? 'being built' : <Link to="/data">dataset {dataset.version}</Link>,
    },
  ];
}

function decisionFigure({ allowed, denied, observed }: NonNullable<Overview['decisions_today']>): NumberItem {
  const parts = [`${formatNumber(allowed)} allowed`, `${formatNumber(denied)} denied`];
  if (observed > 0) parts.push(`${formatNumber(observed)} observed`);
  return {
    name: 'Decisions today',
    value: formatNumber(allowed + denied + observed),
    note: <Link to="/rules">{parts.join(', ')}</Link>,
  };
}

/** The age of the data, as in the header; that of the build says little. */
function RoutesDay() {
  const now = useNow();
  const { data } = useAnswer('getDataAges', {});
  const day = data && routesOf(data.data.groups, 'ipv4')?.as_of;
  if (day === undefined) return data === undefined ? '' : 'unknown age';
  return (
    <span data-age={ageLevel(day, now)} title={longDay(day, now)}>
      {ageWords(day, now).replace(/ old$/, '')}
    </span>
  );
}

function KeysNearLimit({ keys }: { keys: Overview['keys_near_limit'] }) {
  return (
    <Table
      isStacked
      label="Keys near their limit"
      rows={keys}
      columns={[
        { name: 'Key', cell: ({ id, name }) => <KeyLink id={id} name={name} /> },
        { name: 'State', cell: (key) => <KeyStateTag summary={key} /> },
        { name: 'Today', cell: ({ quota }) => <QuotaBar quota={quota} withReset /> },
      ]}
    />
  );
}

function TopKeys({ overview: { top_keys, today } }: { overview: Overview }) {
  if (top_keys.length === 0) {
    return (
      <Empty title="No requests today">
        <p>
          <Link to="/settings/keys" search={{ create: 'yes' }}>
            Create a key
          </Link>{' '}
          and send it in the X-API-Key header.
        </p>
      </Empty>
    );
  }
  return (
    <Shares
      total={today.requests}
      items={top_keys.map(({ id, label, requests }) => ({
        key: id,
        amount: requests,
        name: (
          <Link to="/usage" search={{ key: id }}>
            {label}
          </Link>
        ),
      }))}
    />
  );
}

/** Hours of the choices. */
const PERIODS = { '24 h': 24, '7 d': 7 * 24, '30 d': 30 * 24 } as const;
type Period = keyof typeof PERIODS;
const PERIOD_NAMES = Object.keys(PERIODS) as Period[];

/** Requests to the API in a period. `refused` are those of the last day and of the day before. */
function TrafficSection({ refused }: { refused: NonNullable<Overview['traffic']>['refused'] }) {
  const { period = '24 h' } = route.useSearch();
  const navigate = useNavigate({ from: '/' });
  const traffic = useAnswer('getTraffic', { query: { hours: PERIODS[period] } });
  return (
    <Section
      title="Traffic"
      aside={
        <SegmentedControl
          size="xs"
          aria-label="Period"
          value={period}
          data={PERIOD_NAMES}
          onChange={(next) => void navigate({ search: next === '24 h' ? {} : { period: next as Period }, ...IN_PLACE })}
        />
      }
    >
      <Loaded query={traffic} shape={[['figures'], ['chart']]}>
        {({ data }) => (
          <>
            <Numbers items={trafficFigures(data, period, period === '24 h' ? refused.before : undefined)} />
            <TrafficChart hours={data.hours} period={period} />
          </>
        )}
      </Loaded>
    </Section>
  );
}

function trafficFigures({ hours, latency, cache }: Traffic, period: Period, before: number | undefined): NumberItem[] {
  const requests = hours.reduce((sum, hour) => sum + hour.requests, 0);
  const refused = hours.reduce((sum, hour) => sum + hour.refused, 0);
  const lookups = cache.hits + cache.misses;
  return [
    {
      name: `Refused, ${period}`,
      value: formatNumber(refused),
      note:
        before === undefined ? `of ${count(requests, 'API request')}` : compared(refused, before, 'the 24 h before'),
    },
    {
      name: `Median time, ${period}`,
      value: requests === 0 ? 'none' : formatMs(latency.p50_ms),
      note: requests === 0 ? 'no API requests' : `99% below ${formatMs(latency.p99_ms)} (estimate)`,
    },
    {
      name: `From cache, ${period}`,
      value: lookups === 0 ? 'none' : formatShare(cache.hits, lookups),
      note: count(lookups, 'address lookup'),
    },
  ];
}

/** As many bars as a phone has room for, and the name of the bar that an hour is part of. */
const BARS = {
  '24 h': { words: 'hour', startOf: (hour: string) => shortHour(hour) },
  '7 d': {
    words: 'six hours',
    startOf: (hour: string) => {
      const start = String(Math.floor(Number(hour.slice(11, 13)) / 6) * 6).padStart(2, '0');
      return shortHour(`${hour.slice(0, 11)}${start}:00`);
    },
  },
  '30 d': { words: 'day', startOf: (hour: string) => shortDay(hour.slice(0, 10)) },
} as const;

function TrafficChart({ hours, period }: { hours: Traffic['hours']; period: Period }) {
  if (hours.every(({ requests }) => requests === 0))
    return <p className="quiet">No API requests in the last {period}.</p>;
  const { words, startOf } = BARS[period];
  const bars = Map.groupBy(hours, ({ hour }) => startOf(hour));
  const sums = (amount: (hour: Traffic['hours'][number]) => number) =>
    [...bars.values()].map((parts) => parts.reduce((sum, hour) => sum + amount(hour), 0));
  return (
    <BarChart
      label={`Requests by ${words}, times in UTC`}
      names={[...bars.keys()]}
      series={[
        { id: 'answered', label: 'answered', values: sums(({ requests, refused }) => requests - refused) },
        { id: 'refused', label: 'refused', values: sums(({ refused }) => refused), tone: 'refused' },
      ]}
    />
  );
}

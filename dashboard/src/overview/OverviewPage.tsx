import { Link } from '@tanstack/react-router';
import type { Overview } from '@whence/server/dashboard-wire/usage';
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
import { shortDay } from '../format/time.ts';
import { KeyStateTag, QuotaBar } from '../keys/KeyState.tsx';
import { Examples } from '../lookup/Examples.tsx';
import { useRole } from '../session/use-session.ts';
import { FirstRunList, hasUpdateButton } from './FirstRunList.tsx';

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
      <Loaded query={overview} shape={[['figures'], ['chart'], ['bars', 'facts']]}>
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
            {data.first_run !== undefined && <FirstRunList steps={data.first_run} overview={data} />}
            {isAtLeast('admin') && hasFigures(data) && <TrafficChart />}
            {isAtLeast('member') && hasFigures(data) && (
              <Section
                title="Most requests today"
                note={data.keys_near_limit.length > 0 ? undefined : 'No key has used 80% of its limit.'}
              >
                <TopKeys overview={data} />
              </Section>
            )}
            {(data.first_run === undefined || data.first_run.has_looked_up) && <Examples />}
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
    ...(traffic === undefined ? [] : trafficFigures(traffic)),
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

function trafficFigures({ last_day, refused }: NonNullable<Overview['traffic']>): NumberItem[] {
  const { hits, misses } = last_day.cache;
  return [
    {
      name: 'Refused, 24 h',
      value: formatNumber(refused.now),
      note: compared(refused.now, refused.before, 'the 24 h before'),
    },
    {
      name: 'Median time, 24 h',
      value: last_day.requests === 0 ? 'none' : formatMs(last_day.latency.p50_ms),
      note: last_day.requests === 0 ? 'no API requests' : `99% below ${formatMs(last_day.latency.p99_ms)} (estimate)`,
    },
    {
      name: 'From cache, 24 h',
      value: hits + misses === 0 ? 'none' : formatShare(hits, hits + misses),
      note: count(hits + misses, 'address lookup'),
    },
  ];
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

const HOURS = 48;

function TrafficChart() {
  const traffic = useAnswer('getTraffic', { query: { hours: HOURS } });
  return (
    <Section title="Requests by hour">
      <Loaded query={traffic} shape={[['chart']]}>
        {({ data: { hours } }) =>
          hours.every(({ requests }) => requests === 0) ? (
            <p className="quiet">No API requests in the last {hours.length} hours.</p>
          ) : (
            <BarChart
              label={`The last ${hours.length} hours, times in UTC`}
              names={hours.map(({ hour }) => `${shortDay(hour.slice(0, 10))}, ${hour.slice(11, 16)}`)}
              series={[
                { id: 'answered', label: 'answered', values: hours.map(({ requests, refused }) => requests - refused) },
                { id: 'refused', label: 'refused', values: hours.map(({ refused }) => refused), tone: 'refused' },
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  );
}

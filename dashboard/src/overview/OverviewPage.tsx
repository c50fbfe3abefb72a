import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Overview, Refused, TrafficTotals } from '@whence/server/dashboard-wire';
import { answerQuery } from '../api/query-client.ts';
import { Refusals } from '../data/Refusals.tsx';
import { compared } from '../format/compare.ts';
import { formatMs, formatNumber, formatShare } from '../format/number.ts';
import { Time } from '../format/Time.tsx';
import { QuotaBar } from '../keys/QuotaBar.tsx';
import { Columns } from '../parts/Columns.tsx';
import { type NumberItem, Numbers } from '../parts/Numbers.tsx';
import { Page } from '../parts/Page.tsx';
import { Section } from '../parts/Section.tsx';
import { Shares } from '../parts/Shares.tsx';
import { Table } from '../parts/Table.tsx';
import { useRole } from '../session/use-account.ts';
import { Empty } from '../states/Empty.tsx';
import { Loaded } from '../states/Loaded.tsx';
import { Examples } from './Examples.tsx';
import { TopNetworks } from './TopNetworks.tsx';
import { TrafficChart } from './TrafficChart.tsx';

const REFRESH_MS = 30_000;

export function OverviewPage() {
  const { isAtLeast } = useRole();
  const overview = useQuery({ ...answerQuery('getOverview', {}), refetchInterval: REFRESH_MS });
  return (
    <Page name="Overview" title="Overview">
      <Loaded query={overview} lines={12}>
        {({ data }) => (
          <>
            <Numbers items={figures(data)} />
            {data.dataset !== undefined && <Refusals refused={data.dataset.refused} />}
            {isAtLeast('admin') && <TrafficChart />}
            {data.keys_near_limit.length > 0 && (
              <Section title="Keys near their limit">
                <KeysNearLimit keys={data.keys_near_limit} />
              </Section>
            )}
            {isAtLeast('member') && (
              <Columns>
                <Section
                  title="Most requests today"
                  note={data.keys_near_limit.length > 0 ? undefined : 'No key has used 80% of its limit.'}
                >
                  <TopKeys overview={data} />
                </Section>
                {data.networks !== undefined && <TopNetworks networks={data.networks} />}
              </Columns>
            )}
            <Examples />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function figures({ today, yesterday, traffic, dataset }: Overview): NumberItem[] {
  return [
    {
      name: 'Requests today',
      value: formatNumber(today.requests),
      note: `yesterday ${formatNumber(yesterday.requests)}`,
    },
    ...(traffic === undefined ? [] : trafficFigures(traffic.last_day, traffic.day_before)),
    {
      name: 'Dataset',
      value: dataset === undefined ? 'none' : <Link to="/data">{dataset.version}</Link>,
      note:
        dataset === undefined ? (
          'being built'
        ) : (
          <>
            built <Time at={dataset.built_at} />
          </>
        ),
    },
  ];
}

function trafficFigures(now: TrafficTotals, before: TrafficTotals): NumberItem[] {
  const refused = sum(now.refused);
  const { hits, misses } = now.cache;
  return [
    {
      name: 'Refused, 24 h',
      value: formatNumber(refused),
      note: compared(refused, sum(before.refused), 'the day before'),
    },
    {
      name: 'Median time, 24 h',
      value: formatMs(now.latency.p50_ms),
      note: `99% below ${formatMs(now.latency.p99_ms)} (estimate)`,
    },
    {
      name: 'From cache, 24 h',
      value: formatShare(hits, hits + misses),
      note: `${formatNumber(hits + misses)} address look-ups`,
    },
  ];
}

function sum({ unauthorized, forbidden, rate_limited, overloaded }: Refused): number {
  return unauthorized + forbidden + rate_limited + overloaded;
}

function KeysNearLimit({ keys }: { keys: Overview['keys_near_limit'] }) {
  return (
    <Table
      isStacked
      label="Keys near their limit"
      rows={keys}
      rowKey={({ id }) => id}
      columns={[
        {
          name: 'Key',
          cell: ({ id, name }) => (
            <Link to="/settings/keys/$id" params={{ id }}>
              {name}
            </Link>
          ),
        },
        { name: 'Today', cell: ({ quota }) => <QuotaBar quota={quota} withReset /> },
      ]}
    />
  );
}

function TopKeys({ overview: { top_keys, today } }: { overview: Overview }) {
  if (top_keys.length === 0) {
    return (
      <Empty title="No request today">
        <p>
          <Link to="/settings/keys" search={{ create: 'yes' }}>
            Create a key
          </Link>{' '}
          and send it in the header X-API-Key.
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

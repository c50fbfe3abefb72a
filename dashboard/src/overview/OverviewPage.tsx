import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { TopNetworks as Networks, Overview, Refused, TrafficTotals } from '@whence/server/dashboard-wire';
import { answerQuery } from '../api/query-client.ts';
import { BarChart } from '../charts/BarChart.tsx';
import { Shares } from '../components/Bars.tsx';
import { type NumberItem, Numbers } from '../components/Facts.tsx';
import { NetworkLink } from '../components/Links.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { Empty } from '../components/Notice.tsx';
import { Columns, Page, Section } from '../components/Page.tsx';
import { Table } from '../components/Table.tsx';
import { RejectedFeeds } from '../data/Updates.tsx';
import { compared, count, formatMs, formatNumber, formatShare } from '../format/number.ts';
import { Time } from '../format/Time.tsx';
import { shortDay } from '../format/time.ts';
import { QuotaBar } from '../keys/KeyState.tsx';
import { Examples } from '../lookup/Examples.tsx';
import { LookupCountries } from '../maps/LookupCountries.tsx';
import { useRole } from '../session/use-session.ts';

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
            {data.dataset !== undefined && <RejectedFeeds rejected={data.dataset.refused} />}
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
            {data.networks !== undefined && <LookupCountries countries={data.networks.countries} />}
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
      note: count(hits + misses, 'address lookup'),
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
  const traffic = useQuery(answerQuery('getTraffic', { query: { hours: HOURS } }));
  return (
    <Section title="Requests by hour">
      <Loaded query={traffic} lines={6}>
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

/** Networks of the addresses that were looked up, not of the clients. */
function TopNetworks({ networks: { lookups, top } }: { networks: Networks }) {
  return (
    <Section
      title="Most looked-up networks"
      note="Networks of looked-up addresses since yesterday 00:00 UTC. Sampled when traffic is high."
    >
      {top.length === 0 ? (
        <p className="quiet">No addresses have been looked up since yesterday.</p>
      ) : (
        <Shares
          total={lookups}
          items={top.map(({ asn, name, lookups: amount }) => ({
            key: String(asn),
            amount,
            name: <NetworkLink asn={asn} name={name} />,
          }))}
        />
      )}
    </Section>
  );
}

/** Requests to the API by hour, with refusals, times and the cache. */
import { SegmentedControl } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { Overview, Traffic } from '@whence/server/dashboard-wire/usage';
import { useAnswer } from '../api/query-client.ts';
import { BarChart } from '../charts/BarChart.tsx';
import { type NumberItem, Numbers } from '../components/Facts.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { Section } from '../components/Page.tsx';
import { compared, count, formatMs, formatNumber, formatShare } from '../format/number.ts';
import { shortDay, shortHour } from '../format/time.ts';
import { IN_PLACE } from '../search-params.ts';

const route = getRouteApi('/session/');

/** Hours of the choices. */
const PERIODS = { '24 h': 24, '7 d': 7 * 24, '30 d': 30 * 24 } as const;
type Period = keyof typeof PERIODS;
const PERIOD_NAMES = Object.keys(PERIODS) as Period[];

/** `refused` are those of the last day and of the day before. */
export function TrafficSection({ refused }: { refused: NonNullable<Overview['refused']> }) {
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
          onChange={(next) =>
            void navigate({
              search: next === '24 h' ? {} : { period: next as Period },
              ...IN_PLACE,
            })
          }
        />
      }
    >
      <Loaded query={traffic} shape={[['figures'], ['chart']]}>
        {({ data }) => (
          <>
            <Numbers
              items={trafficFigures(data, period, period === '24 h' ? refused.before : undefined)}
            />
            <TrafficChart hours={data.hours} period={period} />
          </>
        )}
      </Loaded>
    </Section>
  );
}

function trafficFigures(
  { hours, latency, cache }: Traffic,
  period: Period,
  before: number | undefined,
): NumberItem[] {
  const requests = hours.reduce((sum, hour) => sum + hour.requests, 0);
  const refused = hours.reduce((sum, hour) => sum + hour.refused, 0);
  const lookups = cache.hits + cache.misses;
  return [
    {
      name: `Refused, ${period}`,
      value: formatNumber(refused),
      note:
        before === undefined
          ? `of ${count(requests, 'API request')}`
          : compared(refused, before, 'the 24 h before'),
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
        {
          id: 'answered',
          label: 'answered',
          values: sums(({ requests, refused }) => requests - refused),
        },
        {
          id: 'refused',
          label: 'refused',
          values: sums(({ refused }) => refused),
          tone: 'refused',
        },
      ]}
    />
  );
}

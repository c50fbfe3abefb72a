import { NativeSelect, SegmentedControl, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { Input } from '@whence/server/dashboard-wire/contract';
import type { UsageSeries } from '@whence/server/dashboard-wire/usage';
import type { UsageGroup } from '@whence/server/vocabulary';
import { addressOf, isFailure } from '../api/call.ts';
import { answerQuery } from '../api/query-client.ts';
import { BarChart } from '../charts/BarChart.tsx';
import { type Series, statusTone } from '../charts/series.ts';
import { Shares } from '../components/Bars.tsx';
import { Facts, Numbers } from '../components/Facts.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { Empty } from '../components/Notice.tsx';
import { Columns, ExportLinks, Page, Section } from '../components/Page.tsx';
import { count, formatMs, formatNumber, formatShare } from '../format/number.ts';
import { DAY_MS, shortDay, utcDay } from '../format/time.ts';
import { withoutEmpty } from '../search-params.ts';
import { useRole } from '../session/use-session.ts';
import classes from './UsagePage.module.css';

const route = getRouteApi('/session/usage');
const KEYS_LISTED = 200;
const DEFAULT_DAYS = 30;
const SHOWN_SERIES = 4;

export function UsagePage() {
  const { isAtLeast } = useRole();
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/usage' });
  const now = Date.now();
  const from = search.from ?? utcDay(now - (DEFAULT_DAYS - 1) * DAY_MS);
  const to = search.to ?? utcDay(now);
  const query: Input<'getUsage'>['query'] = { ...search, from, to };
  const usage = useQuery(answerQuery('getUsage', { query }));
  const change = (next: Partial<typeof search>) =>
    void navigate({
      search: (before) => withoutEmpty({ ...before, ...next }),
      replace: true,
      resetScroll: false,
    });
  return (
    <Page
      name="Usage"
      title="Usage"
      lead={
        isAtLeast('admin')
          ? 'API requests and dashboard lookups.'
          : 'Requests with your keys, and your dashboard lookups.'
      }
      actions={<ExportLinks addressOf={(format) => addressOf('exportUsage', { query: { ...query, format } })} />}
    >
      <div className={classes['tools']}>
        <KeySelect value={search.key ?? ''} onChange={(key) => change({ key })} />
        <TextInput
          type="date"
          aria-label="From"
          value={from}
          max={to}
          onChange={(event) => change({ from: event.currentTarget.value })}
        />
        <TextInput
          type="date"
          aria-label="To"
          value={to}
          min={from}
          onChange={(event) => change({ to: event.currentTarget.value })}
        />
        <SegmentedControl
          value={search.by ?? 'endpoint'}
          onChange={(by) => change({ by: by as UsageGroup })}
          data={[
            { value: 'endpoint', label: 'By endpoint' },
            { value: 'key', label: 'By key' },
            { value: 'status', label: 'By status' },
          ]}
        />
      </div>
      <Loaded query={usage} shape={[['figures'], ['chart'], ['bars']]}>
        {({ data }) => <UsageSections usage={data} />}
      </Loaded>
      {isAtLeast('admin') && <TrafficSections />}
    </Page>
  );
}

function KeySelect({ value, onChange }: { value: string; onChange: (key: string) => void }) {
  const { isAtLeast } = useRole();
  const keys = useQuery({
    ...answerQuery('listKeys', { query: { limit: KEYS_LISTED, sort: 'requests_today' } }),
    enabled: isAtLeast('member'),
  });
  const listed = keys.data?.data.keys ?? [];
  const isListed = value === '' || listed.some(({ id }) => id === value);
  return (
    <NativeSelect
      aria-label="Key"
      className={classes['key']}
      value={value}
      data={[
        { value: '', label: 'All keys' },
        ...(isListed ? [] : [{ value, label: value }]),
        ...listed.map(({ id, name }) => ({ value: id, label: name })),
      ]}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function UsageSections({ usage }: { usage: UsageSeries }) {
  const { total, client_errors, server_errors, days, from, to, series, by } = usage;
  if (total === 0) {
    return (
      <Empty title={`No requests between ${shortDay(from)} and ${shortDay(to)}`}>
        <p>Requests appear here within seconds. Choose other days or another key.</p>
      </Empty>
    );
  }
  return (
    <>
      <Numbers
        items={[
          { name: 'Requests', value: formatNumber(total), note: `in ${count(days.length, 'day')}` },
          { name: '4xx responses', value: formatNumber(client_errors), note: formatShare(client_errors, total) },
          { name: '5xx responses', value: formatNumber(server_errors), note: formatShare(server_errors, total) },
        ]}
      />
      <Section title="By day">
        <BarChart
          label={`${count(total, 'request')}, days in UTC`}
          names={days.map((day) => shortDay(day))}
          series={largest(
            by === 'status' ? series.map((one) => ({ ...one, ...statusTone(one.id) })) : series,
            days.length,
          )}
        />
      </Section>
      <Section title={{ endpoint: 'By endpoint', key: 'By key', status: 'By status' }[by]}>
        <Shares
          total={total}
          limit={20}
          items={series.map(({ id, label, total: amount }) => ({ key: id, name: label, amount }))}
        />
      </Section>
    </>
  );
}

/** The chart has five colours: the smaller series are summed up as one, and the list below has all of them. */
function largest(series: readonly Series[], days: number): Series[] {
  if (series.length <= SHOWN_SERIES + 1) return [...series];
  const rest = series.slice(SHOWN_SERIES);
  const values = Array.from({ length: days }, (_, day) => rest.reduce((sum, one) => sum + (one.values[day] ?? 0), 0));
  return [...series.slice(0, SHOWN_SERIES), { id: 'rest', label: `${rest.length} others`, values }];
}

const HOURS = 24;

/** Refused requests and response times of the whole API in the last 24 hours. */
function TrafficSections() {
  const traffic = useQuery(answerQuery('getTraffic', { query: { hours: HOURS } }));
  // The section above already reports it.
  if (isFailure(traffic.error, 'OFFLINE')) return null;
  return (
    <Loaded query={traffic} shape={[['facts', 'bars']]}>
      {({ data: { refused, unavailable, latency, cache } }) => (
        <Columns>
          <Section title="Refused or unavailable, last 24 hours">
            <Facts
              facts={[
                { name: 'Without a valid key (401)', value: formatNumber(refused.unauthorized) },
                { name: 'Without permission (403)', value: formatNumber(refused.forbidden) },
                { name: 'Rate limit exceeded (429)', value: formatNumber(refused.rate_limited) },
                { name: 'Overloaded (503)', value: formatNumber(refused.overloaded) },
                { name: 'No DNS response (503)', value: formatNumber(unavailable.dns) },
                { name: 'Storage or dataset unavailable (503)', value: formatNumber(unavailable.other) },
              ]}
            />
          </Section>
          <Section
            title="Response time, last 24 hours"
            note="API requests only, without probes and pages. Estimates from a histogram."
          >
            <Facts
              facts={[
                { name: 'Median', value: formatMs(latency.p50_ms) },
                { name: '90% below', value: formatMs(latency.p90_ms) },
                { name: '99% below', value: formatMs(latency.p99_ms) },
                {
                  name: 'From cache',
                  value: `${formatShare(cache.hits, cache.hits + cache.misses)} of ${formatNumber(cache.hits + cache.misses)}`,
                },
              ]}
            />
          </Section>
        </Columns>
      )}
    </Loaded>
  );
}

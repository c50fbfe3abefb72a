import { SegmentedControl, Select, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { Input } from '@whence/server/dashboard-wire/contract';
import type { UsageSeries } from '@whence/server/dashboard-wire/usage';
import { USAGE_GROUPS, type UsageGroup } from '@whence/server/vocabulary';
import { useState } from 'react';
import { addressOf, isFailure } from '../api/call.ts';
import { useAnswer } from '../api/query-client.ts';
import { BarChart } from '../charts/BarChart.tsx';
import { type Series, withStatusTones } from '../charts/series.ts';
import { Shares } from '../components/Bars.tsx';
import { Facts, Numbers } from '../components/Facts.tsx';
import { Loaded, LoadedLead } from '../components/Loaded.tsx';
import { Empty } from '../components/Notice.tsx';
import { KEYS_TABS } from '../components/navigation-items.ts';
import { Columns, ExportLinks, Page, Section, Verdict } from '../components/Page.tsx';
import { LinkTabs } from '../components/PageTabs.tsx';
import { longDay } from '../format/data-age.ts';
import { capitalise } from '../format/names.ts';
import { count, formatMs, formatNumber, formatShare } from '../format/number.ts';
import { countedWords } from '../format/request-counts.ts';
import { useNow } from '../format/Time.tsx';
import { DAY_MS, shortDay, utcDay } from '../format/time.ts';
import { IN_PLACE, withoutEmpty } from '../search-params.ts';
import { useRole } from '../session/use-session.ts';
import classes from './UsagePage.module.css';

const route = getRouteApi('/session/keys/usage');
const KEYS_LISTED = 50;
const DEBOUNCE_MS = 120;
const DEFAULT_DAYS = 30;
/** Days of the choices, today included. The page of a key has its last 24 hours. */
const PERIODS = { 'today, UTC': 1, '7 d': 7, '30 d': DEFAULT_DAYS } as const;
const SHOWN_SERIES = 4;
/** The share of requests from which on the page says first that the server failed. */
const MANY_ERRORS = 0.01;

export function UsagePage() {
  const { isAtLeast } = useRole();
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/keys/usage' });
  const now = useNow();
  const firstOf = (days: number) => utcDay(now - (days - 1) * DAY_MS);
  const from = search.from ?? firstOf(DEFAULT_DAYS);
  const to = search.to ?? utcDay(now);
  const query: Input<'getUsage'>['query'] = { ...search, from, to };
  const usage = useAnswer('getUsage', { query });
  const change = (next: Partial<typeof search>) =>
    void navigate({ search: (before) => withoutEmpty({ ...before, ...next }), ...IN_PLACE });
  return (
    <Page
      name="Usage"
      title="Keys"
      lead={
        <LoadedLead query={usage}>
          {({ data }) => <UsageVerdict usage={data} isOfKey={search.key !== undefined} />}
        </LoadedLead>
      }
      actions={
        <ExportLinks
          addressOf={(format) => addressOf('exportUsage', { query: { ...query, format } })}
        />
      }
    >
      <LinkTabs tabs={KEYS_TABS} />
      <div className={classes['tools']}>
        <KeySelect value={search.key ?? ''} onChange={(key) => change({ key })} />
        <SegmentedControl
          aria-label="Period"
          value={
            Object.entries(PERIODS).find(
              ([, days]) => from === firstOf(days) && to === utcDay(now),
            )?.[0] ?? ''
          }
          onChange={(name) =>
            change({ from: firstOf(PERIODS[name as keyof typeof PERIODS]), to: utcDay(now) })
          }
          data={Object.keys(PERIODS).map((value) => ({ value, label: capitalise(value) }))}
        />
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
      </div>
      <Loaded query={usage} shape={[['figures'], ['chart'], ['bars']]}>
        {({ data }) => (
          <UsageSections
            usage={data}
            isOfKey={search.key !== undefined}
            onGroup={(by) => change({ by })}
          />
        )}
      </Loaded>
      {isAtLeast('admin') && search.key === undefined && <TrafficSections />}
    </Page>
  );
}

/** Searches all keys by the beginning of name, owner, id or masked key, on the server. */
function KeySelect({ value, onChange }: { value: string; onChange: (key: string) => void }) {
  const { isAtLeast } = useRole();
  const [text, setText] = useState('');
  const [searched] = useDebouncedValue(text, DEBOUNCE_MS);
  const chosen = useAnswer(
    'getKey',
    { params: { id: value } },
    { enabled: value !== '' && isAtLeast('member') },
  );
  const label = chosen.data?.data.key.name ?? (chosen.isLoading ? 'Loading…' : value);
  const keys = useAnswer(
    'listKeys',
    {
      query: {
        limit: KEYS_LISTED,
        sort: 'requests_today',
        ...(searched === label ? {} : { q: searched }),
      },
    },
    { enabled: isAtLeast('member') },
  );
  const listed = (keys.data?.data.keys ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const isListed = value === '' || listed.some((one) => one.value === value);
  return (
    <Select
      aria-label="Key"
      className={classes['key']}
      placeholder="All keys"
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'All keys' }}
      nothingFoundMessage={keys.isFetching ? 'Searching…' : 'No key matches'}
      value={value === '' ? null : value}
      searchValue={text}
      onSearchChange={setText}
      // The server searches.
      filter={({ options }) => options}
      data={isListed ? listed : [{ value, label }, ...listed]}
      onChange={(id) => onChange(id ?? '')}
    />
  );
}

type UsageProps = { usage: UsageSeries; isOfKey: boolean };

function UsageVerdict({ usage, isOfKey }: UsageProps) {
  const { total, client_errors, server_errors } = usage;
  const { isAtLeast } = useRole();
  if (total === 0) return null;
  const whose = isAtLeast('admin') ? '' : ' with your keys';
  return (
    <Verdict
      {...(server_errors / total >= MANY_ERRORS && { tone: 'bad' })}
      text={`${formatShare(total - client_errors - server_errors, total)} of the API requests${isOfKey ? ' with this key' : whose} succeeded.`}
    />
  );
}

type UsageSectionsProps = UsageProps & { onGroup: (by: UsageGroup) => void };

const GROUP_WORDS = { endpoint: 'By endpoint', key: 'By key', status: 'By status' } as const;

function UsageSections({ usage, isOfKey, onGroup }: UsageSectionsProps) {
  const { total, counts, client_errors, server_errors, days, from, to, series, by } = usage;
  const now = useNow();
  if (total === 0) {
    return (
      <Empty title={`No requests between ${longDay(from, now)} and ${longDay(to, now)}`}>
        <p>Requests appear here within seconds. Choose other days or another key.</p>
      </Empty>
    );
  }
  return (
    <>
      <Numbers
        items={[
          {
            name: 'API requests',
            value: formatNumber(total),
            note: `${isOfKey ? '' : `${countedWords(counts)}, `}in ${count(days.length, 'day')}`,
          },
          {
            name: '4xx responses',
            value: formatNumber(client_errors),
            note: formatShare(client_errors, total),
          },
          {
            name: '5xx responses',
            value: formatNumber(server_errors),
            note: formatShare(server_errors, total),
          },
        ]}
      />
      <Section
        title="By day"
        aside={
          <SegmentedControl
            size="xs"
            aria-label="Group"
            value={by}
            onChange={(value) => onGroup(value as UsageGroup)}
            data={USAGE_GROUPS.filter((value) => value !== 'key' || !isOfKey).map((value) => ({
              value,
              label: GROUP_WORDS[value],
            }))}
          />
        }
      >
        <BarChart
          label="API requests by day, UTC"
          names={days.map((day) => shortDay(day))}
          series={largest(by === 'status' ? withStatusTones(series) : series, days.length)}
        />
      </Section>
      <Section title={GROUP_WORDS[by]}>
        <Shares
          total={total}
          limit={20}
          items={series.map(({ id, label, total: amount }) => ({ key: id, name: label, amount }))}
        />
      </Section>
    </>
  );
}

/**
 * The chart has five colours: the smaller series are summed up as one, and the list below has all
 * of them.
 */
function largest(series: readonly Series[], days: number): Series[] {
  if (series.length <= SHOWN_SERIES + 1) return [...series];
  const rest = series.slice(SHOWN_SERIES);
  const values = Array.from({ length: days }, (_, day) =>
    rest.reduce((sum, one) => sum + (one.values[day] ?? 0), 0),
  );
  return [...series.slice(0, SHOWN_SERIES), { id: 'rest', label: 'others', values }];
}

const HOURS = 24;

/** Refused requests and response times of the whole API in the last 24 hours. */
function TrafficSections() {
  const traffic = useAnswer('getTraffic', { query: { hours: HOURS } });
  // The section above already reports it.
  if (traffic.data === undefined && isFailure(traffic.error, 'OFFLINE')) return null;
  return (
    <Loaded query={traffic} shape={[['facts', 'bars']]}>
      {({ data: { refused, unavailable, latency, cache } }) => (
        <Columns>
          <Section title="Refused or unavailable, last 24 hours">
            <Facts
              facts={{
                'Without a valid key (401)': formatNumber(refused.unauthorized),
                'Without permission (403)': formatNumber(refused.forbidden),
                'Rate limit exceeded (429)': formatNumber(refused.rate_limited),
                'Overloaded (503)': formatNumber(refused.overloaded),
                'No DNS response (503)': formatNumber(unavailable.dns),
                'Storage or dataset unavailable (503)': formatNumber(unavailable.other),
              }}
            />
          </Section>
          <Section
            title="Response time, last 24 hours"
            note="API requests only, without probes and pages. Estimates from a histogram."
          >
            <Facts
              facts={{
                Median: formatMs(latency.p50_ms),
                '90% below': formatMs(latency.p90_ms),
                '99% below': formatMs(latency.p99_ms),
                'From cache': `${formatShare(cache.hits, cache.hits + cache.misses)} of ${formatNumber(cache.hits + cache.misses)}`,
              }}
            />
          </Section>
        </Columns>
      )}
    </Loaded>
  );
}

import { NativeSelect, SegmentedControl, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { UsageBy, UsageQuery, UsageSeries } from '@whence/server/dashboard-wire';
import { addressOf } from '../api/call.ts';
import { answerQuery } from '../api/query-client.ts';
import { BarChart, type Series } from '../charts/BarChart.tsx';
import { statusTone } from '../charts/status-tone.ts';
import { count, formatNumber, formatShare } from '../format/number.ts';
import { DAY_MS, shortDay, utcDay } from '../format/time.ts';
import { ExportLinks } from '../parts/ExportLinks.tsx';
import { Numbers } from '../parts/Numbers.tsx';
import { Page } from '../parts/Page.tsx';
import { Section } from '../parts/Section.tsx';
import { Shares } from '../parts/Shares.tsx';
import { useRole } from '../session/use-account.ts';
import { Empty } from '../states/Empty.tsx';
import { Loaded } from '../states/Loaded.tsx';
import { TrafficSections } from './TrafficSections.tsx';
import classes from './UsagePage.module.css';

const route = getRouteApi('/gate/usage');
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
  const query: UsageQuery = { ...search, from, to };
  const usage = useQuery({ ...answerQuery('getUsage', { query }), placeholderData: keepPreviousData });
  const change = (next: Partial<typeof search>) =>
    void navigate({
      search: (before) =>
        Object.fromEntries(
          Object.entries({ ...before, ...next }).filter(([, value]) => value !== undefined && value !== ''),
        ),
      replace: true,
      resetScroll: false,
    });
  return (
    <Page
      name="Usage"
      title="Usage"
      lead={
        isAtLeast('admin')
          ? 'Requests to the API and look-ups on these pages.'
          : 'Your keys and your look-ups on these pages.'
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
          onChange={(by) => change({ by: by as UsageBy })}
          data={[
            { value: 'endpoint', label: 'By endpoint' },
            { value: 'key', label: 'By key' },
            { value: 'status', label: 'By status' },
          ]}
        />
      </div>
      <Loaded query={usage} lines={12}>
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
      <Empty title={`No request between ${shortDay(from)} and ${shortDay(to)}`}>
        <p>Requests appear here within seconds. Choose other days, or another key.</p>
      </Empty>
    );
  }
  return (
    <>
      <Numbers
        items={[
          { name: 'Requests', value: formatNumber(total), note: `in ${count(days.length, 'day')}` },
          { name: 'Answered with 4xx', value: formatNumber(client_errors), note: formatShare(client_errors, total) },
          { name: 'Answered with 5xx', value: formatNumber(server_errors), note: formatShare(server_errors, total) },
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

/** A chart tells five colours apart; the rest is one series, and the list below has all. */
function largest(series: readonly Series[], days: number): Series[] {
  if (series.length <= SHOWN_SERIES + 1) return [...series];
  const rest = series.slice(SHOWN_SERIES);
  const values = Array.from({ length: days }, (_, day) => rest.reduce((sum, one) => sum + (one.values[day] ?? 0), 0));
  return [...series.slice(0, SHOWN_SERIES), { id: 'rest', label: `${rest.length} others`, values }];
}

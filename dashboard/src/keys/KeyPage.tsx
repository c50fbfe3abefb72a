import { Button, SegmentedControl } from '@mantine/core';
import { IconBan, IconPencil, IconPlayerPause, IconPlayerPlay, IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { KeyDetail } from '@whence/server/dashboard-wire/keys';
import { useState } from 'react';
import { answerQuery } from '../api/query-client.ts';
import { AuditTable } from '../audit/AuditTable.tsx';
import { BarChart } from '../charts/BarChart.tsx';
import { daysBetween, seriesBy } from '../charts/series.ts';
import { Copyable } from '../components/Copy.tsx';
import { Facts } from '../components/Facts.tsx';
import { FailureNotice } from '../components/Failures.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { Empty } from '../components/Notice.tsx';
import { Columns, Page, Section } from '../components/Page.tsx';
import { capitalise, PERMISSION_WORDS } from '../format/names.ts';
import { count, formatNumber } from '../format/number.ts';
import { Time } from '../format/Time.tsx';
import { shortDay } from '../format/time.ts';
import classes from './KeyPage.module.css';
import { FirstUse, KeyStateTag, LastUse, QuotaBar, RefusedSince } from './KeyState.tsx';
import { ScheduledRevocation } from './ScheduledRevocation.tsx';
import { useKeyActions } from './use-key-actions.tsx';

const route = getRouteApi('/session/settings/keys/$id');
const REFRESH_MS = 10_000;

export function KeyPage() {
  const { id } = route.useParams();
  const detail = useQuery({ ...answerQuery('getKey', { params: { id } }), refetchInterval: REFRESH_MS });
  const { act, dialog, failure } = useKeyActions();
  const key = detail.data?.data.key;
  const isActive = key !== undefined && key.status === 'active';
  return (
    <Page
      name={key?.name ?? 'API key'}
      title={key?.name ?? 'API key'}
      lead={<Link to="/settings/keys">All API keys</Link>}
      actions={
        isActive && (
          <>
            <Button
              variant="default"
              leftSection={<IconPencil size={16} aria-hidden />}
              onClick={() => act('edit', key)}
            >
              Edit
            </Button>
            {key.paused_at === undefined ? (
              <Button
                variant="default"
                leftSection={<IconPlayerPause size={16} aria-hidden />}
                onClick={() => act('pause', key)}
              >
                Pause
              </Button>
            ) : (
              <Button leftSection={<IconPlayerPlay size={16} aria-hidden />} onClick={() => act('resume', key)}>
                Resume
              </Button>
            )}
            <Button
              variant="default"
              leftSection={<IconRefresh size={16} aria-hidden />}
              renderRoot={(props) => <Link to="/settings/keys/$id/rotate" params={{ id }} {...props} />}
            >
              Rotate
            </Button>
            <Button data-danger leftSection={<IconBan size={16} aria-hidden />} onClick={() => act('revoke', key)}>
              Revoke key
            </Button>
          </>
        )
      }
    >
      <Loaded query={detail} lines={10}>
        {({ data }) => (
          <>
            {failure !== null && <FailureNotice error={failure} />}
            <Columns>
              <Section title="Key">
                <KeyFacts detail={data} />
              </Section>
              <Section title="Activity">
                {data.key.status === 'active' && <QuotaBar quota={data.key.quota} withReset />}
                <UseFacts summary={data.key} />
              </Section>
            </Columns>
            <KeyUsageSection id={id} />
            <Section title="Audit">
              <KeyAudit id={id} />
            </Section>
            {dialog}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function KeyFacts({ detail: { key, predecessor, successor } }: { detail: KeyDetail }) {
  const other = (one: typeof key) => (
    <Link to="/settings/keys/$id" params={{ id: one.id }}>
      {one.name}
    </Link>
  );
  return (
    <Facts
      facts={[
        { name: 'Key', value: <Copyable text={key.masked} isMono /> },
        {
          name: 'State',
          value: (
            <>
              <KeyStateTag summary={key} />
              {key.paused_at !== undefined && key.status === 'active' && (
                <>
                  {' '}
                  since <Time at={key.paused_at} />
                </>
              )}
              {key.revoked_at !== undefined && (
                <>
                  {' '}
                  <Time at={key.revoked_at} />
                  {key.revoked_by === undefined ? '' : ` by ${key.revoked_by}`}
                </>
              )}
            </>
          ),
        },
        { name: 'Tier', value: capitalise(key.tier) },
        { name: 'Permissions', value: key.permissions.map((one) => PERMISSION_WORDS[one].name).join(', ') },
        ...(key.note === undefined
          ? []
          : [{ name: 'Note', value: <span className={classes['note']}>{key.note}</span> }]),
        { name: 'Expires', value: key.expires_at === undefined ? 'never' : <Time at={key.expires_at} /> },
        {
          name: 'Networks',
          value:
            key.allowed_networks === undefined ? (
              'any client'
            ) : (
              <span className="mono">{key.allowed_networks.join(', ')}</span>
            ),
        },
        {
          name: 'Per second',
          value:
            key.requests_per_second === undefined
              ? 'no limit of its own'
              : `${formatNumber(key.requests_per_second)} requests per process of the server`,
        },
        ...(key.revoke_at === undefined
          ? []
          : [{ name: 'Revocation', value: <ScheduledRevocation id={key.id} at={key.revoke_at} /> }]),
        { name: 'Owner', value: key.owner?.name ?? 'command line' },
        { name: 'Created', value: <Time at={key.created_at} /> },
        ...(predecessor === undefined ? [] : [{ name: 'Replaces', value: other(predecessor) }]),
        ...(successor === undefined ? [] : [{ name: 'Replaced by', value: other(successor) }]),
      ]}
    />
  );
}

function UseFacts({ summary }: { summary: KeyDetail['key'] }) {
  const { status, refused } = summary;
  return (
    <Facts
      facts={[
        { name: 'First used', value: <FirstUse summary={summary} /> },
        { name: 'Last used', value: <LastUse summary={summary} /> },
        ...(status === 'revoked' || refused !== undefined
          ? [{ name: 'Refused (401)', value: <RefusedSince summary={summary} /> }]
          : []),
      ]}
    />
  );
}

function KeyAudit({ id }: { id: string }) {
  const audit = useQuery(answerQuery('getKeyAudit', { params: { id } }));
  return (
    <Loaded query={audit} lines={3}>
      {({ data }) =>
        data.entries.length === 0 ? (
          <Empty title="No entries" />
        ) : (
          <AuditTable entries={data.entries} withTarget={false} />
        )
      }
    </Loaded>
  );
}

function KeyUsageSection({ id }: { id: string }) {
  const [by, setBy] = useState<'endpoint' | 'status'>('endpoint');
  const usage = useQuery(answerQuery('getKeyUsage', { params: { id }, query: {} }));
  return (
    <Section
      title="Usage"
      aside={
        <SegmentedControl
          size="xs"
          value={by}
          onChange={(value) => setBy(value as typeof by)}
          data={[
            { value: 'endpoint', label: 'By endpoint' },
            { value: 'status', label: 'By status' },
          ]}
        />
      }
    >
      <Loaded query={usage} lines={6}>
        {({ data }) => {
          const days = daysBetween(data.from, data.to);
          const total = data.rows.reduce((sum, { requests }) => sum + requests, 0);
          if (total === 0)
            return <Empty title={`No requests between ${shortDay(data.from)} and ${shortDay(data.to)}`} />;
          return (
            <BarChart
              label={`${count(total, 'request')} in ${days.length} days`}
              names={days.map((day) => shortDay(day))}
              series={seriesBy(data.rows, days, by)}
            />
          );
        }}
      </Loaded>
    </Section>
  );
}

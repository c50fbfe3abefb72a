import { getRouteApi, Link } from '@tanstack/react-router';
import type { KeyDetail } from '@whence/server/dashboard-wire/keys';
import { useAnswer } from '../api/query-client.ts';
import { AuditTable } from '../audit/AuditTable.tsx';
import { BarChart } from '../charts/BarChart.tsx';
import { QuietButton, TextButton } from '../components/Buttons.tsx';
import { Copyable } from '../components/Copy.tsx';
import { Facts } from '../components/Facts.tsx';
import { FailureNotice } from '../components/Failures.tsx';
import { Loaded, LoadedLead } from '../components/Loaded.tsx';
import { Empty, Notice } from '../components/Notice.tsx';
import { Columns, Page, Section, Verdict } from '../components/Page.tsx';
import { capitalise, PERMISSION_WORDS } from '../format/names.ts';
import { count } from '../format/number.ts';
import { Time } from '../format/Time.tsx';
import { HOUR_MS, shortHour } from '../format/time.ts';
import { useRole } from '../session/use-session.ts';
import classes from './KeyPage.module.css';
import { KeyRefusals, lastingRefusal } from './KeyRefusals.tsx';
import { FirstUse, KeyStateTag, LastUse, QuotaBar, RefusedSince } from './KeyState.tsx';
import { ScheduledRevocation } from './ScheduledRevocation.tsx';
import { useKeyActions } from './use-key-actions.tsx';

const route = getRouteApi('/session/keys/$id');
const REFRESH_MS = 10_000;

export function KeyPage() {
  const { id } = route.useParams();
  const { pasted } = route.useSearch();
  const detail = useAnswer('getKey', { params: { id } }, { refetchInterval: REFRESH_MS });
  const { act, dialog, failure } = useKeyActions();
  const key = detail.data?.data.key;
  const { isAtLeast } = useRole();
  const isActive = key !== undefined && key.status === 'active' && isAtLeast('member');
  return (
    <Page
      name={key?.name ?? 'API key'}
      title={key?.name ?? 'API key'}
      lead={
        <>
          <Link to="/keys">All keys</Link>
          <LoadedLead query={detail}>{({ data }) => <KeyVerdict detail={data} />}</LoadedLead>
        </>
      }
      actions={
        isActive && (
          <>
            <QuietButton size="sm" icon="pencil" text="Edit" onClick={() => act('edit', key)} />
            {key.paused_at === undefined ? (
              <QuietButton
                size="sm"
                icon="player-pause"
                text="Pause"
                onClick={() => act('pause', key)}
              />
            ) : (
              <TextButton icon="player-play" text="Resume" onClick={() => act('resume', key)} />
            )}
            <QuietButton
              size="sm"
              icon="refresh"
              text="Rotate"
              renderRoot={(props) => <Link to="/keys/$id/rotate" params={{ id }} {...props} />}
            />
            <QuietButton
              size="sm"
              icon="ban"
              text="Revoke key"
              onClick={() => act('revoke', key)}
            />
          </>
        )
      }
    >
      <Loaded query={detail} lines={10}>
        {({ data }) => (
          <>
            {failure !== null && <FailureNotice error={failure} />}
            {pasted === 'yes' && (
              <PastedKey summary={data.key} onRevoke={() => act('revoke', data.key, true)} />
            )}
            <Columns>
              <Section title="Key">
                <KeyFacts detail={data} />
              </Section>
              <Section title="Activity">
                {data.key.status === 'active' && <QuotaBar quota={data.key.quota} withReset />}
                <UseFacts summary={data.key} />
              </Section>
            </Columns>
            <KeyRefusals refusals={data.refusals} />
            <KeyUsageSection detail={data} />
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

function KeyVerdict({ detail: { key, refusals } }: { detail: KeyDetail }) {
  const { state, quota } = key;
  if (state !== 'active')
    return (
      <Verdict
        text={`${capitalise(state)}: requests with this key are refused.`}
        {...(state !== 'revoked' && { tone: 'warn' })}
      />
    );
  if (quota.limit !== null && quota.used >= quota.limit)
    return <Verdict tone="bad" text="Its requests of today are used up: more are refused." />;
  const refusal = lastingRefusal(refusals);
  if (refusal !== undefined)
    return (
      <Verdict
        tone="warn"
        text={`Requests with this key are answered, but some were refused: ${refusal}.`}
      />
    );
  return <Verdict text="Requests with this key are answered." />;
}

/** Who pastes a key has found it where it should not be. */
function PastedKey({ summary, onRevoke }: { summary: KeyDetail['key']; onRevoke: () => void }) {
  if (summary.status === 'revoked')
    return (
      <Notice
        tone="good"
        title="The key that you pasted is revoked: requests with it are refused"
      />
    );
  return (
    <Notice tone="bad" title="This is the key that you pasted">
      <p>
        Anyone who has it can use it. If it has leaked, revoke it now; programs that use it then
        need another key.
      </p>
      <TextButton data-danger icon="ban" text="Revoke this key" onClick={onRevoke} />
    </Notice>
  );
}

function KeyFacts({ detail: { key, predecessor, successor } }: { detail: KeyDetail }) {
  const other = (linked: typeof key) => (
    <Link to="/keys/$id" params={{ id: linked.id }}>
      {linked.name}
    </Link>
  );
  return (
    <Facts
      facts={{
        Key: <Copyable text={key.masked} isMono />,
        State: (
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
        Tier: capitalise(key.tier),
        Permissions: key.permissions
          .map((permission) => PERMISSION_WORDS[permission].name)
          .join(', '),
        Note: key.note && <span className={classes['note']}>{key.note}</span>,
        Expires:
          key.expires_at === undefined ? (
            'never'
          ) : (
            <Time at={key.expires_at} isAhead={key.state !== 'expired'} />
          ),
        Networks:
          key.allowed_networks === undefined ? (
            'any client'
          ) : (
            <span className="mono">{key.allowed_networks.join(', ')}</span>
          ),
        'Daily limit':
          key.quota.limit === null
            ? 'none'
            : `${count(key.quota.limit, 'request')}, ${key.daily_limit === undefined ? `of the tier ${capitalise(key.tier)}` : 'its own'}`,
        'Per second':
          key.requests_per_second === undefined
            ? 'no limit of its own'
            : `${count(key.requests_per_second, 'request')} per process of the server`,
        Revocation: key.revoke_at && <ScheduledRevocation id={key.id} at={key.revoke_at} />,
        Owner: key.owner?.name ?? 'command line',
        Created: <Time at={key.created_at} />,
        Replaces: predecessor && other(predecessor),
        'Replaced by': successor && other(successor),
      }}
    />
  );
}

function UseFacts({ summary }: { summary: KeyDetail['key'] }) {
  const { status, refused } = summary;
  return (
    <Facts
      facts={{
        'First used': <FirstUse summary={summary} />,
        'Last used': <LastUse summary={summary} />,
        'Refused (401)':
          status === 'revoked' || refused ? <RefusedSince summary={summary} /> : undefined,
      }}
    />
  );
}

function KeyAudit({ id }: { id: string }) {
  const audit = useAnswer('getKeyAudit', { params: { id } });
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

/** Days are on the page that compares keys. */
function KeyUsageSection({ detail: { key, last_hour } }: { detail: KeyDetail }) {
  const lastDay = key.requests_by_hour.reduce((sum, requests) => sum + requests, 0);
  return (
    <Section
      title="Usage"
      aside={
        <Link to="/keys/usage" search={{ key: key.id }}>
          By day
        </Link>
      }
    >
      {lastDay === 0 ? (
        <Empty title="No requests in the last 24 hours" />
      ) : (
        <BarChart
          label={`${count(lastDay, 'request')} in 24 hours, times in UTC`}
          names={key.requests_by_hour.map((_, i, { length }) =>
            shortHour(new Date(Date.parse(last_hour) - (length - 1 - i) * HOUR_MS).toISOString()),
          )}
          series={[{ id: 'requests', label: 'Requests', values: key.requests_by_hour }]}
        />
      )}
    </Section>
  );
}

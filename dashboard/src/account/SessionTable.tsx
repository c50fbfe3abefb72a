import { useMutation } from '@tanstack/react-query';
import type { OpenSession } from '@whence/server/dashboard-wire/accounts';
import { call, refresh, useAnswer } from '../api/query-client.ts';
import { QuietButton } from '../components/Buttons.tsx';
import { FailureNotice } from '../components/Failures.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { type Column, Table } from '../components/Table.tsx';
import { Tag } from '../components/Tag.tsx';
import { Time } from '../format/Time.tsx';

export function SessionTable() {
  const sessions = useAnswer('listSessions', {});
  const end = useMutation({
    mutationFn: (id: string) => call('endSession', { params: { id } }),
    onSuccess: () => refresh('listSessions'),
  });
  const columns: Column<OpenSession>[] = [
    { name: 'Browser', cell: ({ user_agent }) => <span title={user_agent}>{browserName(user_agent)}</span> },
    { name: 'Address', cell: ({ address }) => <span className="mono">{address}</span> },
    { name: 'Signed in', cell: ({ created_at }) => <Time at={created_at} /> },
    { name: 'Last seen', cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
    {
      name: 'Action',
      align: 'end',
      cell: ({ id, is_current }) =>
        is_current ? (
          <Tag tone="accent" text="this session" />
        ) : (
          <QuietButton size="compact-xs" text="Sign out" onClick={() => end.mutate(id)} />
        ),
    },
  ];
  return (
    <>
      {end.error !== null && <FailureNotice error={end.error} />}
      <Loaded query={sessions} lines={3}>
        {({ data }) => (
          <Table isStacked label="Open sessions" columns={columns} rows={data.sessions} rowKey={({ id }) => id} />
        )}
      </Loaded>
    </>
  );
}

/** Patterns of the User-Agent header. The order matters, because browsers also name other browsers. */
const BROWSERS = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrom(?:e|ium)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
  [/^curl\//, 'curl'],
] as const;
const SYSTEMS = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux|X11/, 'Linux'],
] as const;

function browserName(userAgent: string): string {
  const browser = BROWSERS.find(([pattern]) => pattern.test(userAgent))?.[1];
  const system = SYSTEMS.find(([pattern]) => pattern.test(userAgent))?.[1];
  if (browser === undefined) return userAgent.slice(0, 40) || 'unknown';
  return system === undefined ? browser : `${browser} on ${system}`;
}

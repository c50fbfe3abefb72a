import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { OpenSession } from '@whence/server/dashboard-wire';
import { answerQuery, call, queryClient } from '../api/query-client.ts';
import { Time } from '../format/Time.tsx';
import { type Column, Table } from '../parts/Table.tsx';
import { Tag } from '../parts/Tag.tsx';
import { FailureNotice } from '../states/FailureNotice.tsx';
import { Loaded } from '../states/Loaded.tsx';
import { browserName } from './browser-name.ts';

export function SessionTable() {
  const sessions = useQuery(answerQuery('listSessions', {}));
  const end = useMutation({
    mutationFn: (id: string) => call('endSession', { params: { id } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['listSessions'] }),
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
          <Tag tone="accent">this one</Tag>
        ) : (
          <Button size="compact-xs" variant="default" onClick={() => end.mutate(id)}>
            Sign out
          </Button>
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

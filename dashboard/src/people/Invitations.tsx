import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { answerQuery, call, queryClient } from '../api/query-client.ts';
import { Time } from '../format/Time.tsx';
import { Section } from '../parts/Section.tsx';
import { Table } from '../parts/Table.tsx';
import { Empty } from '../states/Empty.tsx';
import { FailureNotice } from '../states/FailureNotice.tsx';
import { Loaded } from '../states/Loaded.tsx';

export function Invitations() {
  const invitations = useQuery(answerQuery('listInvitations', {}));
  const withdraw = useMutation({
    mutationFn: (id: string) => call('withdrawInvitation', { params: { id } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['listInvitations'] }),
  });
  return (
    <Section title="Open invitations">
      {withdraw.error !== null && <FailureNotice error={withdraw.error} />}
      <Loaded query={invitations} lines={2}>
        {({ data }) =>
          data.invitations.length === 0 ? (
            <Empty title="None">
              <p>An invitation is a link that works once. The person who opens it chooses a name and a password.</p>
            </Empty>
          ) : (
            <Table
              isStacked
              label="Open invitations"
              rows={data.invitations}
              rowKey={({ id }) => id}
              columns={[
                { name: 'For', cell: ({ note }) => note ?? <span className="quiet">no note</span> },
                { name: 'Role', cell: ({ role }) => role },
                { name: 'Invited by', cell: ({ created_by }) => created_by },
                { name: 'Made', cell: ({ created_at }) => <Time at={created_at} /> },
                { name: 'Ends', cell: ({ expires_at }) => <Time at={expires_at} /> },
                {
                  name: 'Action',
                  align: 'end',
                  cell: ({ id }) => (
                    <Button size="compact-xs" variant="default" onClick={() => withdraw.mutate(id)}>
                      Withdraw
                    </Button>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  );
}

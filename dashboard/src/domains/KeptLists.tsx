/** The lists of domains that the server keeps for the account: their progress, and a way to delete one. */
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { RunSummary } from '@whence/server/dashboard-wire/domains';
import { useState } from 'react';
import { call, refresh, useAnswer } from '../api/query-client.ts';
import { QuietButton } from '../components/Buttons.tsx';
import { FormDialog } from '../components/Form.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { Section } from '../components/Page.tsx';
import { type Column, Table } from '../components/Table.tsx';
import { count, formatNumber } from '../format/number.ts';
import { Time } from '../format/Time.tsx';

export function KeptLists({ note }: { note: string }) {
  const lists = useAnswer('listRuns', {}, { staleTime: 0 });
  const [deleted, setDeleted] = useState<RunSummary>();
  const columns: Column<RunSummary>[] = [
    {
      name: 'List',
      isText: true,
      cell: ({ id, name }) => (
        <Link to="/domains" search={{ run: id }}>
          {name}
        </Link>
      ),
    },
    {
      name: 'Checked',
      cell: ({ size, checked }) =>
        size === checked ? count(size, 'domain') : `${formatNumber(checked)} of ${count(size, 'domain')}`,
    },
    { name: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
    {
      name: 'Action',
      align: 'end',
      cell: (list) => (
        <QuietButton
          size="compact-xs"
          text="Delete"
          aria-label={`Delete ${list.name}`}
          onClick={() => setDeleted(list)}
        />
      ),
    },
  ];
  return (
    <Loaded query={lists} lines={3}>
      {({ data: { runs } }) =>
        runs.length > 0 && (
          <Section title="Earlier lists" note={note}>
            <Table isStacked label="Earlier lists" columns={columns} rows={runs} rowKey={({ id }) => id} />
            {deleted && <DeleteList list={deleted} onClose={() => setDeleted(undefined)} />}
          </Section>
        )
      }
    </Loaded>
  );
}

function DeleteList({ list: { id, name, checked }, onClose }: { list: RunSummary; onClose: () => void }) {
  const remove = useMutation({
    mutationFn: () => call('removeRun', { params: { id } }),
    onSuccess: async () => {
      await refresh('listRuns');
      onClose();
    },
  });
  return (
    <FormDialog title={`Delete ${name}`} mutation={remove} action="Delete list" isDanger onClose={onClose}>
      <p>The list goes, with the results of {count(checked, 'domain')}.</p>
    </FormDialog>
  );
}

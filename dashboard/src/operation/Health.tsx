import type { ProcessState } from '@whence/server/dashboard-wire/operation';
import { useAnswer } from '../api/query-client.ts';
import { Facts } from '../components/Facts.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { Section, Verdict } from '../components/Page.tsx';
import { type Column, Table } from '../components/Table.tsx';
import { Tag } from '../components/Tag.tsx';
import { UpdateNotice } from '../data/Updates.tsx';
import { capitalise } from '../format/names.ts';
import { formatBytes, formatMs } from '../format/number.ts';
import { Time } from '../format/Time.tsx';

const REFRESH_MS = 5000;

const columns: Column<ProcessState>[] = [
  {
    name: 'Process',
    cell: ({ host, pid, is_this }) => (
      <span className="nowrap">
        {host} <span className="mono">{pid}</span>{' '}
        {is_this && <Tag tone="accent" text="served this page" />}
      </span>
    ),
  },
  { name: 'Started', cell: ({ started_at }) => <Time at={started_at} /> },
  { name: 'Memory', align: 'end', cell: ({ memory_bytes }) => formatBytes(memory_bytes) },
  {
    name: 'Event loop lag',
    align: 'end',
    cell: ({ event_loop_lag_ms }) => formatMs(event_loop_lag_ms),
  },
  { name: 'Dataset', align: 'end', cell: ({ dataset_version }) => dataset_version },
  { name: 'Reported', cell: ({ seen_at }) => <Time at={seen_at} /> },
];

export function Health() {
  const health = useAnswer('getHealth', {}, { refetchInterval: REFRESH_MS });
  return (
    <Loaded query={health} shape={[['facts'], ['table']]}>
      {({ data: { storage, dataset, processes, update, server_version, node_version } }) => (
        <>
          <Verdict
            {...(storage.state !== 'ok' || dataset.state !== 'ok' ? { tone: 'bad' } : {})}
            text={healthWords(storage.state, dataset.state)}
          />
          <UpdateNotice update={update} builtAt={dataset.built_at} withButton />
          <Section title="State">
            <Facts
              facts={{
                Storage: storage.engine,
                Dataset: dataset.version,
                Whence: server_version,
                'Node.js': node_version,
              }}
            />
          </Section>
          <Section
            title="Processes"
            note="Processes on all machines that reported in the last 30 seconds."
          >
            <Table
              isStacked
              label="Processes"
              columns={columns}
              rows={processes}
              rowKey={({ id }) => id}
            />
          </Section>
        </>
      )}
    </Loaded>
  );
}

function healthWords(storage: string, dataset: string): string {
  const failing = [
    ...(storage === 'ok' ? [] : [`storage is ${storage}`]),
    ...(dataset === 'ok' ? [] : [`dataset is ${dataset}`]),
  ];
  return failing.length === 0
    ? 'This server answers: storage and dataset are in order.'
    : `${capitalise(failing.join('; '))}.`;
}

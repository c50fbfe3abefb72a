import type { ProcessState } from '@whence/server/dashboard-wire/operation';
import { useAnswer } from '../api/query-client.ts';
import { Facts } from '../components/Facts.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { Columns, Section } from '../components/Page.tsx';
import { type Column, Table } from '../components/Table.tsx';
import { Tag } from '../components/Tag.tsx';
import { UpdateFacts, UpdateNotice } from '../data/Updates.tsx';
import { formatBytes, formatMs } from '../format/number.ts';
import { DataDay, Time } from '../format/Time.tsx';

const REFRESH_MS = 5000;

const columns: Column<ProcessState>[] = [
  {
    name: 'Process',
    cell: ({ host, pid, is_this }) => (
      <span className="nowrap">
        {host} <span className="mono">{pid}</span> {is_this && <Tag tone="accent" text="served this page" />}
      </span>
    ),
  },
  { name: 'Started', cell: ({ started_at }) => <Time at={started_at} /> },
  { name: 'Memory', align: 'end', cell: ({ memory_bytes }) => formatBytes(memory_bytes) },
  { name: 'Event loop lag', align: 'end', cell: ({ event_loop_lag_ms }) => formatMs(event_loop_lag_ms) },
  { name: 'Dataset', align: 'end', cell: ({ dataset_version }) => dataset_version },
  { name: 'Reported', cell: ({ seen_at }) => <Time at={seen_at} /> },
];

export function Health() {
  const health = useAnswer('getHealth', {}, { refetchInterval: REFRESH_MS });
  return (
    <Loaded query={health} shape={[['facts', 'bars'], ['table']]}>
      {({ data: { storage, dataset, processes, update, server_version, node_version } }) => (
        <>
          <UpdateNotice update={update} builtAt={dataset.built_at} withButton />
          <Columns>
            <Section title="State">
              <Facts
                facts={{
                  Storage: <State isGood={storage.state === 'ok'} words={`${storage.engine}, ${storage.state}`} />,
                  Dataset: (
                    <State
                      isGood={dataset.state === 'ok'}
                      words={`${dataset.state}${dataset.version === undefined ? '' : `, version ${dataset.version}`}`}
                    />
                  ),
                  // The header has the age of routes; countries may be older.
                  'Oldest of routes and countries': dataset.data_as_of && <DataDay day={dataset.data_as_of} />,
                  Built: dataset.built_at && <Time at={dataset.built_at} />,
                  Whence: server_version,
                  'Node.js': node_version,
                }}
              />
            </Section>
            <Section title="Dataset updates">
              <UpdateFacts update={update} />
            </Section>
          </Columns>
          <Section title="Processes" note="Processes on all machines that reported in the last 30 seconds.">
            <Table isStacked label="Processes" columns={columns} rows={processes} rowKey={({ id }) => id} />
          </Section>
        </>
      )}
    </Loaded>
  );
}

function State({ isGood, words }: { isGood: boolean; words: string }) {
  return <Tag icon={isGood ? 'circle-check' : 'alert-triangle'} tone={isGood ? 'good' : 'bad'} text={words} />;
}

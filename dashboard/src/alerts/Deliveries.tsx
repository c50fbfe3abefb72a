import type { Delivery } from '@whence/server/dashboard-wire/alerts';
import { useAnswer } from '../api/query-client.ts';
import { Loaded } from '../components/Loaded.tsx';
import { type Column, Table } from '../components/Table.tsx';
import { Tag } from '../components/Tag.tsx';
import { formatNumber } from '../format/number.ts';
import { Time } from '../format/Time.tsx';
import { KIND_WORDS, STATE_TONES } from './channel-words.ts';
import classes from './Deliveries.module.css';

const REFRESH_MS = 10_000;

const COLUMNS: Column<Delivery>[] = [
  { name: 'What', cell: ({ kind }) => KIND_WORDS[kind] },
  { name: 'State', cell: ({ state }) => <Tag tone={STATE_TONES[state]} text={state} /> },
  {
    name: 'Answer',
    isText: true,
    cell: ({ result }) =>
      result === undefined ? undefined : <span className={classes['result']}>{result}</span>,
  },
  { name: 'Attempts', align: 'end', cell: ({ attempts }) => formatNumber(attempts) },
  { name: 'Made', cell: ({ created_at }) => <Time at={created_at} /> },
  {
    name: 'Last attempt',
    cell: ({ tried_at, due_at }) => (
      <>
        {tried_at === undefined ? 'none yet' : <Time at={tried_at} />}
        {due_at !== undefined && (
          <>
            , next <Time at={due_at} isAhead />
          </>
        )}
      </>
    ),
  },
];

/** The last 20 of a channel. */
export function Deliveries({ id, name }: { id: string; name: string }) {
  const deliveries = useAnswer(
    'listDeliveries',
    { params: { id } },
    { refetchInterval: REFRESH_MS },
  );
  return (
    <div className={classes['deliveries']}>
      <Loaded query={deliveries} lines={3}>
        {({ data }) =>
          data.deliveries.length === 0 ? (
            <p className="quiet">Nothing was sent to {name} yet: a test shows whether it works.</p>
          ) : (
            <Table
              isStacked
              label={`Last deliveries of ${name}`}
              columns={COLUMNS}
              rows={data.deliveries}
              rowKey={(delivery) => delivery.id}
            />
          )
        }
      </Loaded>
    </div>
  );
}

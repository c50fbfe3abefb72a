/** Why requests with a key were refused in the last 24 hours. */
import type { KeyRefusal } from '@whence/server/dashboard-wire/keys';
import type { RefusalReason } from '@whence/server/vocabulary';
import { Section } from '../components/Page.tsx';
import { type Column, Table } from '../components/Table.tsx';
import { formatNumber } from '../format/number.ts';
import { Time } from '../format/Time.tsx';

const REASONS: Readonly<Record<RefusalReason, { words: string; status: number }>> = {
  revoked: { words: 'the key is revoked', status: 401 },
  paused: { words: 'the key is paused', status: 401 },
  expired: { words: 'the key has expired', status: 401 },
  network: { words: 'the client is in no allowed network', status: 401 },
  permission: { words: 'the key lacks the permission', status: 403 },
  rate: { words: 'more requests per second than allowed', status: 429 },
  daily_limit: { words: 'the requests of the day are used up', status: 429 },
};

const columns: Column<KeyRefusal>[] = [
  { name: 'Reason', isText: true, cell: ({ reason }) => REASONS[reason].words },
  { name: 'Answer', cell: ({ reason }) => REASONS[reason].status },
  { name: 'Requests', align: 'end', cell: ({ requests }) => formatNumber(requests) },
  {
    name: 'Last',
    cell: ({ reason, last_at, last_detail }) => (
      <>
        <Time at={last_at} />
        {last_detail !== undefined && (
          <>
            {reason === 'permission' ? ', ' : ' from '}
            <span className="mono">{last_detail}</span>
          </>
        )}
      </>
    ),
  },
];

/** The first row has the last refusal. Clients get the same answer for all reasons with 401. */
export function KeyRefusals({ refusals }: { refusals: readonly KeyRefusal[] }) {
  const [last] = refusals;
  if (last === undefined) return null;
  const { words } = REASONS[last.reason];
  return (
    <Section
      title="Refused in 24 hours"
      note={
        <>
          The last one, <Time at={last.last_at} />: {words}.
        </>
      }
    >
      <Table isStacked label="Refused requests" columns={columns} rows={refusals} rowKey={({ reason }) => reason} />
    </Section>
  );
}

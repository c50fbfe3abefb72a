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

/**
 * Why an active key was refused, if that will happen again: it is not paused any more, and a new
 * day has requests left.
 */
export function lastingRefusal(refusals: readonly KeyRefusal[]): string | undefined {
  const last = refusals.find(({ reason }) => /^(permission|network|rate)$/.test(reason));
  return last && REASONS[last.reason].words;
}

/** The first row has the last refusal. Clients get the same answer for all reasons with 401. */
export function KeyRefusals({ refusals }: { refusals: readonly KeyRefusal[] }) {
  if (refusals.length === 0) return null;
  return (
    <Section title="Refused in 24 hours">
      <Table
        isStacked
        label="Refused requests"
        columns={columns}
        rows={refusals}
        rowKey={({ reason }) => reason}
      />
    </Section>
  );
}

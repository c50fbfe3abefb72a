/** What is wrong with a watched domain since when, what to do, and what has ended. */
import { useMutation } from '@tanstack/react-query';
import type { ShownDomain, ShownEvent } from '@whence/server/dashboard-wire/domains';
import { ACCEPTABLE_EVENTS } from '@whence/server/vocabulary';
import { useEffect, useState } from 'react';
import { call, refresh, useAnswer } from '../api/query-client.ts';
import { QuietButton } from '../components/Buttons.tsx';
import { CodeBlock } from '../components/Copy.tsx';
import { FailureNotice } from '../components/Failures.tsx';
import { announce } from '../components/LiveRegion.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { Section } from '../components/Page.tsx';
import { type Column, Table } from '../components/Table.tsx';
import { count } from '../format/number.ts';
import { Time } from '../format/Time.tsx';
import { duration } from '../format/time.ts';
import { useRole } from '../session/use-session.ts';
import classes from './DomainEvents.module.css';
import { UnwatchDialog } from './UnwatchDialog.tsx';
import { refreshWatched, SEVERITY_TONES } from './watched-state.ts';

/** More are in the API. */
const SHOWN = 100;

export function DomainEvents({ watched }: { watched: ShownDomain }) {
  const { domain, checked_at, tags, added_at, added_by } = watched;
  const { isAtLeast } = useRole();
  const [isRemoving, setIsRemoving] = useState(false);
  const open = useAnswer('listEvents', { query: { domain, state: 'open', limit: SHOWN } });
  const ended = useAnswer('listEvents', { query: { domain, state: 'resolved', limit: SHOWN } });
  // A check that has ended may have opened or ended some.
  useEffect(() => {
    if (checked_at !== undefined) void refresh('listEvents');
  }, [checked_at]);
  return (
    <Section
      title="Events"
      note={
        <>
          Watched since <Time at={added_at} /> by {added_by}
          {tags.length > 0 && `, tagged ${tags.join(', ')}`}.{' '}
          {checked_at === undefined ? (
            'The first check is under way.'
          ) : (
            <LastCheck at={checked_at} />
          )}
        </>
      }
      aside={
        isAtLeast('member') && (
          <QuietButton text="Stop watching…" onClick={() => setIsRemoving(true)} />
        )
      }
    >
      <Loaded query={open} lines={3}>
        {({ data: { events } }) =>
          events.length === 0 ? (
            <p>{checked_at === undefined ? 'None so far.' : 'No event is open.'}</p>
          ) : (
            <ul className={classes['events']}>
              {events.map((event) => (
                <OpenEvent key={event.id} event={event} mayAccept={isAtLeast('member')} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <EndedEvents events={ended.data?.data.events ?? []} />
      {isRemoving && (
        <UnwatchDialog
          domains={[domain]}
          onDone={() => undefined}
          onClose={() => setIsRemoving(false)}
        />
      )}
    </Section>
  );
}

const LastCheck = ({ at }: { at: string }) => (
  <>
    Last check <Time at={at} />.
  </>
);

function OpenEvent({ event, mayAccept }: { event: ShownEvent; mayAccept: boolean }) {
  const { id, code, subject, severity, sentence, act, first_seen, last_seen } = event;
  const { old_text, new_text, reopened_at, quiet } = event;
  const isAcceptable = ACCEPTABLE_EVENTS.some((acceptable) => acceptable === code);
  const accept = useMutation({
    mutationFn: () => call('acceptEvent', { params: { id } }),
    onSuccess: () => announce('Accepted'),
    onSettled: refreshWatched,
  });
  return (
    <li className={classes['event']} data-tone={SEVERITY_TONES[severity]}>
      <p className={classes['sentence']}>
        <span className={classes['severity']}>{severity}</span> {sentence}
      </p>
      <p className="quiet">
        Since <Time at={first_seen} />, last found <Time at={last_seen} />
        {reopened_at !== undefined && (
          <>
            , came back <Time at={reopened_at} />
          </>
        )}
        {quiet !== undefined && `, ${QUIET_WORDS[quiet]}`}.
      </p>
      {act !== '' && <p>{act}</p>}
      <RecordText words="Expected" subject={subject} text={old_text} />
      <RecordText words="Found" subject={subject} text={new_text} />
      {isAcceptable && mayAccept && (
        <div className={`${classes['accept']} no-print`}>
          <QuietButton
            text="Accept"
            aria-label={`Accept: ${sentence}`}
            loading={accept.isPending}
            onClick={() => accept.mutate()}
          />
          <span className="quiet">It was intended: what was found is expected from now on.</span>
        </div>
      )}
      <FailureNotice error={accept.error} />
    </li>
  );
}

type RecordTextProps = { words: string; subject: string; text: string | undefined };

function RecordText({ words, subject, text }: RecordTextProps) {
  if (text === undefined) return null;
  return (
    <div>
      <p className="quiet">{words}</p>
      <CodeBlock
        text={text || 'no record'}
        label={`${words.toLowerCase()} ${subject || 'record'}`}
      />
    </div>
  );
}

const QUIET_WORDS: Readonly<Record<NonNullable<ShownEvent['quiet']>, string>> = {
  first_check: 'not alerted: it was there at the first check',
  new_release: 'not alerted: a new release is the first to find it',
};

const ENDED_COLUMNS: Column<ShownEvent>[] = [
  { name: 'Event', isText: true, cell: ({ sentence }) => sentence },
  { name: 'Severity', cell: ({ severity }) => severity },
  { name: 'Began', cell: ({ first_seen }) => <Time at={first_seen} /> },
  { name: 'Lasted', cell: ({ duration_seconds }) => duration(duration_seconds) },
  {
    name: 'Ended',
    cell: ({ resolved_at, accepted_by }) => (
      <>
        {resolved_at !== undefined && <Time at={resolved_at} />}
        {accepted_by !== undefined && `, accepted by ${accepted_by}`}
      </>
    ),
  },
];

function EndedEvents({ events }: { events: readonly ShownEvent[] }) {
  if (events.length === 0) return null;
  const words =
    events.length === SHOWN ? `The last ${SHOWN} events` : count(events.length, 'event');
  return (
    <details className={classes['ended']}>
      <summary>{words} that ended</summary>
      <Table isStacked label="Events that ended" columns={ENDED_COLUMNS} rows={events} limit={20} />
    </details>
  );
}

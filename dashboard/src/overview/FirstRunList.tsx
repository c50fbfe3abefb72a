/** What to do after an installation, with a tick for what is done, and what the data cannot tell yet. */

import type { FirstRun, Overview } from '@whence/server/dashboard-wire/usage';
import type { ReactNode } from 'react';
import { CodeBlock } from '../components/Copy.tsx';
import { Icon } from '../components/icons.tsx';
import { CreateKeyLink } from '../components/Links.tsx';
import { Columns, Section } from '../components/Page.tsx';
import { UpdateButton, UpdateNotice } from '../data/Updates.tsx';
import { NOT_KNOWN } from '../format/blocklists.ts';
import { longDay } from '../format/data-age.ts';
import { SUBJECT_WORDS } from '../format/names.ts';
import { useNow } from '../format/Time.tsx';
import { ExampleList } from '../lookup/Examples.tsx';
import { useRole } from '../session/use-session.ts';
import classes from './FirstRunList.module.css';

/** Nothing is left of it but a line once all is done. */
export function FirstRunList({ steps, overview }: { steps: FirstRun; overview: Overview }) {
  if (isComplete(steps))
    return (
      <p className={classes['complete']}>
        <Icon name="circle-check" size={16} /> Getting started: something looked up, a key in use, live data.
      </p>
    );
  return (
    <Columns>
      <Section title="Getting started">
        <ol className={classes['steps']}>
          <Step isDone={steps.has_looked_up} title="Look something up">
            <ExampleList />
          </Step>
          <Step isDone={steps.has_used_key} title="Use a key">
            <p>
              The first start has printed one where the server was started. Create one for each program, which sends it
              in the X-API-Key header.
            </p>
            <CodeBlock text={`curl -H "X-API-Key: $WHENCE_KEY" ${window.location.origin}/v1/ip/8.8.8.8`} label="curl" />
            <CreateKeyLink />
          </Step>
          <Step isDone={steps.has_live_data} title="Get live data">
            <LiveData overview={overview} />
          </Step>
        </ol>
      </Section>
      {!steps.has_live_data && <Unknown overview={overview} />}
    </Columns>
  );
}

export const isComplete = ({ has_looked_up, has_used_key, has_live_data }: FirstRun): boolean =>
  has_looked_up && has_used_key && has_live_data;

/** Whether the list has the button, and with it what the update says. */
export const hasUpdateButton = ({ first_run, update }: Overview, isAdmin: boolean): boolean =>
  isAdmin && first_run?.has_live_data === false && update.schedule.can_start;

function Step({ isDone, title, children }: { isDone: boolean; title: string; children: ReactNode }) {
  const icon = isDone ? 'circle-check' : 'circle';
  return (
    <li className={classes['step']} data-done={isDone}>
      <Icon name={icon} size={20} aria-label={isDone ? 'Done' : 'To do'} />
      <div className={classes['body']}>
        <h3>{title}</h3>
        {!isDone && children}
      </div>
    </li>
  );
}

function LiveData({ overview }: { overview: Overview }) {
  const { isAtLeast } = useRole();
  const { update, dataset } = overview;
  if (update.schedule.kind === 'pull')
    return <p>This server pulls its dataset from another host, which has to build one with feeds.</p>;
  if (!isAtLeast('admin')) return <p>An administrator can start an update on the Data page.</p>;
  return (
    <>
      <p>
        An update fetches the current routes and lists from their publishers. It needs the internet, and takes some
        minutes.
        {update.schedule.interval_seconds === undefined && ' WHENCE_UPDATE=24h repeats it every day.'}
      </p>
      <UpdateButton update={update} />
      <UpdateNotice update={update} builtAt={dataset?.built_at} />
    </>
  );
}

/** What the built-in data cannot know. */
function Unknown({ overview: { dataset } }: { overview: Overview }) {
  const now = useNow();
  if (dataset === undefined) return null;
  const { limits, data_as_of } = dataset;
  return (
    <Section title="What the built-in data cannot tell">
      <ul className={classes['unknown']}>
        {data_as_of !== undefined && (
          <li>Routes and countries are of {longDay(data_as_of, now)} or later: what has moved since is wrong.</li>
        )}
        {limits.unknown.map((subject) => (
          <li key={subject}>
            {subject === 'blocklists'
              ? `Threat ${NOT_KNOWN}.`
              : `No source for ${SUBJECT_WORDS[subject]}: “no” means “unknown”.`}
          </li>
        ))}
        {limits.dated.map(({ subject, as_of }) => (
          <li key={subject}>
            {SUBJECT_WORDS[subject]}:{' '}
            {as_of === undefined ? 'a table of this program' : `a list of ${longDay(as_of, now)}`}; such addresses
            change from day to day.
          </li>
        ))}
      </ul>
    </Section>
  );
}

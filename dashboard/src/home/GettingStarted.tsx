/** What to do after an installation, with a tick for what is done. */

import { CloseButton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { FirstRun, Overview } from '@whence/server/dashboard-wire/usage';
import { type ReactNode, useState } from 'react';
import { CodeBlock } from '../components/Copy.tsx';
import { Icon } from '../components/icons.tsx';
import { CreateKeyLink } from '../components/Links.tsx';
import { UpdateButton, UpdateNotice } from '../data/Updates.tsx';
import { COST_WORDS } from '../format/update-cost.ts';
import { ExampleList } from '../lookup/Examples.tsx';
import { useRole, useSignedIn } from '../session/use-session.ts';
import classes from './GettingStarted.module.css';

const STEPS = {
  has_looked_up: 'look something up',
  has_used_key: 'use a key',
  has_live_data: 'get live data',
} as const satisfies Record<keyof FirstRun, string>;

/** Shown until all is done or this account has closed it in this browser. */
export function useGettingStarted(steps: FirstRun | undefined): {
  isShown: boolean;
  /** Until the first step is done. */
  isOpen: boolean;
  close: () => void;
} {
  const { account } = useSignedIn();
  const entry = `whence-started:${account.id}`;
  const [isClosed, setIsClosed] = useState(() => localStorage.getItem(entry) !== null);
  const close = () => {
    setIsClosed(true);
    try {
      localStorage.setItem(entry, 'closed');
    } catch {
      // Storage is full or disabled: it is shown again after a reload.
    }
  };
  return {
    isShown: steps !== undefined && !isClosed && nextStep(steps) !== undefined,
    isOpen: steps !== undefined && doneIn(steps) === 0,
    close,
  };
}

const doneIn = (steps: FirstRun) => Object.values(steps).filter((isDone) => isDone).length;
const nextStep = (steps: FirstRun) =>
  (Object.keys(STEPS) as (keyof FirstRun)[]).find((name) => !steps[name]);

type GettingStartedProps = {
  steps: FirstRun;
  overview: Overview;
  isOpen: boolean;
  onClose: () => void;
};

/** One line, which has the steps behind it. They are open until the first one is done. */
export function GettingStarted({ steps, overview, isOpen, onClose }: GettingStartedProps) {
  const next = nextStep(steps);
  if (next === undefined) return null;
  return (
    <div className={`${classes['frame']} no-print`}>
      <details open={isOpen}>
        <summary>
          <strong>Getting started:</strong> {doneIn(steps)} of {Object.keys(STEPS).length} done.
          Next: {STEPS[next]}
        </summary>
        <ol className={classes['steps']}>
          <Step isDone={steps.has_looked_up} title="Look something up">
            <ExampleList />
          </Step>
          <Step isDone={steps.has_used_key} title="Use a key">
            <p>
              The first start has printed one where the server was started. Create one for each
              program, which sends it in the X-API-Key header.
            </p>
            <CodeBlock
              text={`curl -H "X-API-Key: $WHENCE_KEY" ${window.location.origin}/v1/ip/8.8.8.8`}
              label="curl"
            />
            <CreateKeyLink />
          </Step>
          <Step isDone={steps.has_live_data} title="Get live data">
            <Link to="/data" search={{ tab: 'contents' }}>
              What the built-in data cannot tell
            </Link>
            <LiveData overview={overview} />
          </Step>
        </ol>
      </details>
      <CloseButton aria-label="Close Getting started" onClick={onClose} />
    </div>
  );
}

/** Whether the list has the button, and with it what the update says. */
export const hasUpdateButton = ({ first_run, update }: Overview, isAdmin: boolean): boolean =>
  isAdmin && first_run?.has_live_data === false && update.schedule.can_start;

function Step({
  isDone,
  title,
  children,
}: {
  isDone: boolean;
  title: string;
  children: ReactNode;
}) {
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
    return (
      <p>This server pulls its dataset from another host, which has to build one with feeds.</p>
    );
  if (!isAtLeast('admin')) return <p>An administrator can start an update on the Data page.</p>;
  return (
    <>
      <p>
        {COST_WORDS}{' '}
        {update.schedule.interval_seconds === undefined && (
          <Link to="/settings/server" search={{ tab: 'settings' }}>
            Fetch them every day
          </Link>
        )}
      </p>
      <UpdateButton update={update} />
      <UpdateNotice update={update} builtAt={dataset?.built_at} />
    </>
  );
}

/** What to do where the threat of a subject is not known, or only the least of it. */
import type { ThreatGap } from '@whence/dataset/record';
import { useEffect, useRef } from 'react';
import { queryClient, useAnswer } from '../api/query-client.ts';
import { COST_WORDS } from '../format/update-cost.ts';
import { useRoleIfAny } from '../session/use-session.ts';
import { UpdateButton, UpdateNotice } from './Updates.tsx';

const RUNNING_MS = 1500;
/** Processes use a new version within half a second. */
const SWITCH_MS = 1000;

type FetchListsProps = {
  gap: ThreatGap | undefined;
  /** Whether the page shows a score that lists may raise. */
  hasScore: boolean;
};

/** For administrators with the button, its progress and its outcome. */
export function FetchLists({ gap, hasScore }: FetchListsProps) {
  const isAdmin = useRoleIfAny() === 'admin';
  if (gap === undefined) return null;
  return (
    <>
      <p className="quiet">
        {hasScore ? 'Current lists may raise the score.' : 'A score needs current lists.'}
        {!isAdmin && ' An administrator can fetch them.'}
      </p>
      {isAdmin && <FetchNow />}
    </>
  );
}

function FetchNow() {
  const { data } = useAnswer(
    'getUpdate',
    {},
    {
      refetchInterval: ({ state }) => state.data?.data.outcome === 'running' && RUNNING_MS,
    },
  );
  const update = data?.data;
  useRefreshAfterUpdate(update?.outcome);
  if (update === undefined || !update.schedule.can_start) return null;
  const isTold = update.outcome === 'running' || update.outcome === 'failed';
  return (
    <>
      {isTold && <UpdateNotice update={update} />}
      {update.outcome !== 'running' && (
        <div>
          <UpdateButton update={update} />
        </div>
      )}
      <p className="quiet">{COST_WORDS}</p>
    </>
  );
}

/** What the page shows is of the version before. */
function useRefreshAfterUpdate(outcome: string | undefined): void {
  const wasRunning = useRef(false);
  useEffect(() => {
    const hasEnded = wasRunning.current && outcome !== 'running';
    wasRunning.current = outcome === 'running';
    if (!hasEnded) return;
    const timer = setTimeout(() => void queryClient.invalidateQueries(), SWITCH_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
}

import { Button } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { CreatedKey, KeyDetail, KeySummary } from '@whence/server/dashboard-wire';
import { type ReactNode, useState } from 'react';
import { answerQuery, call, queryClient } from '../api/query-client.ts';
import { formatNumber } from '../format/number.ts';
import { Time } from '../format/Time.tsx';
import { Page } from '../parts/Page.tsx';
import { Table } from '../parts/Table.tsx';
import { FailureNotice } from '../states/FailureNotice.tsx';
import { Loaded } from '../states/Loaded.tsx';
import { FirstUse } from './FirstUse.tsx';
import { KeyStatus } from './KeyStatus.tsx';
import { LeaveGuard } from './LeaveGuard.tsx';
import { NewSecret } from './NewSecret.tsx';
import { RefusedSince } from './RefusedSince.tsx';
import { RevokeKeyDialog } from './RevokeKeyDialog.tsx';
import classes from './RotationPage.module.css';

const route = getRouteApi('/gate/settings/keys/$id/rotate');
const REFRESH_MS = 3000;

/** Four steps; which of them are done is read from the keys, so the page can be left and come back to. */
export function RotationPage() {
  const { id } = route.useParams();
  const detail = useQuery({ ...answerQuery('getKey', { params: { id } }), refetchInterval: REFRESH_MS });
  const name = detail.data?.data.key.name ?? '';
  return (
    <Page
      name={`Rotate ${name}`}
      title={`Rotate the key “${name}”`}
      lead={
        <Link to="/settings/keys/$id" params={{ id }}>
          Back to the key
        </Link>
      }
    >
      <Loaded query={detail}>{({ data }) => <Steps detail={data} />}</Loaded>
    </Page>
  );
}

function Steps({ detail: { key, successor } }: { detail: KeyDetail }) {
  const [created, setCreated] = useState<CreatedKey>();
  const [isCopied, setIsCopied] = useState(false);
  const [isRevoking, setIsRevoking] = useState(false);
  const rotate = useMutation({
    mutationFn: () => call('rotateKey', { params: { id: key.id }, body: {} }),
    onSuccess: ({ data }) => {
      setCreated(data);
      void queryClient.invalidateQueries({ queryKey: ['getKey'] });
    },
  });
  const hasSuccessor = successor !== undefined;
  const isUsed = successor?.last_used_at !== undefined;
  const isRevoked = key.status === 'revoked';
  const state = (isDone: boolean, isNow: boolean) => (isDone ? 'done' : isNow ? 'now' : 'later');
  return (
    <ol className={classes['steps']}>
      <Step number={1} state={state(hasSuccessor, true)} title="Create the successor">
        <p>It gets the permissions and the tier of this key. Both work until the old one is revoked.</p>
        {rotate.error !== null && <FailureNotice error={rotate.error} />}
        {!hasSuccessor && !isRevoked && (
          <Button onClick={() => rotate.mutate()} loading={rotate.isPending}>
            Create successor
          </Button>
        )}
        {isRevoked && !hasSuccessor && <p>This key is revoked: create a new one instead.</p>}
        {created !== undefined && (
          <div className={classes['secret']}>
            <NewSecret created={created} onCopied={() => setIsCopied(true)} />
            <LeaveGuard isOn={!isCopied} />
          </div>
        )}
      </Step>
      <Step number={2} state={state(isUsed, hasSuccessor)} title="Switch the clients">
        <p>Put the new key where the old one is, and restart what reads it only at its start.</p>
        {successor !== undefined && isUsed && (
          <p>
            The successor was first used: <FirstUse summary={successor} />.
          </p>
        )}
      </Step>
      <Step number={3} state={state(isRevoked, isUsed)} title="Watch both keys">
        {successor === undefined ? (
          <p>Their last use and today's requests will stand here.</p>
        ) : (
          <Both old={key} successor={successor} />
        )}
      </Step>
      <Step number={4} state={state(isRevoked, isUsed)} title="Revoke the old key">
        {isRevoked && key.revoked_at !== undefined ? (
          <p>
            Revoked <Time at={key.revoked_at} />. The rotation is complete.
            <br />
            Refused with 401: <RefusedSince summary={key} />.
            {key.refused !== undefined && ' A client still has the old key.'}
          </p>
        ) : (
          <>
            <p>When the old key is not used any more. Requests with it are then answered with 401.</p>
            <Button data-danger disabled={!hasSuccessor} onClick={() => setIsRevoking(true)}>
              Revoke old key
            </Button>
          </>
        )}
      </Step>
      {isRevoking && <RevokeKeyDialog summary={key} onClose={() => setIsRevoking(false)} />}
    </ol>
  );
}

type StepProps = { number: number; title: string; state: 'done' | 'now' | 'later'; children: ReactNode };

function Step({ number, title, state, children }: StepProps) {
  return (
    <li className={classes['step']} data-state={state} aria-current={state === 'now' ? 'step' : undefined}>
      <span className={classes['number']}>{state === 'done' ? <IconCheck size={17} aria-label="done" /> : number}</span>
      <div className={classes['body']}>
        <h2>{title}</h2>
        {children}
      </div>
    </li>
  );
}

function Both({ old, successor }: { old: KeySummary; successor: KeySummary }) {
  return (
    <div>
      <Table
        isStacked
        label="Both keys"
        rows={[old, successor]}
        rowKey={({ id }) => id}
        columns={[
          {
            name: 'Key',
            cell: ({ id, masked }) => (
              <>
                {id === old.id ? 'Old' : 'Successor'} <span className="mono quiet nowrap">{masked}</span>
              </>
            ),
          },
          { name: 'Status', cell: ({ status }) => <KeyStatus status={status} /> },
          {
            name: 'Last used',
            cell: ({ last_used_at }) => (last_used_at === undefined ? 'never' : <Time at={last_used_at} />),
          },
          { name: 'Today', align: 'end', cell: ({ quota }) => formatNumber(quota.used) },
        ]}
      />
    </div>
  );
}

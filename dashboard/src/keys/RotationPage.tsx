import { NativeSelect } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { CreatedKey, KeyDetail, KeySummary } from '@whence/server/dashboard-wire/keys';
import { type ReactNode, useState } from 'react';
import { call, useAnswer } from '../api/query-client.ts';
import { TextButton } from '../components/Buttons.tsx';
import { FailureNotice } from '../components/Failures.tsx';
import { Icon } from '../components/icons.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { Page } from '../components/Page.tsx';
import { Table } from '../components/Table.tsx';
import { formatNumber } from '../format/number.ts';
import { Time } from '../format/Time.tsx';
import { FirstUse, KeyStateTag, LastUse, RefusedSince } from './KeyState.tsx';
import { ConfirmLeave, NewSecret } from './NewSecret.tsx';
import { RevokeKeyDialog } from './RevokeKeyDialog.tsx';
import classes from './RotationPage.module.css';
import { refreshKeys } from './refresh-keys.ts';
import { ScheduledRevocation } from './ScheduledRevocation.tsx';

const route = getRouteApi('/session/keys/$id/rotate');
const REFRESH_MS = 3000;
const PERIODS = [
  { value: '', label: 'when I revoke it' },
  { value: '1', label: 'in 1 hour' },
  { value: '24', label: 'in 24 hours' },
  { value: '168', label: 'in 7 days' },
  { value: '720', label: 'in 30 days' },
];

/** Four steps. Progress is derived from the keys, so the page can be left and opened again. */
export function RotationPage() {
  const { id } = route.useParams();
  const detail = useAnswer('getKey', { params: { id } }, { refetchInterval: REFRESH_MS });
  const name = detail.data?.data.key.name ?? '';
  return (
    <Page
      name={`Rotate ${name}`}
      title={`Rotate the key “${name}”`}
      lead={
        <Link to="/keys/$id" params={{ id }}>
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
  const [hours, setHours] = useState('');
  const rotate = useMutation({
    mutationFn: () =>
      call('rotateKey', {
        params: { id: key.id },
        body: hours === '' ? {} : { revoke_in_hours: Number(hours) },
      }),
    onSuccess: ({ data }) => {
      setCreated(data);
      void refreshKeys();
    },
  });
  const hasSuccessor = successor !== undefined;
  const isUsed = successor?.last_used_at !== undefined;
  const isRevoked = key.status === 'revoked';
  const state = (isDone: boolean, isNow: boolean) => {
    if (isDone) return 'done';
    return isNow ? 'now' : 'later';
  };
  return (
    <ol className={classes['steps']}>
      <Step number={1} state={state(hasSuccessor, true)} title="Create the successor">
        <p>
          It has the same permissions, tier, networks, rate and expiry. Both keys work until the old
          one is revoked.
        </p>
        {rotate.error !== null && <FailureNotice error={rotate.error} />}
        {!hasSuccessor && !isRevoked && (
          <>
            <NativeSelect
              label="The old key ends"
              maw={320}
              data={PERIODS}
              value={hours}
              onChange={(event) => setHours(event.currentTarget.value)}
            />
            <TextButton
              text="Create successor"
              loading={rotate.isPending}
              onClick={() => rotate.mutate()}
            />
          </>
        )}
        {isRevoked && !hasSuccessor && <p>This key is revoked: create a new one instead.</p>}
        {created !== undefined && (
          <div className={classes['secret']}>
            <NewSecret created={created} onCopied={() => setIsCopied(true)} />
            <ConfirmLeave isActive={!isCopied} />
          </div>
        )}
      </Step>
      <Step number={2} state={state(isUsed, hasSuccessor)} title="Update the clients">
        <p>
          Replace the old key in every client, and restart clients that read it only at startup.
        </p>
        {successor !== undefined && isUsed && (
          <p>
            The successor was first used: <FirstUse summary={successor} />.
          </p>
        )}
      </Step>
      <Step number={3} state={state(isRevoked, isUsed)} title="Monitor both keys">
        {successor === undefined ? (
          <p>Their last use and today's requests will appear here.</p>
        ) : (
          <BothKeys old={key} successor={successor} />
        )}
      </Step>
      <Step number={4} state={state(isRevoked, isUsed)} title="Revoke the old key">
        {isRevoked && key.revoked_at !== undefined ? (
          <p>
            Revoked <Time at={key.revoked_at} />. The rotation is complete.
            <br />
            Refused with 401: <RefusedSince summary={key} />.
            {key.refused !== undefined && ' A client still uses the old key.'}
          </p>
        ) : (
          <>
            <p>
              Revoke it when no client uses it any more. Requests with it are then answered with
              401.
            </p>
            {key.revoke_at !== undefined && (
              <p>
                <ScheduledRevocation id={key.id} at={key.revoke_at} />
              </p>
            )}
            <TextButton
              data-danger
              text="Revoke old key"
              disabled={!hasSuccessor}
              onClick={() => setIsRevoking(true)}
            />
          </>
        )}
      </Step>
      {isRevoking && <RevokeKeyDialog summary={key} onClose={() => setIsRevoking(false)} />}
    </ol>
  );
}

type StepProps = {
  number: number;
  title: string;
  state: 'done' | 'now' | 'later';
  children: ReactNode;
};

function Step({ number, title, state, children }: StepProps) {
  return (
    <li
      className={classes['step']}
      data-state={state}
      aria-current={state === 'now' ? 'step' : undefined}
    >
      <span className={classes['number']}>
        {state === 'done' ? <Icon name="check" size={17} aria-label="done" /> : number}
      </span>
      <div className={classes['body']}>
        <h2>{title}</h2>
        {children}
      </div>
    </li>
  );
}

function BothKeys({ old, successor }: { old: KeySummary; successor: KeySummary }) {
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
                {id === old.id ? 'Old' : 'Successor'}{' '}
                <span className="mono quiet nowrap">{masked}</span>
              </>
            ),
          },
          { name: 'State', cell: (summary) => <KeyStateTag summary={summary} /> },
          { name: 'Last used', cell: (summary) => <LastUse summary={summary} /> },
          { name: 'Today', align: 'end', cell: ({ quota }) => formatNumber(quota.used) },
        ]}
      />
    </div>
  );
}

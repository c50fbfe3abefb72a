/**
 * Actions on several keys of the list. Each is a request of its own; what could not be changed
 * stays selected.
 */
import { NativeSelect, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { KeySummary } from '@whence/server/dashboard-wire/keys';
import type { Tier } from '@whence/server/vocabulary';
import { useState } from 'react';
import { call } from '../api/query-client.ts';
import { QuietButton } from '../components/Buttons.tsx';
import { explainFailure } from '../components/Failures.tsx';
import { FormDialog } from '../components/Form.tsx';
import grid from '../components/GridTable.module.css';
import { announce } from '../components/LiveRegion.tsx';
import { Notice } from '../components/Notice.tsx';
import { capitalise } from '../format/names.ts';
import { count } from '../format/number.ts';
import { useSignedIn } from '../session/use-session.ts';
import classes from './KeyTable.module.css';
import { refreshKeys } from './refresh-keys.ts';

type Action = 'pause' | 'tier' | 'revoke';

const DONE: Readonly<Record<Action, string>> = {
  pause: 'paused',
  tier: 'changed',
  revoke: 'revoked',
};

type SeveralKeysProps = {
  listed: readonly KeySummary[];
  selected: ReadonlySet<string>;
  onSelect: (ids: ReadonlySet<string>) => void;
};

/** Shown in place of the number of keys while some are selected. */
export function SeveralKeys({ listed, selected, onSelect }: SeveralKeysProps) {
  const [action, setAction] = useState<Action>();
  const active = listed.filter(({ status }) => status === 'active');
  const keys = active.filter(({ id }) => selected.has(id));
  return (
    <div className={grid['several']}>
      <span role="status">{count(keys.length, 'key')} selected</span>
      <QuietButton text="Pause…" onClick={() => setAction('pause')} />
      <QuietButton text="Change tier…" onClick={() => setAction('tier')} />
      <QuietButton text="Revoke…" onClick={() => setAction('revoke')} />
      {keys.length < active.length && (
        <QuietButton
          text={`Select all ${count(active.length, 'key')} that are listed`}
          onClick={() => onSelect(new Set(active.map(({ id }) => id)))}
        />
      )}
      <QuietButton text="Clear" onClick={() => onSelect(new Set())} />
      {action !== undefined && (
        <SeveralKeysDialog
          action={action}
          keys={keys}
          onLeft={onSelect}
          onClose={() => setAction(undefined)}
        />
      )}
    </div>
  );
}

type DialogProps = {
  action: Action;
  keys: readonly KeySummary[];
  /** With the keys that are left to do. */
  onLeft: (ids: ReadonlySet<string>) => void;
  onClose: () => void;
};

function SeveralKeysDialog({ action, keys, onLeft, onClose }: DialogProps) {
  const { tiers } = useSignedIn();
  const [tier, setTier] = useState<Tier>(tiers[0]?.tier ?? 'free');
  const [typed, setTyped] = useState('');
  const [done, setDone] = useState(0);
  const [failed, setFailed] = useState<readonly { id: string; text: string }[]>([]);
  const change = ({ id, name }: KeySummary) => {
    const params = { id };
    if (action === 'pause') return call('pauseKey', { params });
    return action === 'tier'
      ? call('changeKey', { params, body: { tier } })
      : call('revokeKey', { params, body: { name } });
  };
  const run = useMutation({
    mutationFn: async () => {
      const refused: { id: string; text: string }[] = [];
      setDone(0);
      for (const [index, key] of keys.entries()) {
        await change(key).catch((error: unknown) =>
          refused.push({ id: key.id, text: `${key.name}: ${explainFailure(error).title}` }),
        );
        setDone(index + 1);
      }
      return refused;
    },
    onSuccess: async (refused) => {
      setFailed(refused);
      await refreshKeys();
      announce(`${count(keys.length - refused.length, 'key')} ${DONE[action]}`);
      onLeft(new Set(refused.map(({ id }) => id)));
      if (refused.length === 0) onClose();
    },
  });
  const all = count(keys.length, 'key');
  const titles = {
    pause: `Pause ${all}`,
    tier: `Change the tier of ${all}`,
    revoke: `Revoke ${all}`,
  };
  return (
    <FormDialog
      title={titles[action]}
      mutation={run}
      action={titles[action]}
      isDanger={action === 'revoke'}
      isDisabled={
        keys.length === 0 || (action === 'revoke' && typed.trim() !== String(keys.length))
      }
      onClose={onClose}
    >
      {failed.length > 0 && (
        <Notice tone="bad" title={`${count(failed.length, 'key')} could not be ${DONE[action]}`}>
          <ul>
            {failed.map(({ id, text }) => (
              <li key={id}>{text}</li>
            ))}
          </ul>
        </Notice>
      )}
      <p className={classes['names']}>{keys.map(({ name }) => name).join(', ')}</p>
      {action === 'pause' && (
        <p>Requests with these keys will be answered with 401 until they are resumed.</p>
      )}
      {action === 'tier' && (
        <NativeSelect
          label="Tier"
          data={tiers.map((info) => ({ value: info.tier, label: capitalise(info.tier) }))}
          value={tier}
          onChange={(event) => setTier(event.currentTarget.value as Tier)}
        />
      )}
      {action === 'revoke' && (
        <>
          <p>
            Every request with these keys will be answered with 401.{' '}
            <strong>A revoked key cannot be restored.</strong>
          </p>
          <TextInput
            label={`Type the number of keys to confirm: ${keys.length}`}
            autoComplete="off"
            data-autofocus
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        </>
      )}
      {run.isPending && (
        <p role="status">
          {done} of {all}
        </p>
      )}
    </FormDialog>
  );
}

import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { KeySummary } from '@whence/server/dashboard-wire/keys';
import { type FormEvent, useState } from 'react';
import { call } from '../api/query-client.ts';
import { Dialog } from '../components/Dialog.tsx';
import { FailureNotice } from '../components/Failures.tsx';
import { announce } from '../components/LiveRegion.tsx';
import { count } from '../format/number.ts';
import { Time } from '../format/Time.tsx';
import classes from './CreateKeyDialog.module.css';
import { refreshKeys } from './refresh-keys.ts';

/** Revocation is permanent and immediate, so the name must be typed. */
export function RevokeKeyDialog({ summary, onClose }: { summary: KeySummary; onClose: () => void }) {
  const { id, name, masked, last_used_at, quota } = summary;
  const [typed, setTyped] = useState('');
  const revoke = useMutation({
    mutationFn: () => call('revokeKey', { params: { id }, body: { name: typed } }),
    onSuccess: async () => {
      announce(`The key ${name} is revoked`);
      await refreshKeys();
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    revoke.mutate();
  };
  return (
    <Dialog onClose={onClose} title={`Revoke the key “${name}”`} size="lg">
      <form className={classes['form']} onSubmit={submit}>
        {revoke.error !== null && <FailureNotice error={revoke.error} />}
        <p>
          <span className="mono">{masked}</span>{' '}
          {last_used_at === undefined ? (
            'has never been used'
          ) : (
            <>
              was last used <Time at={last_used_at} />
            </>
          )}{' '}
          and has made {count(quota.used, 'request')} today.
        </p>
        <p>
          Every request with this key will be answered with 401. <strong>A revoked key cannot be restored.</strong>
        </p>
        <TextInput
          label={`Type the name of the key to confirm: ${name}`}
          autoComplete="off"
          data-autofocus
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <div className={classes['actions']}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" data-danger disabled={typed.trim() !== name} loading={revoke.isPending}>
            Revoke key
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

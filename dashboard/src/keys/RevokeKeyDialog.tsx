import { TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { KeySummary } from '@whence/server/dashboard-wire/keys';
import { useState } from 'react';
import { call } from '../api/query-client.ts';
import { FormDialog } from '../components/Form.tsx';
import { announce } from '../components/LiveRegion.tsx';
import { count } from '../format/number.ts';
import { Time } from '../format/Time.tsx';
import { refreshKeys } from './refresh-keys.ts';

type RevokeKeyDialogProps = {
  summary: KeySummary;
  isPasted?: boolean | undefined;
  onClose: () => void;
};

/**
 * Revocation is permanent and immediate, so the name must be typed, unless the key itself was
 * pasted.
 */
export function RevokeKeyDialog({ summary, isPasted = false, onClose }: RevokeKeyDialogProps) {
  const { id, name, masked, last_used_at, quota } = summary;
  const [typed, setTyped] = useState('');
  const revoke = useMutation({
    mutationFn: () =>
      call('revokeKey', { params: { id }, body: { name: isPasted ? name : typed } }),
    onSuccess: async () => {
      announce(`The key ${name} is revoked`);
      await refreshKeys();
      onClose();
    },
  });
  return (
    <FormDialog
      title={`Revoke the key “${name}”`}
      size="lg"
      mutation={revoke}
      action="Revoke key"
      isDanger
      isDisabled={!isPasted && typed.trim() !== name}
      onClose={onClose}
    >
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
        Every request with this key will be answered with 401.{' '}
        <strong>A revoked key cannot be restored.</strong>
      </p>
      {!isPasted && (
        <TextInput
          label={`Type the name of the key to confirm: ${name}`}
          autoComplete="off"
          data-autofocus
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
    </FormDialog>
  );
}

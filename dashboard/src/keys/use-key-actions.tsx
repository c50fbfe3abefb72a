/** The dialogs and requests behind the actions of a key, for the list and for the page of a key. */
import { useMutation } from '@tanstack/react-query';
import type { KeySummary } from '@whence/server/dashboard-wire/keys';
import { type ReactNode, useState } from 'react';
import { call } from '../api/query-client.ts';
import { FormDialog } from '../components/Form.tsx';
import { announce } from '../components/LiveRegion.tsx';
import { count } from '../format/number.ts';
import { EditKeyDrawer } from './EditKeyDrawer.tsx';
import type { KeyAction } from './KeyMenu.tsx';
import { LastUse } from './KeyState.tsx';
import { RevokeKeyDialog } from './RevokeKeyDialog.tsx';
import { refreshKeys } from './refresh-keys.ts';

type Open = {
  readonly action: Exclude<KeyAction, 'resume'>;
  readonly summary: KeySummary;
  /** The person has shown which key is meant by pasting it. */
  readonly isPasted?: boolean;
};

/** `dialog` belongs on the page; `failure` is why a key could not be resumed. */
export function useKeyActions(): {
  act: (action: KeyAction, summary: KeySummary, isPasted?: boolean) => void;
  dialog: ReactNode;
  failure: Error | null;
} {
  const [open, setOpen] = useState<Open>();
  const resume = useMutation({
    mutationFn: ({ id }: KeySummary) => call('resumeKey', { params: { id } }),
    onSuccess: async (_, { name }) => {
      announce(`The key ${name} is active again`);
      await refreshKeys();
    },
  });
  const close = () => setOpen(undefined);
  return {
    act: (action, summary, isPasted = false) =>
      action === 'resume' ? resume.mutate(summary) : setOpen({ action, summary, isPasted }),
    dialog: open === undefined ? null : <KeyDialog {...open} onClose={close} />,
    failure: resume.error,
  };
}

function KeyDialog({ action, summary, isPasted, onClose }: Open & { onClose: () => void }) {
  if (action === 'edit') return <EditKeyDrawer summary={summary} onClose={onClose} />;
  if (action === 'pause') return <PauseKeyDialog summary={summary} onClose={onClose} />;
  return <RevokeKeyDialog summary={summary} isPasted={isPasted} onClose={onClose} />;
}

/** Clients notice at once, so their last use is shown before. */
function PauseKeyDialog({ summary, onClose }: { summary: KeySummary; onClose: () => void }) {
  const { id, name, quota } = summary;
  const pause = useMutation({
    mutationFn: () => call('pauseKey', { params: { id } }),
    onSuccess: async () => {
      announce(`The key ${name} is paused`);
      await refreshKeys();
      onClose();
    },
  });
  return (
    <FormDialog
      title={`Pause the key “${name}”`}
      mutation={pause}
      action="Pause key"
      isFocused
      onClose={onClose}
    >
      <p>
        Requests with this key will be answered with 401 until it is resumed. Last used:{' '}
        <LastUse summary={summary} />, {count(quota.used, 'request')} today.
      </p>
    </FormDialog>
  );
}

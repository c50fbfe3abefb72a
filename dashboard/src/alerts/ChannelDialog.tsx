/** Adds a channel or changes one, and shows the secret of a new one once. */
import { NativeSelect, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { Channel, CreatedChannel } from '@whence/server/dashboard-wire/alerts';
import { CHANNEL_FORMATS, type ChannelFormat, type Severity } from '@whence/server/vocabulary';
import { useState } from 'react';
import { call, refresh } from '../api/query-client.ts';
import { QuietButton } from '../components/Buttons.tsx';
import { CodeBlock, CopyButton } from '../components/Copy.tsx';
import { Dialog } from '../components/Dialog.tsx';
import { DialogBody, FormDialog } from '../components/Form.tsx';
import { announce } from '../components/LiveRegion.tsx';
import { Notice } from '../components/Notice.tsx';
import { parseTags } from '../watch/watched-state.ts';
import { FORMAT_WORDS, SEVERITY_CHOICES } from './channel-words.ts';

type ChannelDialogProps = {
  /** To change it; undefined for a new one. */
  channel: Channel | undefined;
  /** Why there can be no email. */
  emailProblem: string | undefined;
  onCreated: (created: CreatedChannel) => void;
  onClose: () => void;
};

/** Where a channel leads cannot be changed: it is another channel then. */
export function ChannelDialog({ channel, emailProblem, onCreated, onClose }: ChannelDialogProps) {
  const [format, setFormat] = useState<ChannelFormat>('standard');
  const [target, setTarget] = useState('');
  const [name, setName] = useState(channel?.name ?? '');
  const [severity, setSeverity] = useState<Severity>(channel?.min_severity ?? 'low');
  const [tags, setTags] = useState(channel?.tags.join(' ') ?? '');
  const isEmail = format === 'email';
  const save = useMutation({
    mutationFn: async (): Promise<CreatedChannel | undefined> => {
      const body = { name, min_severity: severity, tags: parseTags(tags) };
      if (channel === undefined)
        return (await call('createChannel', { body: { ...body, format, target } })).data;
      await call('changeChannel', { params: { id: channel.id }, body });
      return undefined;
    },
    onSuccess: async (created) => {
      await refresh('listChannels');
      announce(`${name} ${created === undefined ? 'changed' : 'added'}`);
      onClose();
      if (created !== undefined) onCreated(created);
    },
  });
  return (
    <FormDialog
      title={channel === undefined ? 'Add a channel' : `Edit ${channel.name}`}
      mutation={save}
      action={channel === undefined ? 'Add channel' : 'Save'}
      isDisabled={channel === undefined && isEmail && emailProblem !== undefined}
      onClose={onClose}
    >
      {channel === undefined && (
        <>
          <NativeSelect
            label="Kind"
            data-autofocus
            data={CHANNEL_FORMATS.map((value) => ({ value, label: KIND_LABELS[value] }))}
            value={format}
            onChange={({ currentTarget }) => setFormat(currentTarget.value as ChannelFormat)}
          />
          {isEmail && emailProblem !== undefined && (
            <Notice tone="warn" title={`Email cannot be sent: ${emailProblem}`} />
          )}
          <TextInput
            label={isEmail ? 'Email address' : 'URL'}
            description={
              isEmail
                ? 'A link is sent to it; alerts begin when it is opened.'
                : 'Anyone with this URL can post to it, so it is not shown again.'
            }
            type={isEmail ? 'email' : 'url'}
            required
            autoComplete="off"
            value={target}
            onChange={({ currentTarget }) => setTarget(currentTarget.value)}
          />
        </>
      )}
      <TextInput
        label="Name"
        required
        autoComplete="off"
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <NativeSelect
        label="Events"
        data={[...SEVERITY_CHOICES]}
        value={severity}
        onChange={({ currentTarget }) => setSeverity(currentTarget.value as Severity)}
      />
      <TextInput
        label="Tags (optional)"
        description="Only domains with one of these tags; without any, all domains."
        autoComplete="off"
        value={tags}
        onChange={({ currentTarget }) => setTags(currentTarget.value)}
      />
    </FormDialog>
  );
}

const KIND_LABELS: Readonly<Record<ChannelFormat, string>> = {
  ...FORMAT_WORDS,
  standard: 'Webhook (signed, Standard Webhooks)',
};

type CreatedDialogProps = { created: CreatedChannel; onClose: () => void };

export function CreatedDialog({ created: { channel, secret }, onClose }: CreatedDialogProps) {
  return (
    <Dialog title={`${channel.name} was added`} size="lg" onClose={onClose}>
      <DialogBody
        buttons={
          <>
            <QuietButton size="sm" text="Close" onClick={onClose} />
            {secret !== undefined && (
              <CopyButton text={secret} label="Copy signing secret" word="Copy secret" isPrimary />
            )}
          </>
        }
      >
        {secret === undefined ? (
          <p>
            {channel.is_confirmed
              ? 'Send a test to see that it works.'
              : `A link was sent to ${channel.target}. Alerts begin when it is opened.`}
          </p>
        ) : (
          <>
            <Notice tone="warn" title="Copy the signing secret now. It is shown only once.">
              <p>
                The receiver verifies with it that a message is from this server: any library for
                Standard Webhooks takes it.
              </p>
            </Notice>
            <CodeBlock text={secret} label="signing secret" />
          </>
        )}
      </DialogBody>
    </Dialog>
  );
}

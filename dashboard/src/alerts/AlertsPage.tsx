/** Where events of watched domains are sent. */
import { useMutation } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { Channel, CreatedChannel, Delivery } from '@whence/server/dashboard-wire/alerts';
import { useState } from 'react';
import { call, refresh, useAnswer } from '../api/query-client.ts';
import { QuietButton, TextButton } from '../components/Buttons.tsx';
import { FailureNotice } from '../components/Failures.tsx';
import { FormDialog } from '../components/Form.tsx';
import { announce } from '../components/LiveRegion.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { Empty, Notice } from '../components/Notice.tsx';
import { Page, Verdict } from '../components/Page.tsx';
import { type Column, RowActions, Table } from '../components/Table.tsx';
import { Tag } from '../components/Tag.tsx';
import { count } from '../format/number.ts';
import { ShortTime } from '../format/Time.tsx';
import { IN_PLACE, withoutEmpty } from '../search-params.ts';
import { useRole } from '../session/use-session.ts';
import { ChannelDialog, CreatedDialog } from './ChannelDialog.tsx';
import { FORMAT_WORDS, severityWords } from './channel-words.ts';
import { Deliveries } from './Deliveries.tsx';

const route = getRouteApi('/session/settings/alerts');

/** A dialog about a channel, or without one about a new channel. */
type Opened = { act: 'create' } | { act: 'edit' | 'remove'; channel: Channel };

export function AlertsPage() {
  const { isAtLeast } = useRole();
  const channels = useAnswer('listChannels', {});
  const [opened, setOpened] = useState<Opened>();
  const [created, setCreated] = useState<CreatedChannel>();
  const close = () => setOpened(undefined);
  const add = isAtLeast('admin') && (
    <TextButton icon="plus" text="Add channel" onClick={() => setOpened({ act: 'create' })} />
  );
  return (
    <Page
      name="Alerts"
      title="Alerts"
      lead="Where events of watched domains are sent when they begin and when they end, and a summary every week."
      actions={add}
    >
      <Loaded query={channels} shape={[['table']]}>
        {({ data }) =>
          data.channels.length === 0 ? (
            <Empty title="No channel yet">
              <p>
                Events are shown on the pages of their domains. To be told of them, add a webhook or
                an email address.
              </p>
              {add || <p>Administrators can add channels.</p>}
            </Empty>
          ) : (
            <>
              <ChannelsVerdict channels={data.channels} />
              <ChannelTable channels={data.channels} onOpen={setOpened} />
            </>
          )
        }
      </Loaded>
      {opened !== undefined && opened.act !== 'remove' && (
        <ChannelDialog
          channel={opened.act === 'edit' ? opened.channel : undefined}
          emailProblem={channels.data?.data.email_problem}
          onCreated={setCreated}
          onClose={close}
        />
      )}
      {opened?.act === 'remove' && <RemoveDialog channel={opened.channel} onClose={close} />}
      {created !== undefined && (
        <CreatedDialog created={created} onClose={() => setCreated(undefined)} />
      )}
    </Page>
  );
}

function ChannelsVerdict({ channels }: { channels: readonly Channel[] }) {
  const failing = channels.filter(({ failing_since }) => failing_since !== undefined).length;
  const all = count(channels.length, 'channel');
  return failing === 0 ? (
    <Verdict text={`${all}, none is failing.`} />
  ) : (
    <Verdict tone="bad" text={`${failing} of ${all} ${failing === 1 ? 'is' : 'are'} failing.`} />
  );
}

type ChannelTableProps = { channels: readonly Channel[]; onOpen: (opened: Opened) => void };

function ChannelTable({ channels, onOpen }: ChannelTableProps) {
  const { isAtLeast } = useRole();
  const { channel: shown } = route.useSearch();
  const navigate = useNavigate({ from: '/settings/alerts' });
  const show = (id: string) =>
    void navigate({
      search: withoutEmpty({ channel: id === shown ? undefined : id }),
      ...IN_PLACE,
    });
  const test = useMutation({
    mutationFn: ({ id }: Channel) => call('testChannel', { params: { id } }),
    onSettled: () => refresh('listDeliveries', 'listChannels'),
  });
  const columns: Column<Channel>[] = [
    { name: 'Name', isText: true, cell: ({ name }) => <strong className="nowrap">{name}</strong> },
    {
      name: 'To',
      cell: ({ format, target }) => (
        <>
          {FORMAT_WORDS[format]}: <span className="mono">{target}</span>
        </>
      ),
    },
    {
      name: 'Events',
      cell: ({ min_severity, tags }) => (
        <>
          <span className="nowrap">{severityWords(min_severity)}</span>
          {tags.length > 0 && <span className="quiet"> of {tags.join(', ')}</span>}
        </>
      ),
    },
    // Whose rights decide what is sent.
    { name: 'Account', isWide: true, cell: ({ account }) => account },
    { name: 'State', cell: (channel) => <ChannelState channel={channel} /> },
    {
      name: 'Actions',
      align: 'end',
      cell: (channel) => (
        <RowActions>
          <QuietButton
            size="compact-xs"
            text="Deliveries"
            aria-label={`Deliveries of ${channel.name}`}
            aria-expanded={channel.id === shown}
            onClick={() => show(channel.id)}
          />
          {isAtLeast('admin') && (
            <>
              <QuietButton
                size="compact-xs"
                text={channel.is_confirmed ? 'Test' : 'Send link again'}
                aria-label={`${channel.is_confirmed ? 'Test' : 'Send link again'}: ${channel.name}`}
                loading={test.isPending && test.variables.id === channel.id}
                onClick={() => test.mutate(channel)}
              />
              <QuietButton
                size="compact-xs"
                text="Edit"
                aria-label={`Edit ${channel.name}`}
                onClick={() => onOpen({ act: 'edit', channel })}
              />
              <QuietButton
                size="compact-xs"
                text="Remove"
                aria-label={`Remove ${channel.name}`}
                onClick={() => onOpen({ act: 'remove', channel })}
              />
            </>
          )}
        </RowActions>
      ),
    },
  ];
  return (
    <>
      <FailureNotice error={test.error} />
      {test.data !== undefined && !test.isPending && (
        <TestResult name={test.variables?.name ?? ''} delivery={test.data.data.delivery} />
      )}
      <Table
        isStacked
        label="Channels"
        columns={columns}
        rows={channels}
        rowKey={({ id }) => id}
        detail={({ id, name }) => id === shown && <Deliveries id={id} name={name} />}
      />
    </>
  );
}

function ChannelState({ channel: { is_confirmed, failing_since } }: { channel: Channel }) {
  if (!is_confirmed) return <Tag tone="warn" text="waits for confirmation" />;
  if (failing_since === undefined) return <span className="quiet">in&nbsp;use</span>;
  return (
    <>
      <Tag tone="bad" icon="alert-triangle" text="failing" /> <ShortTime at={failing_since} />
    </>
  );
}

/** Without a delivery, the recipient has yet to confirm. */
function TestResult({ name, delivery }: { name: string; delivery: Delivery | undefined }) {
  if (delivery === undefined)
    return <Notice title={`The link to confirm was sent to ${name} again`} />;
  const { state, result } = delivery;
  if (state === 'delivered') return <Notice tone="good" title={`The test has reached ${name}`} />;
  return (
    <Notice tone="bad" title={`The test did not reach ${name}`}>
      {result !== undefined && <p>{result}</p>}
    </Notice>
  );
}

function RemoveDialog({
  channel: { id, name },
  onClose,
}: {
  channel: Channel;
  onClose: () => void;
}) {
  const remove = useMutation({
    mutationFn: () => call('deleteChannel', { params: { id } }),
    onSuccess: async () => {
      await refresh('listChannels');
      announce(`${name} removed`);
      onClose();
    },
  });
  return (
    <FormDialog
      title={`Remove ${name}`}
      mutation={remove}
      action="Remove"
      isDanger
      isFocused
      onClose={onClose}
    >
      <p>It receives no more alerts and summaries, and its deliveries are deleted.</p>
    </FormDialog>
  );
}

/**
 * A log to replay: how many of its requests the rules would refuse. The answer stays until the next
 * one, or until the page is reloaded, because a log is nothing to keep in a browser.
 */
import { NativeSelect } from '@mantine/core';
import { skipToken, useMutation, useQuery } from '@tanstack/react-query';
import type { LoggedRequest, ReplayedLog, RuleSetState } from '@whence/server/dashboard-wire/rules';
import { useRef, useState } from 'react';
import { Failure } from '../api/call.ts';
import { call, queryClient } from '../api/query-client.ts';
import { BatchInput } from '../batch/BatchInput.tsx';
import { FailureNotice } from '../components/Failures.tsx';
import { useResumedSending } from '../components/Form.tsx';
import { AddressLink, NetworkLink } from '../components/Links.tsx';
import { Notice } from '../components/Notice.tsx';
import { Section } from '../components/Page.tsx';
import { type Column, Table } from '../components/Table.tsx';
import { count, formatNumber, formatShare } from '../format/number.ts';
import type { ScanInput } from '../scan.ts';

/** As the server has it. */
const MAX_BYTES = 1024 * 1024;
const LINE_BREAK = 0x0a;
const ANSWER = ['replayed'];
const WORDS = {
  many: 'requests',
  act: 'Replay',
  placeholder:
    '192.0.2.1 - - [15/Nov/2026:10:00:00 +0000] "GET /login HTTP/1.1" 200 612 "-" "Mozilla/5.0"',
};

type Replayed = {
  readonly report: ReplayedLog;
  readonly isCut: boolean;
  /** `identityOf` the set when the log was sent. */
  readonly rules: string;
};
type Sent = { readonly input: ScanInput; readonly set: RuleSetState | undefined };

export function ReplayLog({ sets }: { sets: readonly RuleSetState[] }) {
  const names = sets.map(({ name }) => name);
  const [chosen, setChosen] = useState(names.includes('default') ? 'default' : names[0]);
  const { data: answer } = useQuery<Replayed>({
    queryKey: ANSWER,
    queryFn: skipToken,
    gcTime: Number.POSITIVE_INFINITY,
  });
  const last = useRef<Sent>(undefined);
  const replay = useMutation({
    mutationFn: async () => {
      const sent = last.current;
      if (sent === undefined) return;
      const replayed = await replayOf(sent);
      // Another log may have been sent since.
      if (sent === last.current) queryClient.setQueryData<Replayed>(ANSWER, replayed);
    },
  });
  useResumedSending(replay);
  const start = (input: ScanInput) => {
    last.current = { input, set: sets.find(({ name }) => name === chosen) };
    replay.mutate();
  };
  const set = sets.find(({ name }) => name === answer?.report.set);
  return (
    <Section
      title="Replay a log"
      note="What the rules above would do to the requests of an access log: the combined format or JSON lines, up to 1 MiB. The log is not kept, and its requests are not counted."
    >
      {names.length > 1 && (
        <NativeSelect
          className="no-print"
          label="Set for the log"
          mb={12}
          maw={300}
          data={names}
          value={chosen}
          onChange={({ currentTarget: { value } }) => setChosen(value)}
        />
      )}
      <BatchInput words={WORDS} onStart={start} />
      <div role="status">
        {replay.isPending && <p className="quiet">Replaying the log</p>}
        {replay.error === null && answer !== undefined && <Summary replayed={answer} set={set} />}
      </div>
      <FailureNotice error={replay.error} />
      {replay.error === null && answer !== undefined && <Tables report={answer.report} />}
    </Section>
  );
}

/** A log that is too large is sent up to the last line that fits. */
async function replayOf({ input, set }: Sent): Promise<Replayed> {
  const whole = 'file' in input ? input.file : new Blob([input.text]);
  const isCut = whole.size > MAX_BYTES;
  const read = await whole
    .slice(0, MAX_BYTES)
    .arrayBuffer()
    .catch((cause: unknown) => {
      const details = { rule: 'it may be a folder, or have changed since; choose it again' };
      throw new Failure(
        'The browser cannot read this file',
        'INVALID_REQUEST',
        { details },
        { cause },
      );
    });
  const bytes = new Uint8Array(read);
  const lines = isCut ? bytes.subarray(0, bytes.lastIndexOf(LINE_BREAK) + 1) : bytes;
  const body = new Blob([lines.length === 0 ? bytes : lines], { type: 'text/plain' });
  const { data } = await call('replayLog', {
    body,
    query: set === undefined ? {} : { set: set.name },
  });
  return { report: data, isCut, rules: identityOf(set) };
}

/** What a replay depends on, as far as the page knows it. */
const identityOf = (set: RuleSetState | undefined): string =>
  JSON.stringify([
    set?.default,
    set?.rules.map(({ name, action, conditions }) => [name, action, conditions]),
  ]);

const GROUPS = {
  verified_crawlers: 'verified crawlers',
  known_good: 'monitoring and other services that are known to be good',
  homes: 'home and mobile connections',
  successful: 'answered with success',
} as const;

/** `set` is as it is now, if the file still has it. */
function Summary({
  replayed: { report, isCut, rules },
  set,
}: {
  replayed: Replayed;
  set: RuleSetState | undefined;
}) {
  const { lines, unreadable, clients, refused, first_unread: unread } = report;
  const requests = lines - unreadable;
  const groups = (Object.keys(GROUPS) as (keyof typeof GROUPS)[]).filter(
    (name) => refused[name].requests > 0,
  );
  return (
    <Notice
      tone={requests > 0 && refused.requests === 0 ? 'good' : 'warn'}
      title={
        requests === 0
          ? 'The log has no line with a request'
          : `${formatNumber(refused.requests)} of ${count(requests, 'request')} would be refused`
      }
    >
      {requests > 0 && (
        <p>
          By set {report.set}: {formatShare(refused.requests, requests)} of the requests, from{' '}
          {formatNumber(refused.clients)} of {count(clients, 'client')}.
          {set?.mode === 'observe' && ' The set only observes, so they are let through now.'}
        </p>
      )}
      {identityOf(set) !== rules && <p>The rules have changed since: replay the log again.</p>}
      {groups.length > 0 && (
        <>
          <p>Among those that would be refused:</p>
          <ul>
            {groups.map((name) => (
              <li key={name}>
                {count(refused[name].requests, 'request')} from{' '}
                {count(refused[name].clients, 'client')}: {GROUPS[name]}
              </li>
            ))}
          </ul>
        </>
      )}
      {unread !== undefined && (
        <p>
          {count(unreadable, 'line')} could not be read. Line {formatNumber(unread.line)}{' '}
          {unread.reason}: <span className="mono">{unread.text}</span>
        </p>
      )}
      {isCut && (
        <p>
          Only the first 1 MiB was replayed; <span className="mono">wh decide replay</span> reads
          files of any size.
        </p>
      )}
    </Notice>
  );
}

function Tables({ report: { lines, unreadable, rules, refused } }: { report: ReplayedLog }) {
  const requests = lines - unreadable;
  if (requests === 0) return null;
  return (
    <>
      <Table
        isStacked
        label="Replayed requests by rule"
        columns={ruleColumns(requests)}
        rows={rules}
        limit={50}
      />
      {refused.networks.length > 0 && (
        <Table
          isStacked
          label="Networks that would be refused"
          columns={NETWORK_COLUMNS}
          rows={refused.networks}
        />
      )}
    </>
  );
}

const ruleColumns = (requests: number): Column<ReplayedLog['rules'][number]>[] => [
  {
    name: 'Rule',
    cell: ({ rule }) => rule ?? <span className="quiet">otherwise</span>,
  },
  { name: 'Then', cell: ({ action }) => action },
  { name: 'Requests', align: 'end', cell: (row) => formatNumber(row.requests) },
  { name: 'Share', align: 'end', cell: (row) => formatShare(row.requests, requests) },
  { name: 'Clients', align: 'end', cell: ({ clients }) => formatNumber(clients) },
  {
    name: 'First requests',
    isText: true,
    cell: ({ examples }) => examples.map((example) => <Example key={example.line} {...example} />),
  },
];

function Example({ line, ip, method, path }: LoggedRequest) {
  return (
    <div>
      <AddressLink ip={ip} /> <span className="mono">{[method, path].join(' ')}</span>{' '}
      <span className="quiet">line {formatNumber(line)}</span>
    </div>
  );
}

const NETWORK_COLUMNS: Column<ReplayedLog['refused']['networks'][number]>[] = [
  {
    name: 'Refused network',
    isText: true,
    cell: ({ asn, asn_name }) => <NetworkLink asn={asn} name={asn_name} />,
  },
  { name: 'Requests', align: 'end', cell: ({ requests }) => formatNumber(requests) },
  { name: 'Clients', align: 'end', cell: ({ clients }) => formatNumber(clients) },
];

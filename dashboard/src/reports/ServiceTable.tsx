/** Services that send as a domain. A row opens: why it has its class, what people decide about it, and what is behind it. */
import { useMutation } from '@tanstack/react-query';
import type { SenderService, Senders } from '@whence/client/wire';
import { classText } from '@whence/email/internal/reports/verdict-text';
import type { Input } from '@whence/server/dashboard-wire/contract';
import { call, refresh, useAnswer } from '../api/query-client.ts';
import { QuietButton } from '../components/Buttons.tsx';
import { FailureNotice } from '../components/Failures.tsx';
import { useResumedSending } from '../components/Form.tsx';
import { Icon } from '../components/icons.tsx';
import { AddressLink } from '../components/Links.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { type Column, Table } from '../components/Table.tsx';
import { Tag } from '../components/Tag.tsx';
import { count, formatNumber, formatShare } from '../format/number.ts';
import { shortDay } from '../format/time.ts';
import { useRole } from '../session/use-session.ts';
import classes from './Senders.module.css';

/** Red for what its owner should repair, green for what was verified. */
export const CLASS_TONES = {
  passes: 'good',
  ours_broken: 'bad',
  at_named_service: 'warn',
  forwarded: 'plain',
  not_ours: 'plain',
} as const satisfies Record<SenderService['class'], string>;

type Query = Input<'getSenders'>['query'];
type ServiceTableProps = {
  domain: string;
  services: readonly SenderService[];
  leftOut: number;
  query: Query;
  /** Id of the service whose row is open. */
  opened: string | undefined;
  onOpen: (id: string | undefined) => void;
};

export function ServiceTable({ domain, services, leftOut, query, opened, onOpen }: ServiceTableProps) {
  const share = (part: number, { messages }: SenderService) => formatShare(part, messages);
  const columns: Column<SenderService>[] = [
    {
      name: 'Sender',
      isText: true,
      cell: ({ id, name }) => (
        <button
          type="button"
          className={classes['open']}
          aria-expanded={id === opened}
          onClick={() => onOpen(id === opened ? undefined : id)}
        >
          <Icon name="chevron-right" size={14} />
          {name}
        </button>
      ),
    },
    { name: 'Messages', align: 'end', cell: ({ messages }) => formatNumber(messages) },
    { name: 'Passed', align: 'end', cell: (service) => share(service.passed, service) },
    { name: 'SPF', align: 'end', cell: (service) => share(service.spf_passed, service) },
    { name: 'DKIM', align: 'end', cell: (service) => share(service.dkim_passed, service) },
    {
      name: 'What fails is',
      cell: (service) => (
        <>
          <Tag
            tone={CLASS_TONES[service.class]}
            text={service.class === 'passes' ? 'nothing' : classText(service.class)}
          />
          {service.decision !== undefined && (
            <span className="quiet"> decided: {DECISIONS[service.decision].toLowerCase()}</span>
          )}
        </>
      ),
    },
    { name: 'Last seen', cell: ({ last_seen }) => shortDay(last_seen) },
  ];
  return (
    <>
      <Table
        isStacked
        label="Senders"
        columns={columns}
        rows={services}
        rowKey={({ id }) => id}
        limit={20}
        detail={(service) =>
          service.id === opened && <ServiceDetail key={service.id} domain={domain} service={service} query={query} />
        }
      />
      {leftOut > 0 && <p className="quiet">Not listed: {count(leftOut, 'sender')} with fewer messages.</p>}
    </>
  );
}

const DECISIONS = { ours: 'Ours', not_ours: 'Not ours', expected_forwarder: 'Expected forwarder' } as const;
const QUESTIONS = {
  passes: 'Why does it pass?',
  ours_broken: 'Why is it called yours?',
  forwarded: 'Why is it called forwarded?',
  at_named_service: 'Why is it not called yours?',
  not_ours: 'Why is it called not yours?',
} as const satisfies Record<SenderService['class'], string>;

type ServiceDetailProps = { domain: string; service: SenderService; query: Query };

function ServiceDetail({ domain, service, query }: ServiceDetailProps) {
  const rows = useAnswer('getSenders', { params: { domain }, query: { ...query, service: service.id } });
  return (
    <div className={classes['detail']}>
      <div>
        <h3>{QUESTIONS[service.class]}</h3>
        <ul className={classes['reasons']}>
          {service.evidence.map(({ text, messages }) => (
            <li key={text}>
              {text} <span className="quiet">{count(messages, 'message')}</span>
            </li>
          ))}
        </ul>
      </div>
      <Decision domain={domain} service={service} query={query} />
      <Loaded query={rows} lines={4}>
        {({ data }) => (
          <Table
            isStacked
            label={`Addresses of ${service.name}`}
            columns={ROW_COLUMNS}
            rows={data.rows ?? []}
            limit={10}
          />
        )}
      </Loaded>
    </div>
  );
}

/** Pressing what is decided takes it back. */
function Decision({ domain, service: { id, decision }, query }: ServiceDetailProps) {
  const { isAtLeast } = useRole();
  const decide = useMutation({
    mutationFn: (choice: Input<'decideSender'>['body']['decision']) =>
      call('decideSender', { params: { domain }, query, body: { service: id, decision: choice } }),
    onSuccess: () => refresh('getSenders', 'checkDomain'),
  });
  const { variables = 'undecided', mutate } = decide;
  useResumedSending({ error: decide.error, mutate: () => mutate(variables) });
  if (!isAtLeast('member')) return null;
  return (
    <div className={classes['decision']}>
      <h3>What is it?</h3>
      <p className="quiet">A decision changes the class of its failing mail, for everyone, and is in the audit log.</p>
      <div className={classes['tools']}>
        {(Object.keys(DECISIONS) as (keyof typeof DECISIONS)[]).map((choice) => (
          <QuietButton
            key={choice}
            text={DECISIONS[choice]}
            aria-pressed={choice === decision}
            data-pressed={choice === decision || undefined}
            loading={decide.isPending && variables === choice}
            disabled={decide.isPending && variables !== choice}
            onClick={() => mutate(choice === decision ? 'undecided' : choice)}
          />
        ))}
      </div>
      <FailureNotice error={decide.error} />
    </div>
  );
}

const lines = (texts: readonly string[]) =>
  // biome-ignore lint/suspicious/noArrayIndexKey: texts may repeat, and do not change.
  texts.length === 0 ? <span className="quiet">none</span> : texts.map((text, index) => <div key={index}>{text}</div>);

const ROW_COLUMNS: Column<NonNullable<Senders['rows']>[number]>[] = [
  {
    name: 'Address',
    isText: true,
    cell: ({ address, network }) => (
      <>
        <AddressLink ip={address} preload={false} />
        <div className="quiet">{network}</div>
      </>
    ),
  },
  { name: 'Messages', align: 'end', cell: ({ messages }) => formatNumber(messages) },
  {
    name: 'From',
    isText: true,
    cell: ({ header_from, envelope_from }) => (
      <>
        {header_from}
        {envelope_from !== '' && envelope_from !== header_from && <div className="quiet">envelope {envelope_from}</div>}
      </>
    ),
  },
  { name: 'SPF', isText: true, cell: ({ spf }) => lines(spf) },
  { name: 'DKIM', isText: true, cell: ({ dkim }) => lines(dkim) },
  { name: 'Reported by', isText: true, cell: ({ reporters }) => lines(reporters) },
  {
    name: 'Days',
    cell: ({ first_seen, last_seen }) =>
      first_seen === last_seen ? shortDay(last_seen) : `${shortDay(first_seen)} to ${shortDay(last_seen)}`,
  },
];

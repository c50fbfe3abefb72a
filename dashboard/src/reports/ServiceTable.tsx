/**
 * Services that send as a domain. A row opens: why it has its class, what people decide about it,
 * and what is behind it.
 */
import { useMutation } from '@tanstack/react-query';
import type { SenderService, Senders } from '@whence/client/wire';
import { classText } from '@whence/email/reports/verdict-text';
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
const CLASS_TONES = {
  passes: 'good',
  ours_broken: 'bad',
  at_named_service: 'warn',
  undecided: 'warn',
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

export function ServiceTable({
  domain,
  services,
  leftOut,
  query,
  opened,
  onOpen,
}: ServiceTableProps) {
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
      name: 'Failing mail',
      cell: (service) => (
        <>
          {service.class === 'passes' ? (
            <span className="quiet">none</span>
          ) : (
            <Tag tone={CLASS_TONES[service.class]} text={classText(service.class)} />
          )}
          {service.decision !== undefined && (
            <span className="quiet"> decided: {DECISIONS[service.decision].toLowerCase()}</span>
          )}
        </>
      ),
    },
    { name: 'Last seen', cell: ({ last_seen }) => shortDay(last_seen) },
  ];
  const isForged = (one: SenderService) => one.class === 'not_ours' && one.passed === 0;
  const forged = services.filter(isForged);
  const forgedMessages = forged.reduce((total, { messages }) => total + messages, 0);
  const table = (label: string, rows: readonly SenderService[]) => (
    <Table
      isStacked
      label={label}
      columns={columns}
      rows={rows}
      rowKey={({ id }) => id}
      limit={20}
      detail={(service) =>
        service.id === opened && (
          <ServiceDetail key={service.id} domain={domain} service={service} query={query} />
        )
      }
    />
  );
  return (
    <>
      {table(
        'Senders',
        services.filter((one) => !isForged(one)),
      )}
      {forged.length > 0 && (
        <details className={classes['more']} open={forged.some(({ id }) => id === opened)}>
          <summary>
            Not yours: {count(forgedMessages, 'message')} of {count(forged.length, 'sender')}
            {leftOut > 0 && `, and ${count(leftOut, 'sender')} that are not listed`}
          </summary>
          {table('Mail that is not yours', forged)}
        </details>
      )}
    </>
  );
}

const DECISIONS = {
  ours: 'Ours',
  not_ours: 'Not ours',
  expected_forwarder: 'Expected forwarder',
} as const;
const QUESTIONS = {
  passes: 'Why does it pass?',
  ours_broken: 'Why is it called yours?',
  forwarded: 'Why is it called forwarded?',
  at_named_service: 'Why does it count as yours?',
  undecided: 'Why is it not decided?',
  not_ours: 'Why is it called not yours?',
} as const satisfies Record<SenderService['class'], string>;

type ServiceDetailProps = { domain: string; service: SenderService; query: Query };

function ServiceDetail({ domain, service, query }: ServiceDetailProps) {
  const rows = useAnswer('getSenders', {
    params: { domain },
    query: { ...query, service: service.id },
  });
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
            columns={ROW_COLUMNS.filter((column) => column !== FROM || rowsDiffer(data, domain))}
            rows={data.rows ?? []}
            limit={10}
          />
        )}
      </Loaded>
    </div>
  );
}

/** Clicking the current decision clears it. */
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
      <p className="quiet">
        A decision changes the class of its failing mail, for everyone, and is in the audit log.
      </p>
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

function lines(texts: readonly string[]) {
  if (texts.length === 0) return <span className="quiet">none</span>;
  // biome-ignore lint/suspicious/noArrayIndexKey: texts may repeat, and do not change.
  return texts.map((text, index) => <div key={index}>{text}</div>);
}

type Row = NonNullable<Senders['rows']>[number];

const FROM: Column<Row> = {
  name: 'From',
  isText: true,
  cell: ({ header_from, envelope_from }) => (
    <>
      {header_from}
      {envelope_from !== '' && envelope_from !== header_from && (
        <div className="quiet">envelope {envelope_from}</div>
      )}
    </>
  ),
};

/** Otherwise all are from the domain that the page is about. */
const rowsDiffer = ({ rows = [] }: Senders, domain: string): boolean =>
  rows.some(({ header_from, envelope_from }) =>
    [header_from, envelope_from].some((name) => name !== '' && name !== domain),
  );

const ROW_COLUMNS: Column<Row>[] = [
  {
    name: 'Address',
    isText: true,
    cell: ({ address, network }) => (
      <>
        <AddressLink ip={address} preload={false} /> <span className="quiet">{network}</span>
      </>
    ),
  },
  { name: 'Messages', align: 'end', cell: ({ messages }) => formatNumber(messages) },
  FROM,
  { name: 'SPF', isText: true, cell: ({ spf }) => lines(spf) },
  { name: 'DKIM', isText: true, cell: ({ dkim }) => lines(dkim) },
  { name: 'Reported by', isText: true, cell: ({ reporters }) => reporters.join(', ') },
  {
    name: 'Days',
    cell: ({ first_seen, last_seen }) => (
      <span className="nowrap">
        {[...new Set([first_seen, last_seen])].map((day) => shortDay(day)).join(' to ')}
      </span>
    ),
  },
];

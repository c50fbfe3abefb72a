/** Two checks side by side: the zone as it is, and with the tried records. */
import type { EmailTrial } from '@whence/client/wire';
import { MAX_LOOKUPS } from '@whence/email/report';
import type { DomainCheck } from '@whence/server/dashboard-wire/domains';
import type { ReactNode } from 'react';
import { Icon, type IconName } from '../components/icons.tsx';
import { NetworkLink } from '../components/Links.tsx';
import { Notice } from '../components/Notice.tsx';
import { capitalise } from '../format/names.ts';
import { count, formatNumber } from '../format/number.ts';
import { PARTS } from './CheckSection.tsx';
import { splitError } from './spf-terms.ts';
import classes from './TrialResult.module.css';

type TrialState = EmailTrial['before'];
type TrialFinding = EmailTrial['appeared'][number];

const PART_NAMES = Object.fromEntries(PARTS) as Record<TrialFinding['part'], string>;

type TrialResultProps = {
  trial: EmailTrial | undefined;
  check: DomainCheck;
  /** The zone as it is, from an earlier answer. */
  known: TrialState | undefined;
  isChanged: boolean;
};

/**
 * "Now" is shown from the start; "after" is empty while it is asked for, and nothing moves when the
 * answer arrives.
 */
export function TrialResult({ trial, check, known, isChanged }: TrialResultProps) {
  const { grade_text, report, points: now, spf_tree } = check;
  const before = trial?.before ?? known;
  const row = (
    name: string,
    cell: (state: TrialState) => ReactNode,
    compare: Compare,
    first: ReactNode = <Unknown />,
  ) => (
    <tr key={name} data-change={trial && compare(trial.before, trial.after)}>
      <th scope="row">{name}</th>
      <td>{before === undefined ? first : cell(before)}</td>
      <td>{trial === undefined ? <Unknown /> : cell(trial.after)}</td>
    </tr>
  );
  return (
    <div className={classes['result']} aria-busy={isChanged && trial === undefined}>
      {trial !== undefined && trial.risks.length > 0 && (
        <Notice tone="warn" title="What this change would break">
          <ul>
            {trial.risks.map(({ text }) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </Notice>
      )}
      <table className={classes['table']}>
        <caption>{isChanged ? summary(trial) : 'Edit a record to see what it would do.'}</caption>
        <thead>
          <tr>
            <th scope="col">
              <span className="visually-hidden">Part</span>
            </th>
            <th scope="col">Now</th>
            <th scope="col">After</th>
          </tr>
        </thead>
        <tbody>
          {row(
            'Grade',
            ({ grade, unverified, score }) =>
              `${grade}${unverified.length === 0 ? '' : '?'}, ${score} of 100`,
            larger(({ score }) => score),
            `${grade_text}, ${report.domain_auth_score} of 100`,
          )}
          {PARTS.map(([part, name]) =>
            row(
              name,
              ({ points }) => `${points[part]} of ${now[part].max}`,
              larger(({ points }) => points[part]),
              `${now[part].points} of ${now[part].max}`,
            ),
          )}
          <tr data-change={trial && lookupChange(trial.lookups)}>
            <th scope="row">SPF lookups</th>
            <td>{`${trial?.lookups.before ?? spf_tree.lookups} of ${MAX_LOOKUPS}`}</td>
            <td>
              {trial === undefined ? (
                <Unknown />
              ) : (
                `${trial.lookups.after} of ${trial.lookups.limit}`
              )}
            </td>
          </tr>
          {row('May send', sendersInWords, senderChange)}
        </tbody>
      </table>
      {trial !== undefined && (
        <>
          {trial.after.risk !== '' && (
            <p className={classes['risk']}>{capitalise(trial.after.risk)}.</p>
          )}
          <ChangeList
            title="Appears"
            icon="circle-minus"
            tone="bad"
            items={trial.appeared.map(describeFinding)}
          />
          <ChangeList
            title="Disappears"
            icon="circle-check"
            tone="good"
            items={trial.vanished.map(describeFinding)}
          />
          <ChangeList
            title="To do after the change"
            icon="arrow-right"
            items={textsOf(trial.advice.appeared.filter(({ text }) => !isTold(trial, text)))}
          />
          <ChangeList
            title="No longer to do"
            icon="arrow-right"
            items={textsOf(trial.advice.vanished.filter(({ code }) => code !== 'not_ready'))}
          />
          <Networks senders={trial.senders} />
          {trial.notes.map((note) => (
            <p key={note} className="quiet">
              {capitalise(note)}.
            </p>
          ))}
        </>
      )}
    </div>
  );
}

type Compare = (before: TrialState, after: TrialState) => 'better' | 'worse' | 'other' | undefined;

/** A larger number is better. */
function larger(value: (state: TrialState) => number): Compare {
  return (before, after) => {
    const gain = value(after) - value(before);
    if (gain === 0) return undefined;
    return gain > 0 ? 'better' : 'worse';
  };
}

const senderChange: Compare = (before, after) => {
  if (sendersInWords(before) === sendersInWords(after)) return undefined;
  return after.open_to_all ? 'worse' : 'other';
};

function Unknown() {
  return <span className={classes['unknown']}>–</span>;
}

function summary(trial: EmailTrial | undefined): string {
  if (trial === undefined) return 'Checking…';
  const { before, after, appeared, vanished } = trial;
  const gain = after.score - before.score;
  const points =
    gain === 0
      ? 'The score stays the same'
      : `${count(Math.abs(gain), 'point')} ${gain > 0 ? 'more' : 'fewer'}`;
  const findings = [
    ...(appeared.length === 0 ? [] : [`${count(appeared.length, 'finding')} more`]),
    ...(vanished.length === 0 ? [] : [`${count(vanished.length, 'finding')} fewer`]),
  ];
  return `${[points, ...findings].join(', ')}.`;
}

function sendersInWords({ open_to_all, ipv4_addresses, ipv6_48s }: TrialState): string {
  if (open_to_all) return 'everyone';
  const ipv6 = ipv6_48s === 0 ? [] : [`${formatNumber(ipv6_48s)} IPv6 /48`];
  const ipv4 =
    ipv4_addresses === 0 ? [] : [count(ipv4_addresses, 'IPv4 address', 'IPv4 addresses')];
  return [...ipv4, ...ipv6].join(', ') || 'no address';
}

/** Within the limit their number does not matter. */
function lookupChange({ before, after, limit }: EmailTrial['lookups']): ReturnType<Compare> {
  if (after > limit) return 'worse';
  return before === after ? undefined : 'other';
}

type ChangeListProps = {
  title: string;
  icon: IconName;
  tone?: 'good' | 'bad';
  items: readonly ListedChange[];
};
type ListedChange = { readonly text: string; readonly code?: string };

function ChangeList({ title, icon, tone, items }: ChangeListProps) {
  if (items.length === 0) return null;
  return (
    <div>
      <h3>{title}</h3>
      <ul className={classes['findings']}>
        {items.map(({ text, code }) => (
          <li key={text} data-tone={tone}>
            <Icon name={icon} size={16} />
            <span>
              {text} {code !== undefined && <span className={classes['code']}>{code}</span>}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

const textsOf = (advice: readonly { text: string }[]): ListedChange[] =>
  advice.map(({ text }) => ({ text }));

/** With its reason among what the change would break. */
const isTold = ({ risks, after }: EmailTrial, text: string): boolean =>
  risks.length > 0 && text.startsWith(`${capitalise(after.risk)}:`);

function describeFinding({ part, text }: TrialFinding): ListedChange {
  const { code, text: words } = splitError(text);
  return { text: `${PART_NAMES[part]}: ${words}`, code };
}

/** Whose addresses could send that cannot now, and the other way round. */
function Networks({ senders: { gained, lost } }: Pick<EmailTrial, 'senders'>) {
  const rows = [
    ...lost.map((amount) => ({ ...amount, sign: '−', tone: 'worse' })),
    ...gained.map((amount) => ({ ...amount, sign: '+', tone: 'other' })),
  ];
  if (rows.length === 0) return null;
  return (
    <table className={classes['table']}>
      <caption>Networks whose addresses may send</caption>
      <tbody>
        {rows.map(({ asn, asn_name, ipv4_addresses, ipv6_48s, sign, tone }) => (
          <tr key={`${sign}${asn}`} data-change={tone}>
            <th scope="row">
              {asn === 0 ? 'Other networks' : <NetworkLink asn={asn} name={asn_name} />}
            </th>
            <td>
              {[
                ...(ipv4_addresses > 0 ? [`${sign}${formatNumber(ipv4_addresses)} IPv4`] : []),
                ...(ipv6_48s > 0 ? [`${sign}${formatNumber(ipv6_48s)} IPv6 /48`] : []),
              ].join(', ')}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

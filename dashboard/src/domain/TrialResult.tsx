/** Two checks side by side: the zone as it is, and with the tried records. */

import { IconCircleCheck, IconCircleMinus } from '@tabler/icons-react';
import { MAX_LOOKUPS } from '@whence/email/internal/spf/limits';
import type { DomainTrial, TrialFinding, TrialState } from '@whence/server/dashboard-wire/domains';
import type { ReactNode } from 'react';
import { NetworkLink } from '../components/Links.tsx';
import { count, formatNumber } from '../format/number.ts';
import { splitError } from './spf-terms.ts';
import classes from './TrialResult.module.css';

const PARTS = [
  ['mx', 'MX'],
  ['spf', 'SPF'],
  ['dkim', 'DKIM'],
  ['dmarc', 'DMARC'],
] as const;
const PART_NAMES = Object.fromEntries(PARTS) as Record<TrialFinding['part'], string>;

/** Without a trial the cells are empty, so that nothing moves when the answer arrives. */
export function TrialResult({ trial, isChanged }: { trial: DomainTrial | undefined; isChanged: boolean }) {
  const row = (name: string, cell: (state: TrialState) => ReactNode, compare: Compare) => (
    <tr data-change={trial && compare(trial.before, trial.after)}>
      <th scope="row">{name}</th>
      <td>{trial === undefined ? <Unknown /> : cell(trial.before)}</td>
      <td>{trial === undefined ? <Unknown /> : cell(trial.after)}</td>
    </tr>
  );
  return (
    <div className={classes['result']} aria-busy={isChanged && trial === undefined}>
      <table className={classes['table']}>
        <caption>
          {!isChanged ? 'Edit a record to see what it would do.' : trial === undefined ? 'Checking…' : summary(trial)}
        </caption>
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
            ({ grade_text, score }) => `${grade_text}, ${score} of 100`,
            larger(({ score }) => score),
          )}
          {PARTS.map(([part, name]) => (
            <Row key={part}>
              {row(
                name,
                ({ points }) => `${points[part].points} of ${points[part].max}`,
                larger(({ points }) => points[part].points),
              )}
            </Row>
          ))}
          {row(
            'SPF lookups',
            ({ spf_lookups }) => `${spf_lookups} of ${MAX_LOOKUPS}`,
            // Within the limit their number does not matter.
            (before, after) =>
              after.spf_lookups > MAX_LOOKUPS
                ? 'worse'
                : before.spf_lookups === after.spf_lookups
                  ? undefined
                  : 'other',
          )}
          {row('May send', sendersInWords, (before, after) =>
            sendersInWords(before) === sendersInWords(after)
              ? undefined
              : after.senders?.open_to_all
                ? 'worse'
                : 'other',
          )}
        </tbody>
      </table>
      {trial !== undefined && (
        <>
          {trial.after.risk !== '' && <p className={classes['risk']}>Anyone can send: {trial.after.risk}.</p>}
          <FindingList title="Appears" findings={trial.appeared} isBad />
          <FindingList title="Vanishes" findings={trial.vanished} />
          <Networks trial={trial} />
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
    return gain === 0 ? undefined : gain > 0 ? 'better' : 'worse';
  };
}

/** The key of a row that `row` makes. */
function Row({ children }: { children: ReactNode }) {
  return children;
}

function Unknown() {
  return <span className={classes['unknown']}>–</span>;
}

function summary({ before, after, appeared, vanished }: DomainTrial): string {
  const gain = after.score - before.score;
  const points =
    gain === 0 ? 'The score stays the same' : `${count(Math.abs(gain), 'point')} ${gain > 0 ? 'more' : 'fewer'}`;
  if (appeared.length === 0 && vanished.length === 0) return `${points}.`;
  return `${points}; ${count(appeared.length, 'finding')} more, ${formatNumber(vanished.length)} fewer.`;
}

function sendersInWords({ senders }: TrialState): string {
  if (senders === undefined) return 'unknown without a dataset';
  if (senders.open_to_all) return 'everyone';
  const { ipv4_addresses, ipv6_48s } = senders;
  const ipv6 = ipv6_48s === 0 ? '' : `, ${formatNumber(ipv6_48s)} IPv6 /48`;
  return `${count(ipv4_addresses, 'IPv4 address', 'IPv4 addresses')}${ipv6}`;
}

type FindingListProps = { title: string; findings: readonly TrialFinding[]; isBad?: boolean };

function FindingList({ title, findings, isBad = false }: FindingListProps) {
  if (findings.length === 0) return null;
  const Icon = isBad ? IconCircleMinus : IconCircleCheck;
  return (
    <div>
      <h3>{title}</h3>
      <ul className={classes['findings']}>
        {findings.map(({ part, text }) => (
          <li key={`${part} ${text}`} data-tone={isBad ? 'bad' : 'good'}>
            <Icon size={16} aria-hidden />
            <span>
              {PART_NAMES[part]}: {splitError(text).text}{' '}
              <span className={classes['code']}>{splitError(text).code}</span>
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Whose addresses may send after the change, and those that no longer may. */
function Networks({ trial: { before, after } }: { trial: DomainTrial }) {
  const [then, now] = [before.senders?.networks ?? [], after.senders?.networks ?? []];
  const amounts = (list: typeof then) => new Map(list.map(({ asn, ipv4_addresses }) => [asn, ipv4_addresses]));
  const [was, is] = [amounts(then), amounts(now)];
  const all = [...now, ...then.filter(({ asn }) => !is.has(asn))];
  if (all.length === 0) return null;
  return (
    <table className={classes['table']}>
      <caption>Networks whose IPv4 addresses may send</caption>
      <thead>
        <tr>
          <th scope="col">Network</th>
          <th scope="col">Now</th>
          <th scope="col">After</th>
        </tr>
      </thead>
      <tbody>
        {all.map(({ asn, asn_name }) => (
          <tr key={asn} data-change={was.get(asn) === is.get(asn) ? undefined : 'other'}>
            <th scope="row">
              <NetworkLink asn={asn} name={asn_name} />
            </th>
            <td>{formatNumber(was.get(asn) ?? 0)}</td>
            <td>{formatNumber(is.get(asn) ?? 0)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

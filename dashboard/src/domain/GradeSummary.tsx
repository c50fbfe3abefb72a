/** The grade of a domain, and what to fix first. */

import { Link } from '@tanstack/react-router';
import type { DomainAdvice, DomainCheck } from '@whence/server/dashboard-wire/domains';
import { Bar } from '../components/Bars.tsx';
import { CodeBlock } from '../components/Copy.tsx';
import { Icon } from '../components/icons.tsx';
import { Section } from '../components/Page.tsx';
import { count } from '../format/number.ts';
import { NoFindings, PARTS } from './CheckSection.tsx';
import classes from './GradeSummary.module.css';
import { headlineOf } from './headline.ts';

const MEANINGS = {
  A: 'Excellent',
  B: 'Good, minor improvements possible',
  C: 'Moderate risk, missing configurations',
  D: 'Poor, significant gaps',
  F: 'Critical, little or no authentication',
} as const;

export function GradeSummary({ check }: { check: DomainCheck }) {
  const { report, points, parts, grade_text, is_finished, does_exist } = check;
  const { grade, domain_auth_score } = report;
  const { text, tone } = headlineOf(check);
  const isUnknown = PARTS.some(([part]) => parts[part].state === 'unverified');
  let meaning: string = MEANINGS[grade];
  if (isUnknown) meaning = 'Some parts could not be verified';
  if (is_finished) meaning = 'Set up to send no mail';
  return (
    <div className={classes['summary']}>
      <p className={`${classes['headline']} toned`} data-tone={tone}>
        {text}.
      </p>
      {does_exist && (
        <>
          <div className={classes['grade']}>
            <div className={classes['letter']} aria-hidden>
              {is_finished ? <Icon name="mail-off" size={34} stroke={1.6} /> : grade_text}
            </div>
            <div>
              {!is_finished && (
                <p className={classes['points']}>
                  Grade {grade_text}, {domain_auth_score} of 100
                </p>
              )}
              <p className={classes[is_finished ? 'points' : 'meaning']}>{meaning}</p>
            </div>
          </div>
          <ul className={classes['parts']}>
            {PARTS.map(([part, name]) => (
              <li key={part} className={classes['part']}>
                <div className={classes['line']}>
                  <Link
                    to="."
                    search={(before: object) => ({ ...before, tab: 'records' })}
                    hash={part}
                    className={classes['name'] ?? ''}
                  >
                    {name}
                  </Link>
                  <span className="quiet">
                    {parts[part].state === 'unverified' ? '?' : points[part].points} of{' '}
                    {points[part].max}
                  </span>
                </div>
                <Bar value={points[part].points} max={points[part].max} tone="plain" />
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

type AdviceProps = {
  advice: readonly DomainAdvice[];
  senderRules: string;
  /** What aggregate reports show, if there are some. */
  reports: DomainCheck['senders'];
};

/** What to fix, in order of points gained, with the record to publish. */
export function Advice({ advice, senderRules, reports }: AdviceProps) {
  return (
    <Section title="What to fix first">
      {advice.length === 0 ? (
        <NoFindings>Nothing: MX, SPF, DKIM and DMARC are configured correctly.</NoFindings>
      ) : (
        <ol className={classes['list']}>
          {advice.map((item) => (
            <AdviceCard key={item.text} {...item} />
          ))}
        </ol>
      )}
      <p>Rules for bulk senders: {senderRules}.</p>
      {reports !== undefined && (
        <p>
          <Link to="." search={(before: object) => ({ ...before, tab: 'senders' })}>
            Reports
          </Link>
          {/* The advice has the reasons of a no already. */}
          {reports.answer === 'no'
            ? ` of ${count(reports.messages, 'message')}`
            : `: ${reports.text}`}
          .
        </p>
      )}
    </Section>
  );
}

function AdviceCard({ points, text, record }: DomainAdvice) {
  return (
    <li className={classes['card']} data-points={points > 0 || undefined}>
      {points > 0 && (
        <div className={classes['advicePoints']}>
          <strong>+{points}</strong> {points === 1 ? 'point' : 'points'}
        </div>
      )}
      <div className={classes['body']}>
        <p>{text}</p>
        {record !== '' && (
          <div className={classes['record']}>
            <CodeBlock text={record} label="record to publish" />
          </div>
        )}
      </div>
    </li>
  );
}

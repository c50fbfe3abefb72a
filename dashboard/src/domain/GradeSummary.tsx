/** The grade of a domain, and what to fix first. */

import type { DomainAdvice, DomainCheck, DomainPartState } from '@whence/server/dashboard-wire/domains';
import { Bar } from '../components/Bars.tsx';
import { CodeBlock } from '../components/Copy.tsx';
import { Icon } from '../components/icons.tsx';
import { Section } from '../components/Page.tsx';
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
const TONES = { A: 'good', B: 'good', C: 'warn', D: 'bad', F: 'bad' } as const;

export function GradeSummary({ check }: { check: DomainCheck }) {
  const { report, points, parts, grade_text, is_finished, does_exist } = check;
  const { grade, domain_auth_score } = report;
  const { text, tone: headlineTone } = headlineOf(check);
  const isUnknown = PARTS.some(([part]) => parts[part].state === 'unverified');
  const tone = is_finished ? 'good' : isUnknown ? 'warn' : TONES[grade];
  const meaning = is_finished
    ? 'Set up to send no mail'
    : isUnknown
      ? 'Some parts could not be verified'
      : MEANINGS[grade];
  return (
    <div className={classes['summary']}>
      <p className={`${classes['headline']} toned`} data-tone={headlineTone}>
        {text}.
      </p>
      {does_exist && (
        <>
          <div className={classes['grade']}>
            <div className={classes['letter']} data-tone={tone} aria-hidden>
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
                  <a href={`#${part}`} className={classes['name']}>
                    {name}
                  </a>
                  <span className="quiet">
                    {parts[part].state === 'unverified' ? '?' : points[part].points} of {points[part].max}
                  </span>
                </div>
                <Bar value={points[part].points} max={points[part].max} tone={toneOf(points[part], parts[part])} />
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function toneOf({ points, max }: { points: number; max: number }, { state }: DomainPartState): 'good' | 'warn' | 'bad' {
  if (state === 'not applicable') return 'good';
  if (state === 'unverified') return 'warn';
  return points === max ? 'good' : points >= max / 2 ? 'warn' : 'bad';
}

/** What to fix, in order of points gained, with the record to publish. */
/** `reports`: what aggregate reports show, if there are some. */
type AdviceProps = { advice: readonly DomainAdvice[]; senderRules: string; reports: string | undefined };

export function Advice({ advice, senderRules, reports }: AdviceProps) {
  return (
    <Section title="What to fix first">
      {advice.length === 0 ? (
        <NoFindings>Nothing: every part is configured correctly.</NoFindings>
      ) : (
        <ol className={classes['list']}>
          {advice.map((one) => (
            <AdviceCard key={one.text} {...one} />
          ))}
        </ol>
      )}
      <p>Rules for bulk senders: {senderRules}.</p>
      {reports !== undefined && (
        <p>
          <a href="#senders">Reports</a>: {reports}.
        </p>
      )}
    </Section>
  );
}

function AdviceCard({ points, text, record }: DomainAdvice) {
  return (
    <li className={classes['card']}>
      <div className={classes['advicePoints']}>
        {points > 0 ? (
          <>
            <strong>+{points}</strong> {points === 1 ? 'point' : 'points'}
          </>
        ) : (
          'no points'
        )}
      </div>
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

import type { DomainAdvice } from '@whence/server/dashboard-wire';
import { CodeBox } from '../copy/CodeBox.tsx';
import { Section } from '../parts/Section.tsx';
import classes from './Advice.module.css';
import { NoFindings } from './Findings.tsx';

/** What to fix, in order of points gained; the record to publish alone in a box. */
export function Advice({ advice }: { advice: readonly DomainAdvice[] }) {
  if (advice.length === 0) {
    return (
      <Section title="What to fix first">
        <NoFindings>Nothing: every part is as it should be.</NoFindings>
      </Section>
    );
  }
  return (
    <Section title="What to fix first">
      <ol className={classes['list']}>
        {advice.map((one) => (
          <AdviceCard key={one.text} {...one} />
        ))}
      </ol>
    </Section>
  );
}

function AdviceCard({ points, text, record }: DomainAdvice) {
  return (
    <li className={classes['card']}>
      <div className={classes['points']}>
        {points > 0 ? (
          <>
            <strong>+{points}</strong> points
          </>
        ) : (
          'no points'
        )}
      </div>
      <div className={classes['body']}>
        <p>{text}</p>
        {record !== undefined && (
          <div className={classes['record']}>
            <CodeBox text={record} label="record to publish" />
          </div>
        )}
      </div>
    </li>
  );
}

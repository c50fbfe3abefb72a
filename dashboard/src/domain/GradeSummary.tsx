import type { DomainCheck, DomainPart } from '@whence/server/dashboard-wire';
import { Bar } from '../parts/Bar.tsx';
import classes from './GradeSummary.module.css';

const MEANINGS = {
  A: 'Excellent',
  B: 'Good, minor improvements possible',
  C: 'Moderate risk, missing configurations',
  D: 'Poor, significant gaps',
  F: 'Critical, little or no authentication',
} as const;
const TONES = { A: 'good', B: 'good', C: 'warn', D: 'bad', F: 'bad' } as const;
const PARTS: readonly [DomainPart, string][] = [
  ['mx', 'MX'],
  ['spf', 'SPF'],
  ['dkim', 'DKIM'],
  ['dmarc', 'DMARC'],
];

export function GradeSummary({ check: { report, points } }: { check: DomainCheck }) {
  const { grade, domain_auth_score } = report;
  return (
    <div className={classes['summary']}>
      <div className={classes['grade']}>
        <div className={classes['letter']} data-tone={TONES[grade]} aria-hidden>
          {grade}
        </div>
        <div>
          <p className={classes['points']}>
            Grade {grade}, {domain_auth_score} of 100
          </p>
          <p className={classes['meaning']}>{MEANINGS[grade]}</p>
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
                {points[part].points} of {points[part].max}
              </span>
            </div>
            <Bar value={points[part].points} max={points[part].max} tone={toneOf(points[part])} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function toneOf({ points, max }: { points: number; max: number }): 'good' | 'warn' | 'bad' {
  return points === max ? 'good' : points >= max / 2 ? 'warn' : 'bad';
}
